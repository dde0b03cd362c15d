#include "ir/passes/loop_body.hpp"

#include "ir/formula.hpp"
#include "ir/loop_tables.hpp"

namespace sinter::ir {

loop_body::loop_body(const node& loop)
    : n_(loop),
      values_(loop.program.inputs.size() + loop.program.code.size(), {-1, -1}),
      next_value_(loop.loop.carries == 0 ? 1 : 0) {}

std::size_t loop_body::give(const std::vector<inst>& code, std::int32_t value) {
  given_.push_back(value);
  out_.givens.push_back(code[static_cast<std::size_t>(value)].result);
  return given_.size() - 1;
}

std::int32_t loop_body::push(const inst& i) {
  out_.body.push_back(i);
  return static_cast<std::int32_t>(out_.body.size()) - 1;
}

parts loop_body::place(inst_kind kind, std::size_t which, dtype type) {
  const auto one = [&](std::size_t k) {
    return push({.kind = kind,
                 .type = real_of(type),
                 .result = real_of(type),
                 .which = static_cast<std::int32_t>(k)});
  };
  const std::int32_t re = one(which);
  return {re, is_complex(type) ? one(which + 1) : -1};
}

void loop_body::input(const std::vector<inst>& code, parts value) {
  const bool carried = next_ < static_cast<std::size_t>(n_.loop.carries);
  const dtype t = n_.program.inputs[next_value_];
  parts placed;
  if (carried) {
    placed = place(inst_kind::carry, first_.size(), t);
    carried_.push_back({static_cast<std::int32_t>(first_.size()),
                        is_complex(t) ? static_cast<std::int32_t>(first_.size()) + 1 : -1});
    for (std::int32_t v : {value.first, is_complex(t) ? value.second : -1}) {
      if (v < 0) continue;
      first_.push_back(v);
      out_.carries.push_back(code[static_cast<std::size_t>(v)].result);
    }
  } else {
    placed = place(inst_kind::given, given_.size(), t);
    give(code, value.first);
    if (is_complex(t)) give(code, value.second);
  }
  values_[next_value_++] = placed;
  if (++next_ == static_cast<std::size_t>(n_.loop.carries)) ++next_value_;  // the round
}

void loop_body::slice(const std::vector<inst>& code, std::int32_t operand, std::int32_t distance) {
  const int by = n_.loop.by[slices_.size()];
  const auto apart = distance < 0 ? std::nullopt : std::optional(give(code, distance));
  slices_.push_back({operand, apart, by, n_.program.inputs[next_value_++]});
}

void loop_body::emit(const std::vector<inst>& code, std::size_t which, std::int32_t operand,
                     std::int32_t distance) {
  const program_view p{n_.program.inputs, n_.program.code, 0};
  stores_.push_back({operand, give(code, distance), n_.loop.carries,
                     p.value_type(n_.loop.results[which]), which});
}

void loop_body::table_store(std::int32_t operand) {
  const table_write& w = n_.loop.writes[table_stores_.size()];
  const program_view p{n_.program.inputs, n_.program.code, 0};
  table_stores_.push_back({operand, std::nullopt, w.by, p.value_type(w.value), 0, w.value});
}

std::vector<std::string> loop_body::ops() const {
  std::vector<std::string> names;
  for (const instruction& i : n_.program.code) names.emplace_back(name(i.code));
  return names;
}

/// Per instruction of the program: does the condition need it?
std::vector<char> loop_body::decides() const {
  const std::size_t inputs = n_.program.inputs.size();
  std::vector<char> wanted(n_.program.code.size());
  const auto want = [&](int v) {
    if (static_cast<std::size_t>(v) >= inputs) wanted[static_cast<std::size_t>(v) - inputs] = 1;
  };
  want(n_.loop.condition);
  for (std::size_t i = wanted.size(); i-- > 0;) {
    if (!wanted[i]) continue;
    for (int k = 0; k < arity(n_.program.code[i]); ++k) want(n_.program.code[i].args[k]);
  }
  return wanted;
}

void loop_body::write_code(const std::vector<char>& wanted) {
  const std::size_t inputs = n_.program.inputs.size();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] && values_[inputs + i].first < 0) compute(i);
  }
}

void loop_body::compute(std::size_t i) {
  const instruction& x = n_.program.code[i];
  std::int32_t args[6] = {-1, -1, -1, -1, -1, -1};
  for (int k = 0; k < arity(x); ++k) {
    const parts v = ready(x.args[k]);
    args[2 * k] = v.first;
    args[2 * k + 1] = v.second;
  }
  values_[n_.program.inputs.size() + i] = emit_op(out_.body, x, args);
}

/// What is known before a write is computed before it, because it may read what the write replaces.
void loop_body::write_tables() {
  if (n_.loop.tables == 0) return;
  const std::vector<int> before = writes_before(n_);
  const std::size_t inputs = n_.program.inputs.size(), first_slice = inputs - slices_.size();
  for (std::size_t w = 0; w <= table_stores_.size(); ++w) {
    const auto now = [&](std::size_t v) { return before[v] == static_cast<int>(w); };
    std::vector<char> wanted(n_.program.code.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = now(inputs + i);
    write_code(wanted);
    for (std::size_t k = 0; k < slices_.size(); ++k) {
      if (now(first_slice + k)) ready(static_cast<int>(first_slice + k));
    }
    if (w < table_stores_.size()) store(table_stores_[w]);
  }
}

/// A value of the program; a slice is read where it is first needed, once its index is known.
parts loop_body::ready(int value) {
  parts& v = values_[static_cast<std::size_t>(value)];
  const std::size_t inputs = n_.program.inputs.size();
  const std::size_t first_slice = inputs - slices_.size();
  const auto at = static_cast<std::size_t>(value);
  if (v.first < 0 && at >= first_slice && at < inputs) v = read(slices_[at - first_slice]);
  return v;
}

/// The distance of the round's slice from the first.
std::int32_t loop_body::distance(const access& a) {
  const program_view p{n_.program.inputs, n_.program.code, 0};
  std::int32_t which = ready(a.by).first;
  if (p.value_type(a.by) == dtype::int32) {
    const std::int32_t narrow[] = {which, -1};
    which = emit_op(out_.body, {op::cast, dtype::int32, dtype::int64, {0, -1, -1}}, narrow).first;
  }
  if (!a.distance) return which;
  const parts step = place(inst_kind::given, *a.distance, dtype::int64);
  const std::int32_t both[] = {which, step.first};
  return ir::emit(out_.body, op::multiply, dtype::int64, both);
}

parts loop_body::read(const access& a) {
  inst i{.kind = inst_kind::gather, .type = real_of(a.type), .result = real_of(a.type)};
  i.args[0] = distance(a);
  i.which = a.operand;
  const std::int32_t re = push(i);
  if (!is_complex(a.type)) return {re, -1};
  i.part = 1;
  return {re, push(i)};
}

void loop_body::store(const access& a) {
  const parts v = ready(a.value >= 0 ? a.value : n_.loop.results[a.result]);
  inst i{.kind = inst_kind::store, .type = real_of(a.type), .result = real_of(a.type)};
  i.args[2] = distance(a);
  i.which = a.operand;
  i.args[0] = v.first;
  push(i);
  if (!is_complex(a.type)) return;
  i.part = 1;
  i.args[0] = v.second;
  push(i);
}

void loop_body::write_body() {
  const auto carries = static_cast<std::size_t>(n_.loop.carries);
  values_[carries] = place(inst_kind::carry, first_.size(), dtype::int64);
  write_code(decides());
  out_.condition = values_[static_cast<std::size_t>(n_.loop.condition)].first;
  const std::size_t inputs = n_.program.inputs.size(), first_slice = inputs - slices_.size();
  for (std::size_t k = 0; k < slices_.size(); ++k) {
    const bool own = k < sliced_inputs(n_.loop);
    if (own && slices_[k].by <= n_.loop.carries) ready(static_cast<int>(first_slice + k));
  }
  write_tables();
  write_code(std::vector<char>(n_.program.code.size(), 1));
  for (const access& a : stores_) store(a);
  for (std::size_t k = 0; k < carries; ++k) {
    const parts v = ready(n_.loop.results[k]);
    out_.next.push_back(v.first);
    if (is_complex(n_.program.inputs[k])) out_.next.push_back(v.second);
  }
}

std::vector<parts> loop_body::write(std::vector<inst>& code, std::int32_t guard,
                                    std::int32_t which) {
  write_body();
  const auto append = [&](const inst& i) {
    code.push_back(i);
    code.back().note = n_.origin;
    return static_cast<std::int32_t>(code.size()) - 1;
  };
  std::vector<std::int32_t> values = first_;
  values.insert(values.end(), given_.begin(), given_.end());
  inst list{.kind = inst_kind::pack, .type = dtype::bool_, .result = dtype::bool_};
  for (std::size_t k = 0; k < values.size(); k += 2) {
    list.args[1] = values[k];
    list.args[2] = k + 1 < values.size() ? values[k + 1] : -1;
    list.args[0] = append(list);
  }
  inst loop{.kind = inst_kind::loop, .type = dtype::bool_, .result = dtype::bool_, .which = which};
  loop.args[0] = list.args[0];
  loop.args[1] = guard;
  const std::int32_t at = append(loop);
  const auto pick = [&](std::int32_t k) {
    if (k < 0) return k;
    inst i{.kind = inst_kind::pick, .which = k};
    i.type = i.result = out_.carries[static_cast<std::size_t>(k)];
    i.args[0] = at;
    return append(i);
  };
  std::vector<parts> outputs;
  for (const parts& p : carried_) {
    const std::int32_t re = pick(p.first);
    outputs.push_back({re, pick(p.second)});
  }
  return outputs;
}

}  // namespace sinter::ir

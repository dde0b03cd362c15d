// Stores: of values at their own index, at one that another value gives, and of flags.
#include <set>

#include "ir/formula.hpp"
#include "ir/passes/body_builder.hpp"
#include "ir/passes/flag_rows.hpp"

namespace sinter::ir {

void body_builder::store(node_id n) {
  const node& x = g_[n];
  index_expr at = group_.kept_index();
  parts v;
  if (is_emitted(g_, n)) {
    run_loop(x.inputs[0], group_place(x.inputs[0]));  // its rounds store it
    return;
  }
  const bool loop = is_loop_result(g_, n);
  if (x.kind == node_kind::compress || (x.kind == node_kind::result && !loop)) return chosen(n);
  if (x.kind == node_kind::scatter) return scatter(n);
  if (x.kind == node_kind::update) {
    const bool every = group_.domain == g_[x.inputs[1]].shape;
    v = value(x.inputs[1], every ? dense(group_.domain) : at);  // or one per row
    at.offset = x.map.offset;
    at.strides = x.map.strides;
    at.strides.resize(group_.domain.size(), 0);
  } else {
    if (inner(n)) at = dense(group_.domain);
    v = value(n, at);
  }
  const std::int32_t which = operand_of({operand_role::output, x.type, n, -1, at});
  push_store(v.first, which, 0, n);
  if (v.second >= 0 && is_complex(x.type)) push_store(v.second, which, 1, n);
}

void body_builder::chosen(node_id n) {
  const bool count = g_[n].kind == node_kind::result;
  const node_id of = count ? g_[n].inputs[0] : n;
  const index_expr at = dense(group_.domain), still;
  const std::int32_t place = emit_cast(out_.code, alongside(of, 2, at), dtype::int64);
  const std::int32_t which = operand_of({operand_role::output, g_[n].type, n, -1, still});
  if (count) {
    const std::int32_t last = alongside(of, 3, at);
    push_store(place, which, 0, n);
    out_.code.back().args[1] = last;
    return;
  }
  inst one;
  one.kind = inst_kind::constant;
  one.type = one.result = dtype::int64;
  one.bits = 1;
  const std::int32_t both[] = {place, push(one)};
  const std::int32_t index = emit(out_.code, op::subtract, dtype::int64, both);
  const std::int32_t mask = alongside(of, 1, at);
  const parts v = value(g_[of].inputs[0], at);
  for (int p = 0; p < (v.second >= 0 ? 2 : 1); ++p) {
    push_store(p ? v.second : v.first, which, static_cast<std::uint8_t>(p), n);
    out_.code.back().args[1] = mask;
    out_.code.back().args[2] = index;
  }
}

void body_builder::scatter(node_id n) {
  const node& x = g_[n];
  const index_expr at = dense(group_.domain);
  out_.ops.push_back("scatter");
  const std::int32_t index = alongside(n, 1, at);
  const std::int32_t where = x.inputs.size() > 3 ? alongside(n, 3, at) : -1;
  const node_id from = x.inputs[2];
  const parts v = value(from, g_[from].shape.empty() ? index_expr{} : at);
  index_expr to;
  to.offset = x.map.offset;
  to.strides = x.map.strides;
  const std::int32_t which = operand_of({operand_role::output, x.type, n, -1, to, true});
  for (int p = 0; p < (v.second >= 0 ? 2 : 1); ++p) {
    push_store(p ? v.second : v.first, which, static_cast<std::uint8_t>(p), n);
    out_.code.back().code = x.reduction.code;
    out_.code.back().args[1] = where;
    out_.code.back().args[2] = index;
  }
}

std::int32_t body_builder::word_of(node_id n, std::size_t k, const index_expr& at) {
  inst word;
  word.kind = inst_kind::constant;
  word.type = word.result = dtype::uint64;
  word.bits = 1;
  if (k < g_[n].inputs.size()) {
    word.kind = inst_kind::compute;
    word.code = op::cast;
    word.type = dtype::int64;
    word.args[0] = alongside(n, k, at);
  }
  return push(word);
}

/// Indices that select rows of a reduction are one per row, once the group contains the reduction.
index_expr body_builder::flag_place(const node& n) const {
  const shape_t& all = walked_shape(g_, n);
  if (group_.domain == all) return dense(all);
  if (group_.kept_shape() == all) return group_.kept_index();
  const flag_rows rows = rows_of_flag(g_, n);
  return rows.place(group_.domain == rows.shape ? dense(rows.shape) : group_.kept_index());
}

/// Does the condition of a flag depend on the group's reductions? Partial results cannot decide it:
/// `w(min(x))` was reported out of range where the minimum of a thread's share was.
bool body_builder::is_told_last(node_id flag) const {
  const auto& inputs = g_[flag].inputs;
  std::vector<node_id> left(
      inputs.begin() + static_cast<std::ptrdiff_t>(inputs_before_range(g_[flag].kind)),
      inputs.end());
  std::set<node_id> seen;
  while (!left.empty()) {
    const node_id n = left.back();
    left.pop_back();
    if (!mine(n) || !seen.insert(n).second) continue;
    if (g_[n].kind == node_kind::reduce) return true;
    left.insert(left.end(), g_[n].inputs.begin(), g_[n].inputs.end());
  }
  return false;
}

void body_builder::flags() {
  for (node_id n : group_.flags) {
    if (part_ != body_part::whole && is_told_last(n) != (part_ == body_part::combine)) continue;
    const std::size_t first = inputs_before_range(g_[n].kind);
    const index_expr at = flag_place(g_[n]);
    const std::int32_t bad = alongside(n, first, at);
    const index_expr still;
    const std::int32_t which =
        operand_of({operand_role::output, dtype::uint64, n, status_of, still});
    push_store(word_of(n, first + 1, at), which, 0, n);
    out_.code.back().code = op::maximum;
    out_.code.back().args[1] = bad;
  }
}

void body_builder::push_store(std::int32_t v, std::int32_t which, std::uint8_t part, node_id n) {
  inst i;
  i.kind = inst_kind::store;
  i.args[0] = v;
  i.which = which;
  i.part = part;
  i.type = i.result = out_.code[static_cast<std::size_t>(v)].result;
  i.note = g_[n].origin;
  out_.code.push_back(i);
}

}  // namespace sinter::ir

// Loops: exact programs only, because a differing bit in one round changes all later ones.
#include <algorithm>

#include "ir/index_expr.hpp"
#include "tests/fuzz/generator.hpp"

namespace sinter::fuzz {
namespace {

using ir::op;

/// The sign of a NaN is unspecified.
bool shows_nan(op code) {
  return code == op::signbit || code == op::copysign || code == op::bitcast;
}

}  // namespace

/// An instruction with the same bits everywhere, if one is found.
void generator::exact_instruction() {
  for (int tries = 0; tries < 6; ++tries) {
    const std::size_t values = values_.size(), code = program_.code.size();
    if (!try_instruction()) continue;
    if (!values_.back().approximate && !shows_nan(program_.code.back().code)) return;
    values_.resize(values);
    program_.code.resize(code);
  }
}

int generator::computed(op code, dtype type, int a, int b) {
  ir::instruction i{code, type, ir::result_type(code, type), {-1, -1, -1}};
  i.args[0] = static_cast<std::int16_t>(a);
  i.args[1] = static_cast<std::int16_t>(b);
  program_.code.push_back(i);
  values_.push_back({i.result, false});
  return static_cast<int>(values_.size()) - 1;
}

/// x, or another array of its type and shape with exact contents.
ir::node_id generator::exactly(ir::node_id x) {
  return approximate(x) ? source(at(x).type, at(x).shape) : x;
}

/// While the round is below a limit, and optionally while one value is below another.
int generator::loop_condition(int round, int limit, bool each) {
  const int goes = computed(op::less, dtype::int64, round, limit);
  if (!each) return goes;
  const int a = argument(dtype::float32, -1), b = argument(dtype::float32, a);
  const auto type_of = [&](int v) { return values_[static_cast<std::size_t>(v)].type; };
  const dtype t = ir::operand_type(op::less, promote(type_of(a), type_of(b)));
  if (is_complex(t) || !ir::accepts(op::less, t)) return goes;
  const int left = converted(a, t), right = converted(b, t);
  const int below = computed(op::less, t, left, right);
  return computed(op::logical_and, dtype::bool_, goes, below);
}

ir::node_id generator::loop(ir::node_id x) {
  const ir::extent places = ir::size_of(at(x).shape);
  if (places > 0 && places <= 3000 && c_.chance(30)) return table_loop(x);
  const ir::shape_t shape = at(x).shape;
  const ir::extent size = ir::size_of(shape);
  const bool slices = size > 0 && size <= 2000 && c_.chance(30);
  const ir::extent rounds = slices ? 1 + c_.below(5) : c_.below(9);
  ir::node n;
  n.kind = ir::node_kind::loop;
  n.type = dtype::bool_;
  n.shape = shape;
  n.inputs = {exactly(x)};
  const auto input = [&](bool scalars) {
    const dtype type = c_.chance(50) ? pick_type() : at(x).type;
    const bool alone = scalars && c_.chance(40);
    n.inputs.push_back(alone ? scalar(type) : exactly(conform(pick_array(), type, shape)));
  };
  for (std::uint32_t more = c_.below(3); more > 0; --more) input(true);
  n.loop.carries = static_cast<int>(n.inputs.size());
  n.inputs.push_back(integer(rounds));
  for (std::uint32_t more = c_.below(2); more > 0; --more) input(true);
  if (slices) {
    ir::shape_t all{rounds};
    all.insert(all.end(), shape.begin(), shape.end());
    n.inputs.push_back(source(pick_type(), all));
    const bool back = c_.chance(30);
    n.loop.maps.push_back({back ? (rounds - 1) * size : ir::extent(0), ir::dense_strides(shape)});
    n.loop.along.push_back(back ? -size : size);
    n.loop.by.push_back(n.loop.carries);
  }
  const bool picks = !slices && size > 0 && c_.chance(30);
  const ir::extent length = 1 + c_.below(40);
  if (picks) {
    n.inputs.push_back(integer(length));
    n.inputs.push_back(source(pick_type(), {length}));
    n.loop.maps.push_back({0, ir::shape_t(shape.size(), ir::extent(0))});
    n.loop.along.push_back(1);
  }
  program_ = {};
  values_.clear();
  for (std::size_t k = 0; k < n.inputs.size(); ++k) {
    if (k == static_cast<std::size_t>(n.loop.carries)) values_.push_back({dtype::int64, false});
    values_.push_back({at(n.inputs[k]).type, false});
  }
  for (const slot& v : values_) program_.inputs.push_back(v.type);
  const int round = n.loop.carries;
  const int element = static_cast<int>(values_.size()) - 1;  // the gathered element
  values_.back().hidden = picks;
  for (std::uint32_t left = c_.below(3); !slices && left > 0; --left) exact_instruction();
  n.loop.condition = loop_condition(round, round + 1, !slices && c_.chance(60));
  if (picks) {
    const int any = converted(argument(dtype::int64, -1), dtype::int64);
    n.loop.by.push_back(computed(op::remainder, dtype::int64, any, element - 1));
    values_[static_cast<std::size_t>(element)].hidden = false;
  }
  for (std::uint32_t left = 1 + c_.below(6); left > 0; --left) exact_instruction();
  const auto result = [&](dtype type) {
    n.loop.results.push_back(converted(argument(type, -1), type));
  };
  for (int k = 0; k < n.loop.carries; ++k) result(program_.inputs[static_cast<std::size_t>(k)]);
  const bool emits = slices && c_.chance(60);
  if (emits) result(pick_type());
  n.program = program_;
  return loop_results(std::move(n), emits, rounds);
}

/// Reads and writes single elements of x in every round.
ir::node_id generator::table_loop(ir::node_id x) {
  const dtype type = at(x).type;
  ir::node n;
  n.kind = ir::node_kind::loop;
  n.type = dtype::bool_;
  for (std::uint32_t more = 1 + c_.below(2); more > 0; --more) {
    n.inputs.push_back(scalar(pick_type()));
  }
  n.loop.carries = static_cast<int>(n.inputs.size());
  n.inputs.push_back(integer(c_.below(30)));
  n.inputs.push_back(integer(ir::size_of(at(x).shape)));
  const int writes = static_cast<int>(1 + c_.below(2));
  for (int s = 0; s <= writes; ++s) {
    for (std::uint32_t more = c_.below(3); more > 0; --more) n.loop.reads.push_back({0, s});
  }
  program_ = {};
  values_.clear();
  for (std::size_t k = 0; k < n.inputs.size(); ++k) {
    if (k == static_cast<std::size_t>(n.loop.carries)) values_.push_back({dtype::int64, false});
    values_.push_back({at(n.inputs[k]).type, false});
  }
  const int round = n.loop.carries, limit = round + 1, length = round + 2;
  const auto first = static_cast<int>(values_.size());
  for (std::size_t k = 0; k < n.loop.reads.size(); ++k) {
    values_.push_back({type, false});
    values_.back().hidden = true;
    n.loop.maps.push_back({0, {}});
    n.loop.along.push_back(1);
  }
  for (const slot& v : values_) program_.inputs.push_back(v.type);
  n.loop.condition = loop_condition(round, limit, false);
  const auto place = [&] {
    const int any = converted(argument(dtype::int64, -1), dtype::int64);
    return computed(op::remainder, dtype::int64, any, length);
  };
  for (int s = 0, k = 0; s <= writes; ++s) {
    for (; k < static_cast<int>(n.loop.reads.size()); ++k) {
      if (n.loop.reads[static_cast<std::size_t>(k)].after != s) break;
      n.loop.by.push_back(place());
      values_[static_cast<std::size_t>(first + k)].hidden = false;
    }
    for (std::uint32_t left = c_.below(4); left > 0; --left) exact_instruction();
    if (s < writes) {
      const int at = place();
      n.loop.writes.push_back({0, 0, at, converted(argument(type, -1), type)});
    }
  }
  for (int k = 0; k < n.loop.carries; ++k) {
    const dtype carried = program_.inputs[static_cast<std::size_t>(k)];
    n.loop.results.push_back(converted(argument(carried, -1), carried));
  }
  n.inputs.push_back(exactly(x));
  n.loop.tables = 1;
  n.program = program_;
  return loop_results(std::move(n), false, 0);
}

/// All outputs of the loop, or some; at least one.
ir::node_id generator::loop_results(ir::node n, bool emits, ir::extent rounds) {
  const ir::shape_t shape = n.shape;
  const ir::loop l = n.loop;
  const auto view = n.program.view();
  std::vector<dtype> types;
  for (int r : l.results) types.push_back(view.value_type(r));
  const ir::node_id table = l.tables > 0 ? n.inputs.back() : -1;
  const ir::node_id from = add(std::move(n), false);
  ir::node_id last = -1;
  for (std::size_t k = 0; k < l.results.size(); ++k) {
    const bool kept = emits && k + 1 == l.results.size();
    if (!kept && !(k + 1 == static_cast<std::size_t>(l.carries) && last < 0) && c_.chance(40)) {
      continue;
    }
    ir::node r;
    r.kind = ir::node_kind::result;
    r.type = types[k];
    r.shape = shape;
    if (kept) r.shape.insert(r.shape.begin(), rounds);
    r.inputs = {from};
    r.value[0] = k;
    last = add(std::move(r), false);
  }
  if (table >= 0 && c_.chance(80)) {
    ir::node r;
    r.kind = ir::node_kind::result;
    r.type = at(table).type;
    r.shape = at(table).shape;
    r.inputs = {from};
    r.value[0] = l.results.size();
    last = add(std::move(r), false);
  }
  return last;
}

}  // namespace sinter::fuzz

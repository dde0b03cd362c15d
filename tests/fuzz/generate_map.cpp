// Maps: scalar programs of any op and type.
#include <algorithm>
#include <array>
#include <cstring>

#include "ir/formula.hpp"
#include "tests/fuzz/generator.hpp"

namespace sinter::fuzz {
namespace {

using ir::op;

constexpr op common[] = {op::add,     op::multiply, op::subtract, op::maximum, op::where,
                         op::less,    op::negative, op::abs,      op::divide,  op::minimum,
                         op::bitwise_and, op::square, op::equal,  op::sqrt,    op::floor};

constexpr op smooth[] = {op::add,     op::multiply, op::subtract, op::maximum, op::negative,
                         op::divide,  op::abs,      op::minimum,  op::square,  op::sqrt,
                         op::exp,     op::tanh,     op::sigmoid,  op::sin,     op::cos,
                         op::log1p,   op::where,    op::clip,     op::fma,     op::reciprocal,
                         op::real,    op::imag,     op::conj,     op::atan,    op::positive};

const std::vector<op>& public_ops() {
  static const std::vector<op> list = [] {
    std::vector<op> all;
    for (int i = 0; i < ir::op_count; ++i) {
      const auto code = static_cast<op>(i);
      if (!(ir::info(code).traits & ir::internal)) all.push_back(code);
    }
    return all;
  }();
  return list;
}

}  // namespace

bool exact_op(op code, dtype type) {
  static std::array<std::array<signed char, dtype_count>, ir::op_count> known{};
  if (static_cast<int>(code) >= ir::op_count) return true;
  signed char& k = known[static_cast<std::size_t>(code)][static_cast<std::size_t>(type)];
  if (k == 0) k = ir::is_exact(code, type) ? 1 : -1;
  return k == 1;
}

bool smooth_op(op code) { return std::ranges::find(smooth, code) != std::end(smooth); }

op generator::pick_op(bool is_smooth) {
  if (is_smooth && !c_.chance(5)) return c_.pick(smooth);
  if (!c_.chance(60)) return c_.pick(common);
  return c_.pick(std::span<const op>(public_ops()));
}

/// Converts a value of the program; approximate ones keep their type if possible.
int generator::converted(int value, dtype to) {
  const slot from = values_[static_cast<std::size_t>(value)];
  if (from.type == to) return value;
  program_.code.push_back({op::cast, from.type, to, {static_cast<std::int16_t>(value), -1, -1}});
  values_.push_back({to, from.approximate});
  return static_cast<int>(values_.size()) - 1;
}

/// A value in the given type; one of the last, if possible.
int generator::argument(dtype type, int not_this) {
  int v = 0;
  for (int tries = 0; tries < 4; ++tries) {
    const auto n = static_cast<std::uint32_t>(values_.size());
    v = static_cast<int>(n - 1 - c_.below(n));
    const bool jumps = values_[static_cast<std::size_t>(v)].approximate && !is_inexact(type);
    if (!jumps && v != not_this && !values_[static_cast<std::size_t>(v)].hidden) break;
  }
  if (values_[static_cast<std::size_t>(v)].hidden) v = 0;
  return v;
}

bool generator::try_instruction() {
  const int first = argument(dtype::float32, -1);
  const slot a = values_[static_cast<std::size_t>(first)];
  const op code = pick_op(a.approximate);
  const int n = ir::info(code).arity;
  const bool picks = ir::info(code).traits & ir::first_bool;
  int second = n > 1 ? argument(a.type, first) : -1;
  dtype type = a.type;
  if (second >= 0) type = promote(type, values_[static_cast<std::size_t>(second)].type);
  type = ir::operand_type(code, type);
  if (!ir::accepts(code, type)) return false;
  int args[3] = {first, second, -1};
  if (n > 2) args[2] = argument(type, second);
  if (picks) std::rotate(args, args + 2, args + 3);
  bool approximate = !exact_op(code, type);
  for (int k = 0; k < n; ++k) {
    args[k] = converted(args[k], ir::argument_type(code, type, k));
    approximate |= values_[static_cast<std::size_t>(args[k])].approximate;
  }
  ir::instruction i{code, type, ir::result_type(code, type), {-1, -1, -1}};
  for (int k = 0; k < n; ++k) i.args[k] = static_cast<std::int16_t>(args[k]);
  program_.code.push_back(i);
  values_.push_back({i.result, approximate});
  return true;
}

void generator::instruction() {
  for (int tries = 0; tries < 6; ++tries) {
    if (try_instruction()) return;
  }
}

void generator::last_conversion() {
  if (!c_.chance(25)) return;
  const slot last = values_.back();
  const dtype to = pick_type();
  if (last.approximate && !is_inexact(to)) return;
  converted(static_cast<int>(values_.size()) - 1, to);
}

ir::node_id generator::map(ir::node_id first) {
  ir::node n;
  n.kind = ir::node_kind::map;
  n.shape = at(first).shape;
  n.inputs = {first};
  for (std::uint32_t more = c_.below(3); more > 0; --more) {
    const ir::node_id x = pick_array();
    n.inputs.push_back(at(x).shape.empty() ? x : conform(x, at(x).type, n.shape));
  }
  for (std::uint32_t more = c_.below(3); more > 0; --more) {
    const dtype type = c_.chance(50) ? pick_type() : at(first).type;
    n.inputs.push_back(c_.chance(30) && !is_complex(type) ? exponent(type) : scalar(type));
  }
  program_ = {};
  values_.clear();
  for (ir::node_id i : n.inputs) {
    program_.inputs.push_back(at(i).type);
    values_.push_back({at(i).type, approximate(i)});
  }
  for (std::uint32_t left = 1 + c_.below(c_.chance(20) ? 10 : 3); left > 0; --left) instruction();
  last_conversion();
  if (program_.code.empty()) return first;
  n.program = program_;
  n.type = values_.back().type;
  return add(std::move(n), values_.back().approximate);
}

/// Typical exponents: some become other ops.
ir::node_id generator::exponent(dtype type) {
  constexpr double values[] = {2, 3, 1, 0.5, -1, 0};
  ir::node n;
  n.kind = ir::node_kind::scalar;
  n.type = type;
  const double value = c_.pick(values);
  with_type(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (!std::is_same_v<T, bool>) {
      const T e(value);
      std::memcpy(n.value, &e, sizeof e);
    }
  });
  return add(std::move(n), false);
}

ir::node_id generator::cast(ir::node_id x, dtype to) {
  if (at(x).type == to) return x;
  ir::node n;
  n.kind = ir::node_kind::map;
  n.type = to;
  n.shape = at(x).shape;
  n.inputs = {x};
  n.program.inputs = {at(x).type};
  n.program.code = {{op::cast, at(x).type, to, {0, -1, -1}}};
  return add(std::move(n), approximate(x));
}

ir::node_id generator::apply(op code, std::vector<ir::node_id> args) {
  const ir::shape_t shape = at(args[0]).shape;
  dtype type = at(args[ir::info(code).traits & ir::first_bool ? 1 : 0]).type;
  type = ir::operand_type(code, type);
  if (!ir::accepts(code, type)) type = dtype::float32;
  ir::node n;
  n.kind = ir::node_kind::map;
  n.type = ir::result_type(code, type);
  n.shape = shape;
  ir::instruction i{code, type, n.type, {-1, -1, -1}};
  bool inexact = !exact_op(code, type);
  for (std::size_t k = 0; k < args.size(); ++k) {
    const dtype wanted = ir::argument_type(code, type, static_cast<int>(k));
    const bool scalar = at(args[k]).shape.empty();
    const ir::node_id x = scalar ? cast(args[k], wanted) : conform(args[k], wanted, shape);
    inexact |= approximate(x);
    n.inputs.push_back(x);
    n.program.inputs.push_back(wanted);
    i.args[k] = static_cast<std::int16_t>(k);
  }
  n.program.code = {i};
  return add(std::move(n), inexact);
}

}  // namespace sinter::fuzz

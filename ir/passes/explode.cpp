#include "ir/passes/explode.hpp"

#include <bit>

namespace sinter::ir {

namespace {

double as_double(dtype t, std::uint64_t bits) {
  switch (t) {
    case dtype::float32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case dtype::float64:
      return std::bit_cast<double>(bits);
    case dtype::int8:
      return static_cast<std::int8_t>(bits);
    case dtype::int16:
      return static_cast<std::int16_t>(bits);
    case dtype::int32:
      return static_cast<std::int32_t>(bits);
    case dtype::int64:
      return static_cast<double>(static_cast<std::int64_t>(bits));
    default:
      return static_cast<double>(bits);
  }
}

/// Exponents for which products, roots and quotients are within 2 ulp, as pow is: x^6 would be 2.5.
/// Products of integers are always exact.
struct exponent_row {
  double exponent;
  bool of_integers;
};
constexpr exponent_row exponents[] = {{1, true},   {2, true},     {3, true}, {0.5, false},
                                      {-1, false}, {4, true},     {5, true}, {-2, false},
                                      {-0.5, false}, {1.5, false}};

int exponent_class(dtype type, std::uint64_t bits) {
  if (is_complex(type) || is_half(type) || is_bool(type)) return 0;
  const double e = as_double(type, bits);
  for (std::size_t k = 0; k < std::size(exponents); ++k) {
    const exponent_row& row = exponents[k];
    if (e == row.exponent && (row.of_integers || is_real(type))) return static_cast<int>(k) + 1;
  }
  return 0;
}

int divisor_class(dtype type, std::uint64_t bits) {
  if (!is_integer(type)) return 0;
  const std::uint64_t value = bits & (~std::uint64_t{0} >> (64 - 8 * size_of(type)));
  const bool negative = is_signed(type) && (value >> (8 * size_of(type) - 1)) != 0;
  return !negative && std::has_single_bit(value) ? 1 : 0;
}

/// 1 for a shift by less than the width.
int shift_class(dtype type, std::uint64_t bits) {
  if (!is_integer(type)) return 0;
  const std::uint64_t width = 8 * size_of(type);
  return (bits & (~std::uint64_t{0} >> (64 - width))) < width ? 1 : 0;
}

/// 1 for a number next to which no case decides between two zeros or two NaNs.
int bound_class(dtype type, std::uint64_t bits) {
  if (!is_real(type) || is_half(type)) return 0;
  const double bound = as_double(type, bits);
  return bound < 0 || bound > 0 ? 1 : 0;
}

/// Rewrites one map node into `out`, op by op.
class exploder {
 public:
  exploder(graph& out, const node& n, std::vector<node_id> inputs)
      : out_(out), n_(n), values_(std::move(inputs)) {}

  node_id run() {
    for (const instruction& i : n_.program.code) values_.push_back(one(i));
    const node_id last = values_.back();
    return out_[last].shape == n_.shape ? last : spread(last);
  }

 private:
  node_id map(op code, dtype type, dtype result, std::vector<node_id> args) {
    node m;
    m.kind = node_kind::map;
    m.type = result;
    m.origin = n_.origin;
    instruction i{code, type, result, {-1, -1, -1}};
    for (std::size_t k = 0; k < args.size(); ++k) {
      i.args[k] = static_cast<std::int16_t>(k);
      m.program.inputs.push_back(out_[args[k]].type);
      if (!out_[args[k]].shape.empty()) m.shape = out_[args[k]].shape;
    }
    m.program.code = {i};
    m.inputs = std::move(args);
    return out_.add(std::move(m));
  }

  node_id one(const instruction& i) {
    std::vector<node_id> args;
    for (int k = 0; k < arity(i); ++k) args.push_back(values_[static_cast<std::size_t>(i.args[k])]);
    if (args.size() == 2) {
      if (const int as = class_of(i, args[1]); as > 0) return by_scalar(as, i, args);
    }
    if (i.code == op::clip && class_of(i, args[1]) + class_of(i, args[2]) > 0) {
      const node_id above = bounded(op::maximum, i, {args[0], args[1]});
      return bounded(op::minimum, i, {above, args[2]});
    }
    return map(i.code, i.type, i.result, std::move(args));
  }

  int class_of(const instruction& i, node_id operand) const {
    const node& x = out_[operand];
    return x.kind == node_kind::scalar ? scalar_class(i.code, i.type, x.value[0]) : 0;
  }

  node_id bounded(op code, instruction i, const std::vector<node_id>& args) {
    i.code = code;
    const int as = class_of(i, args[1]);
    return as > 0 ? by_scalar(as, i, args) : map(code, i.type, i.result, args);
  }

  node_id by_scalar(int as, const instruction& i, const std::vector<node_id>& args) {
    switch (i.code) {
      case op::pow: return power(as, i.type, args[0]);
      case op::maximum: return map(op::larger, i.type, i.result, args);
      case op::minimum: return map(op::smaller, i.type, i.result, args);
      case op::bitwise_left_shift: return map(op::shift_left, i.type, i.result, args);
      case op::bitwise_right_shift: return map(op::shift_right, i.type, i.result, args);
      default: return by_power_of_two(i, args);
    }
  }

  /// REQUIRES: the number is a row of `exponents`.
  node_id power(int number, dtype t, node_id x) {
    const auto times = [&](node_id a, node_id b) { return map(op::multiply, t, t, {a, b}); };
    const auto square = [&](node_id a) { return map(op::square, t, t, {a}); };
    switch (number) {
      case 1: return x;
      case 2: return square(x);
      case 3: return times(square(x), x);
      case 4: return root(t, x);
      case 5: return map(op::reciprocal, t, t, {x});
      case 6: return square(square(x));
      case 7: return times(square(square(x)), x);
      case 8: return square(map(op::reciprocal, t, t, {x}));
      case 9: return map(op::reciprocal, t, t, {root(t, x)});
      default: return times(map(op::abs, t, t, {x}), root(t, x));
    }
  }

  /// -b has ones down to b's bit, so ~-b has the bits below it.
  node_id by_power_of_two(const instruction& i, const std::vector<node_id>& args) {
    const dtype t = i.type;
    const node_id below =
        map(op::bitwise_invert, t, t, {map(op::negative, t, t, {args[1]})});
    if (i.code == op::remainder) return map(op::bitwise_and, t, t, {args[0], below});
    return map(op::shift_right, t, t, {args[0], map(op::popcount, t, t, {below})});
  }

  /// x to the power 0.5 is the square root, except for two values: for -0 it is 0, for -inf it is
  /// inf.
  node_id root(dtype t, node_id x) {
    const node_id positive = map(op::abs, t, t, {map(op::sqrt, t, t, {x})});
    const node_id infinite = map(op::isinf, t, dtype::bool_, {x});
    return map(op::where, t, t, {infinite, map(op::abs, t, t, {x}), positive});
  }

  node_id spread(node_id scalar) {
    node v;
    v.kind = node_kind::view;
    v.type = out_[scalar].type;
    v.shape = n_.shape;
    v.inputs = {scalar};
    v.map.strides.assign(n_.shape.size(), 0);
    v.origin = n_.origin;
    return out_.add(std::move(v));
  }

  graph& out_;
  const node& n_;
  std::vector<node_id> values_;
};

}  // namespace

int scalar_class(op code, dtype type, std::uint64_t bits) {
  if (code == op::pow) return exponent_class(type, bits);
  if (code == op::remainder || code == op::floor_divide) return divisor_class(type, bits);
  if (code == op::maximum || code == op::minimum || code == op::clip) {
    return bound_class(type, bits);
  }
  if (code == op::bitwise_left_shift || code == op::bitwise_right_shift) {
    return shift_class(type, bits);
  }
  return 0;
}

graph explode(const graph& g) {
  graph out;
  out.origins = g.origins;
  std::vector<node_id> id;
  for (const node& n : g.nodes) {
    std::vector<node_id> inputs;
    for (node_id i : n.inputs) inputs.push_back(id[static_cast<std::size_t>(i)]);
    if (n.kind == node_kind::map) {
      id.push_back(exploder(out, n, std::move(inputs)).run());
      continue;
    }
    node copy = n;
    copy.inputs = std::move(inputs);
    id.push_back(out.add(std::move(copy)));
  }
  for (node_id o : g.outputs) out.outputs.push_back(id[static_cast<std::size_t>(o)]);
  return out;
}

}  // namespace sinter::ir

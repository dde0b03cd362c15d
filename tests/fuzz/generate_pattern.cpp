// Reductions, and common shapes of graphs.
#include <algorithm>
#include <numeric>

#include "ir/index_expr.hpp"
#include "tests/fuzz/generator.hpp"

namespace sinter::fuzz {
namespace {

using ir::op;

constexpr op combiners[] = {op::add,         op::maximum,     op::minimum,     op::multiply,
                            op::add,         op::logical_and, op::logical_or,  op::logical_xor,
                            op::bitwise_and, op::bitwise_or,  op::bitwise_xor};

bool combines(op code, dtype type) {
  if (is_half(type) || !ir::accepts(code, type)) return false;
  return !is_complex(type) || code == op::add;
}

}  // namespace

std::vector<int> generator::pick_axes(const ir::shape_t& shape) {
  const auto rank = static_cast<std::uint32_t>(shape.size());
  std::vector<int> axes;
  if (c_.chance(50)) {
    axes = {static_cast<int>(rank - 1 - c_.below(rank))};
  } else if (c_.chance(30)) {
    axes.resize(rank);
    std::iota(axes.begin(), axes.end(), 0);
  } else {
    for (std::uint32_t d = 0; d < rank; ++d) {
      if (c_.chance(50)) axes.push_back(static_cast<int>(d));
    }
    if (axes.empty()) axes = {0};
  }
  return axes;
}

ir::node_id generator::reduced(op code, bool arg, std::vector<int> axes, ir::node_id x) {
  ir::node n;
  n.kind = ir::node_kind::reduce;
  n.type = arg ? dtype::int64 : at(x).type;
  for (std::size_t d = 0; d < at(x).shape.size(); ++d) {
    if (std::ranges::find(axes, static_cast<int>(d)) == axes.end()) {
      n.shape.push_back(at(x).shape[d]);
    }
  }
  n.inputs = {x};
  n.reduction = {code, arg, std::move(axes)};
  const bool rounds = is_inexact(at(x).type) && (code == op::add || code == op::multiply);
  return add(std::move(n), rounds || approximate(x));
}

ir::node_id generator::reduce(ir::node_id x) {
  if (at(x).shape.empty()) return map(x);
  if (is_half(at(x).type)) x = cast(x, dtype::float32);
  const std::vector<int> axes = pick_axes(at(x).shape);
  const dtype type = at(x).type;
  const bool ordered = !is_complex(type), some = ir::size_of(at(x).shape) > 0;
  if (ordered && some && !approximate(x) && c_.chance(20)) {
    return reduced(c_.chance(50) ? op::minimum : op::maximum, true, axes, x);
  }
  for (int tries = 0; tries < 8; ++tries) {
    const op code = c_.pick(combiners);
    if (combines(code, type)) return reduced(code, false, axes, x);
  }
  return reduced(is_bool(type) ? op::logical_or : op::add, false, axes, x);
}

/// A scan of x, of its reversal, or of another scan's result.
ir::node_id generator::scan(ir::node_id x) {
  if (at(x).shape.empty()) return map(x);
  if (is_half(at(x).type)) x = cast(x, dtype::float32);
  if (c_.chance(30)) x = map(x);
  if (is_half(at(x).type)) x = cast(x, dtype::float32);
  ir::node n;
  n.kind = ir::node_kind::scan;
  n.type = at(x).type;
  n.shape = at(x).shape;
  n.inputs = {x};
  op code = is_bool(n.type) ? op::logical_or : op::add;
  for (int tries = 0; tries < 8; ++tries) {
    const op other = c_.pick(combiners);
    if (!combines(other, n.type)) continue;
    code = other;
    break;
  }
  const auto rank = static_cast<std::uint32_t>(n.shape.size());
  n.reduction = {code, false, {static_cast<int>(rank - 1 - c_.below(rank))}};
  const bool rounds = is_inexact(n.type) && (code == op::add || code == op::multiply);
  const ir::node_id s = add(std::move(n), rounds || approximate(x));
  if (c_.chance(50)) return s;
  return c_.chance(30) && !at(s).shape.empty() ? scan(s) : map(s);
}

/// A reduction of x, broadcast to x's shape.
ir::node_id generator::along(op code, ir::node_id x, const std::vector<int>& axes) {
  const ir::node_id r = reduced(code, false, axes, x);
  const ir::shape_t shape = at(x).shape;
  const auto strides = ir::dense_strides(at(r).shape);
  ir::index_map map{0, std::vector<ir::extent>(shape.size(), 0)};
  std::size_t k = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (std::ranges::find(axes, static_cast<int>(d)) == axes.end()) map.strides[d] = strides[k++];
  }
  return view_of(r, shape, std::move(map));
}

ir::node_id generator::softmax(ir::node_id x, const std::vector<int>& axes) {
  const ir::node_id e = apply(op::exp, {apply(op::subtract, {x, along(op::maximum, x, axes)})});
  return apply(op::divide, {e, along(op::add, e, axes)});
}

ir::node_id generator::normalised(ir::node_id x, const std::vector<int>& axes) {
  const ir::node_id count = scalar(at(x).type), centred =
      apply(op::subtract, {x, apply(op::divide, {along(op::add, x, axes), count})});
  const ir::node_id squares = along(op::add, apply(op::square, {centred}), axes);
  if (c_.chance(30)) return squares;
  return apply(op::divide, {centred, apply(op::sqrt, {squares})});
}

/// Sums of neighbours along an axis, perhaps several times.
ir::node_id generator::stencil(ir::node_id x) {
  for (std::uint32_t rounds = 1 + c_.below(3); rounds > 0; --rounds) {
    const ir::shape_t from = at(x).shape;
    const std::size_t axis = c_.below(static_cast<std::uint32_t>(from.size()));
    const ir::extent points = 2 + c_.below(2);
    if (from[axis] < points) break;
    ir::shape_t shape = from;
    shape[axis] -= points - 1;
    const auto strides = ir::dense_strides(from);
    const auto shifted = [&](ir::extent by) {
      return view_of(x, shape, {by * strides[axis], strides});
    };
    ir::node_id sum = apply(op::add, {shifted(0), shifted(1)});
    if (points > 2) sum = apply(op::add, {sum, shifted(2)});
    x = sum;
  }
  return x;
}

/// x = x * x + x, repeatedly.
ir::node_id generator::chain(ir::node_id x) {
  const ir::node_id start = x;
  if (c_.chance(20) && !is_complex(at(x).type) && !is_bool(at(x).type)) {
    return apply(op::pow, {x, exponent(compute_of(at(x).type))});
  }
  for (std::uint32_t left = 1 + c_.below(6); left > 0; --left) {
    const op code = is_bool(at(x).type) ? op::logical_xor : op::multiply;
    const op other = is_bool(at(x).type) ? op::logical_and : op::add;
    x = apply(other, {apply(code, {x, x}), c_.chance(30) ? start : x});
  }
  return x;
}

/// Two arrays written next to each other into a third.
ir::node_id generator::joined(ir::node_id x) {
  const ir::extent n = ir::size_of(at(x).shape);
  ir::node_id base = source(at(x).type, {2 * n});
  for (int half = 0; half < 2; ++half) {
    const ir::node_id part = half == 0 ? x : pick_array();
    ir::node u;
    u.kind = ir::node_kind::update;
    u.type = at(base).type;
    u.shape = at(base).shape;
    u.map = {n > 0 ? half * n : ir::extent(0), {1}};
    const ir::node_id value = conform(part, u.type, {n});
    u.inputs = {base, value};
    base = add(std::move(u), approximate(base) || approximate(value));
  }
  return base;
}

ir::node_id generator::barrier(ir::node_id x) {
  if (at(x).kind == ir::node_kind::scalar) return x;
  ir::node n;
  n.kind = ir::node_kind::call;
  n.routine = ir::barrier;
  n.type = at(x).type;
  n.shape = at(x).shape;
  n.inputs = {x};
  return add(std::move(n), approximate(x));
}

ir::node_id generator::pattern(ir::node_id x) {
  if (at(x).shape.empty()) return view(x);
  const std::uint32_t which = c_.below(8);
  if (which == 0) return chain(x);
  if (which == 1) return stencil(x);
  if (which == 2) return joined(x);
  if (which == 6) return sweeps(x);
  if (which == 7) return looked_up(x);
  const std::vector<int> axes = pick_axes(at(x).shape);
  if (which == 3) {  // siblings
    if (is_half(at(x).type)) x = cast(x, dtype::float32);
    if (is_complex(at(x).type)) x = apply(op::real, {x});
    reduced(op::maximum, false, axes, x);
    return reduced(is_bool(at(x).type) ? op::logical_and : op::add, false, axes, x);
  }
  if (!is_inexact(at(x).type) || is_half(at(x).type)) x = cast(x, dtype::float32);
  if (is_complex(at(x).type)) x = apply(op::imag, {x});
  return which == 4 ? softmax(x, axes) : normalised(x, axes);
}

}  // namespace sinter::fuzz

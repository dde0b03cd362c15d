#include "engine/shape/join.hpp"

#include <algorithm>

#include <sinter/operators.hpp>

#include "engine/indexing/gather.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {
namespace {

using extents = std::vector<std::int64_t>;

/// The conditions a kernel may evaluate per element of a join: more pieces are joined in parts.
/// Equal pieces that are stored need none (stored_joins).
constexpr std::size_t most_pieces = 12, most_equal_pieces = short_axis;

/// The parts that one kernel selects among, if there are few elements; with more parts or elements,
/// a kernel writes each part in place. 200 states of three numbers were one kernel that LLVM
/// compiled for 3.7 s; 25 windows of 148 x 172 as a last axis took 4.7 ms, in dozens 0.24.
constexpr std::size_t most_parts = 4;
constexpr std::int64_t few_elements = 4096;

/// The coordinate along an axis, at every point of a shape.
array<std::int64_t> coordinate(const extents& shape, std::size_t axis, location where) {
  const std::int64_t line[] = {shape[axis]};
  element_map along{0, extents(shape.size(), 0)};
  along.strides[axis] = 1;
  return array<std::int64_t>(make_view(make_iota(line, where), shape, std::move(along), where));
}

/// A position where a piece begins or ends along an axis of `extent`.
array<std::int64_t> border(std::int64_t extent, std::int64_t n, location where) {
  if (extent <= short_axis) return array<std::int64_t>(make_place(n, where));
  const auto number = static_cast<std::uint64_t>(n);
  return array<std::int64_t>(make_scalar({{number, 0}}, dtype::int64, where));
}

using few_numbers = inline_vector<std::int64_t, 4>;

few_numbers strides_of(shape_view shape) {
  few_numbers strides;
  strides.resize(shape.size(), 0);
  write_dense_strides(shape, strides.data());
  return strides;
}

/// The part of a base that an array shows.
struct part {
  any_array base;
  element_map map;
  few_numbers shape;
};

part all_of(const any_array& x) {
  auto [base, map] = base_of(x);
  return {std::move(base), std::move(map), few_numbers(x.extents())};
}

/// The only axis along which a part shifts, mirrors or repeats its base's elements, given that its
/// first element is at `low` in an array of shape `to`; -1 if there is none.
std::int8_t moves_along(const part& p, shape_view low, shape_view to) {
  const auto from = p.base.extents();
  if (p.base.size() == 0 || from.size() != to.size() || to.empty()) return -1;
  const few_numbers apart = strides_of(from);
  std::size_t axis = 0, moved = 0;
  for (std::size_t d = 0; d < to.size(); ++d) {
    const std::int64_t start = p.map.offset / apart[d] % from[d] - low[d];
    if (start == 0 && from[d] == to[d] && p.map.strides[d] == apart[d]) continue;
    axis = d;
    ++moved;
  }
  if (moved > 1 || p.map.strides[axis] % apart[axis] != 0) return -1;
  // A window over rows steps by whole rows along its last axis, which is no step along the base's.
  const std::int64_t first = p.map.offset / apart[axis] % from[axis],
                     last = first + p.map.strides[axis] / apart[axis] * (p.shape[axis] - 1);
  return last >= 0 && last < from[axis] ? static_cast<std::int8_t>(axis) : std::int8_t{-1};
}

/// The axis of the base that each axis of a part follows; an axis of extent 1 goes next to its
/// neighbour. Empty if some axis follows none, or all have extent 1.
std::vector<std::size_t> axes_of(const part& p) {
  constexpr auto unknown = static_cast<std::size_t>(-1);
  const auto from = p.base.extents();
  const few_numbers &to = p.shape, apart = strides_of(from);
  std::vector<std::size_t> axes(to.size(), unknown);
  for (std::size_t v = 0; v < to.size(); ++v) {
    if (to[v] == 1) continue;
    const auto goes = [&](std::size_t d) {
      const std::int64_t start = p.map.offset / apart[d] % from[d], by = p.map.strides[v];
      const std::int64_t last = start + by / apart[d] * (to[v] - 1);
      return by != 0 && by % apart[d] == 0 && last >= 0 && last < from[d];
    };
    std::size_t d = 0;
    while (d < from.size() && !goes(d)) ++d;
    if (d == from.size()) return {};
    axes[v] = d;
  }
  for (std::size_t v = to.size() - 1; v-- > 0;) {
    if (axes[v] == unknown && axes[v + 1] != unknown && axes[v + 1] > 0) axes[v] = axes[v + 1] - 1;
  }
  for (std::size_t v = 1; v < to.size(); ++v) {
    if (axes[v] == unknown && axes[v - 1] != unknown) axes[v] = axes[v - 1] + 1;
  }
  for (std::size_t v = 0; v < to.size(); ++v) {
    if (axes[v] >= from.size() || (v > 0 && axes[v] <= axes[v - 1])) return {};
  }
  return axes;
}

/// Rewrites a part of a higher-rank base as a part of a slice without the missing axes. A pad
/// records the axis it moves along only if both have the same rank, and plans can follow slices.
void slice_first(part& p, location where) {
  const std::vector<std::size_t> axes = axes_of(p);
  if (axes.empty()) return;
  const auto from = p.base.extents();
  const few_numbers apart = strides_of(from);
  few_numbers shape;
  element_map slice{p.map.offset, {}};
  for (std::size_t d : axes) {
    shape.push_back(from[d]);
    slice.strides.push_back(apart[d]);
    slice.offset -= p.map.offset / apart[d] % from[d] * apart[d];
  }
  const few_numbers within = strides_of(shape);
  element_map map{0, {}};
  for (std::size_t v = 0; v < axes.size(); ++v) {
    const std::size_t d = axes[v];
    map.offset += p.map.offset / apart[d] % from[d] * within[v];
    map.strides.push_back(p.map.strides[v] / apart[d] * within[v]);
  }
  p.base = make_view(p.base, shape, std::move(slice), where);
  p.map = std::move(map);
}

/// Expresses the part by the coordinates of a pad of shape `to` whose first element is at `low`.
void place(part& p, shape_view low, shape_view to, location where) {
  if (p.base.ndim() > static_cast<int>(p.shape.size()) && p.base.size() > 0) slice_first(p, where);
  p.map.along = moves_along(p, low, to);
  for (std::size_t d = 0; d < low.size(); ++d) {
    // The only element along this axis is where the pad's condition holds, so the stride can be 0:
    // then no coordinate is divided. With a stride, a stack of three cross products had 18
    // quotients at each element.
    if (p.map.along < 0 && p.shape[d] == 1) p.map.strides[d] = 0;
    p.map.offset -= low[d] * p.map.strides[d];
  }
}

std::int64_t extent_of(const std::vector<any_array>& pieces, std::size_t axis) {
  std::int64_t n = 0;
  for (const any_array& p : pieces) n += p.extents()[axis];
  return n;
}

/// REQUIRES: no part is empty; all have the extents of `shape`, except along the axis.
any_array join_parts(std::span<part> parts, std::size_t axis, shape_view shape, location where) {
  inline_vector<any_array, 4> bases;
  std::vector<joined_piece> pieces;
  pieces.reserve(parts.size());
  few_numbers low;
  low.resize(shape.size(), 0);
  for (part& p : parts) {
    const std::int64_t count = p.shape[axis];
    place(p, low, shape, where);
    bases.push_back(std::move(p.base));
    pieces.push_back({std::move(p.map), low[axis] += count});
  }
  return make_join(bases, std::move(pieces), axis, shape, where);
}

any_array join_few(std::span<const any_array> pieces, std::size_t axis, location where) {
  std::vector<part> parts;
  few_numbers shape(pieces[0].extents());
  shape[axis] = 0;
  for (const any_array& p : pieces) {
    parts.push_back(all_of(p));
    shape[axis] += p.extents()[axis];
  }
  return join_parts(parts, axis, shape, where);
}

/// The number of pieces joined at once.
std::size_t at_once(const std::vector<any_array>& parts, std::size_t axis) {
  const bool equal = std::ranges::all_of(
      parts, [&](const any_array& p) { return p.extents()[axis] == parts[0].extents()[axis]; });
  return equal && parts.size() <= most_equal_pieces ? most_equal_pieces : most_pieces;
}

/// Writes the parts one after another into one array.
any_array write_parts(const std::vector<any_array>& parts, std::size_t axis, const extents& shape,
                      std::string_view op, location where) {
  const any_array none = make_scalar({}, parts[0].dtype(), where);
  any_array result = make_broadcast(none, shape, op, where);
  element_map map{0, dense_strides(shape)};
  for (const any_array& p : parts) {
    result = make_update(result, map, p, where);
    map.offset += p.extents()[axis] * map.strides[axis];
  }
  return result;
}

}  // namespace

any_array choose(const any_array& condition, const any_array& a, const any_array& b,
                 location where) {
  const dtype t = a.dtype(), wide = compute_of(t);
  const any_array either = make_op(
      ir::op::where, {condition, make_cast(a, wide, where), make_cast(b, wide, where)}, where);
  return make_cast(either, t, where);
}

any_array section(const any_array& x, std::size_t axis, std::int64_t first, std::int64_t count,
                  std::int64_t step, location where) {
  extents shape(x.extents().begin(), x.extents().end());
  const auto strides = dense_strides(x.extents());
  element_map map{count > 0 ? first * strides[axis] : 0, strides};
  map.strides[axis] *= step;
  shape[axis] = count;
  return make_view(x, shape, std::move(map), where);
}

any_array surround(const any_array& x, const extents& low, const extents& shape,
                   const any_array& fill, location where) {
  array<bool> inside;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t first = low[d], end = low[d] + x.extents()[d];
    if (first <= 0 && end >= shape[d]) continue;
    const auto at = coordinate(shape, d, where);
    const auto to = [&](std::int64_t n) { return border(shape[d], n, where); };
    const array<bool> here = first <= 0        ? array<bool>(at < to(end))
                             : end >= shape[d] ? array<bool>(at >= to(first))
                                               : array<bool>(at >= to(first) && at < to(end));
    inside = inside.valid() ? array<bool>(inside && here) : here;
  }
  if (!inside.valid()) return x;
  part p = all_of(x);
  place(p, low, shape, where);
  const any_array placed = make_pad(p.base, inside, std::move(p.map), where);
  return fill.valid() ? choose(inside, placed, fill, where) : placed;
}

any_array turned(const any_array& x, std::int64_t by, std::size_t axis, location where) {
  part last = all_of(x);
  part first = last;
  const std::int64_t n = last.shape[axis];
  last.map.offset += (n - by) * last.map.strides[axis];
  last.shape[axis] = by;
  first.shape[axis] = n - by;
  part parts[] = {std::move(last), std::move(first)};
  return join_parts(parts, axis, x.extents(), where);
}

any_array join(const std::vector<any_array>& pieces, std::size_t axis, std::string_view op,
               location where) {
  std::vector<any_array> parts;
  for (const any_array& p : pieces) {
    if (p.extents()[axis] > 0) parts.push_back(p);
  }
  if (parts.empty()) return pieces[0];
  extents shape(parts[0].extents().begin(), parts[0].extents().end());
  shape[axis] = extent_of(parts, axis);
  check_shape(shape, parts[0].dtype(), op, where);
  std::int64_t elements = 1;
  for (const std::int64_t e : shape) elements *= e;
  const std::size_t chosen = elements <= few_elements ? most_parts : 1;
  while (parts.size() > 1) {
    std::vector<any_array> next;
    const std::size_t most = at_once(parts, axis);
    for (std::size_t i = 0; i < parts.size(); i += most) {
      const std::size_t end = std::min(parts.size(), i + most);
      const std::span few = std::span<const any_array>(parts).subspan(i, end - i);
      next.push_back(few.size() == 1 ? few[0] : join_few(few, axis, where));
    }
    parts = std::move(next);
    if (parts.size() > chosen) return write_parts(parts, axis, shape, op, where);
  }
  return parts[0];
}

}  // namespace sinter::detail

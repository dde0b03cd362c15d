#include "engine/shape/join.hpp"

#include <algorithm>

#include <sinter/operators.hpp>

#include "engine/indexing/gather.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {
namespace {

using extents = std::vector<std::int64_t>;

/// Conditions a kernel evaluates for an element of a join: more pieces are joined by parts.
constexpr std::size_t most_pieces = 12;

/// Parts of which an element chooses one; of more, each is written to its place by a kernel. 200
/// states of three numbers were one kernel that LLVM compiled for 3.7 s.
constexpr std::size_t most_parts = 4;

/// The coordinate along an axis, at every point of a shape.
array<std::int64_t> coordinate(const extents& shape, std::size_t axis, location where) {
  const std::int64_t line[] = {shape[axis]};
  element_map along{0, extents(shape.size(), 0)};
  along.strides[axis] = 1;
  return array<std::int64_t>(make_view(make_iota(line, where), shape, std::move(along), where));
}

/// Where a piece begins or ends along an axis. Rows of few places are written out by plans, which
/// then know which piece a place is of, if they know these.
constexpr std::int64_t short_axis = 16;

array<std::int64_t> border(const extents& shape, std::size_t axis, std::int64_t n,
                           location where) {
  if (shape[axis] <= short_axis) return array<std::int64_t>(make_place(n, where));
  const auto number = static_cast<std::uint64_t>(n);
  return array<std::int64_t>(make_scalar({{number, 0}}, dtype::int64, where));
}

/// The axis along which alone a map of x's elements moves, mirrors or repeats what is in order in
/// `base`; -1: none such. The map's offset is an element of the base, `low` what is then gone back.
std::int8_t moves_along(const any_array& base, const element_map& map, const any_array& x,
                        const extents& low, const any_array& inside) {
  const auto from = base.shape(), to = inside.shape();
  if (base.size() == 0 || from.size() != to.size() || to.empty()) return -1;
  const auto apart = dense_strides(from);
  std::size_t axis = 0, moved = 0;
  for (std::size_t d = 0; d < to.size(); ++d) {
    const std::int64_t start = map.offset / apart[d] % from[d] - low[d];
    if (start == 0 && from[d] == to[d] && map.strides[d] == apart[d]) continue;
    axis = d;
    ++moved;
  }
  if (moved > 1 || map.strides[axis] % apart[axis] != 0) return -1;
  // A window over rows goes by whole rows along its last axis, which is no way along the base's.
  const std::int64_t first = map.offset / apart[axis] % from[axis],
                     last = first + map.strides[axis] / apart[axis] * (x.shape()[axis] - 1);
  return last >= 0 && last < from[axis] ? static_cast<std::int8_t>(axis) : std::int8_t{-1};
}

/// The axis of `base` that each axis of a part of it goes along; one of one place goes beside its
/// neighbour. Empty: some axis goes along none, or all have one place.
std::vector<std::size_t> axes_of_part(const any_array& base, const element_map& map,
                                      const any_array& x) {
  constexpr auto unknown = static_cast<std::size_t>(-1);
  const auto from = base.shape(), to = x.shape();
  const auto apart = dense_strides(from);
  std::vector<std::size_t> axes(to.size(), unknown);
  for (std::size_t v = 0; v < to.size(); ++v) {
    if (to[v] == 1) continue;
    const auto goes = [&](std::size_t d) {
      const std::int64_t start = map.offset / apart[d] % from[d];
      const std::int64_t last = start + map.strides[v] / apart[d] * (to[v] - 1);
      return map.strides[v] != 0 && map.strides[v] % apart[d] == 0 && last >= 0 && last < from[d];
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

/// A part of a slice, in terms of the slice, which lacks axes of the base: how a pad moves along an
/// axis shows in a shape of as many axes alone, and what a plan follows are slices.
void slice_first(any_array& base, element_map& map, const any_array& x, location where) {
  const std::vector<std::size_t> axes = axes_of_part(base, map, x);
  if (axes.empty()) return;
  const auto apart = dense_strides(base.shape());
  extents shape;
  element_map slice{map.offset, {}};
  for (std::size_t d : axes) {
    shape.push_back(base.shape()[d]);
    slice.strides.push_back(apart[d]);
    slice.offset -= map.offset / apart[d] % base.shape()[d] * apart[d];
  }
  const auto within = dense_strides(shape);
  element_map part{0, {}};
  for (std::size_t v = 0; v < axes.size(); ++v) {
    const std::size_t d = axes[v];
    part.offset += map.offset / apart[d] % base.shape()[d] * within[v];
    part.strides.push_back(map.strides[v] / apart[d] * within[v]);
  }
  base = make_view(base, shape, std::move(slice), where);
  map = std::move(part);
}

/// x inside an array of another shape, 0 where `inside` is false.
any_array place(const any_array& x, const extents& low, const any_array& inside, location where) {
  auto [base, map] = base_of(x);
  if (base.ndim() > x.ndim() && base.size() > 0) slice_first(base, map, x, where);
  map.along = moves_along(base, map, x, low, inside);
  for (std::size_t d = 0; d < low.size(); ++d) {
    // The only element along the axis is where `inside` holds: without a step, coordinates below
    // are those above. With one, a stack of three cross products had 18 quotients at each element.
    if (map.along < 0 && x.shape()[d] == 1) map.strides[d] = 0;
    map.offset -= low[d] * map.strides[d];
  }
  return make_pad(base, inside, std::move(map), where);
}

std::int64_t extent_of(const std::vector<any_array>& pieces, std::size_t axis) {
  std::int64_t n = 0;
  for (const any_array& p : pieces) n += p.shape()[axis];
  return n;
}

any_array join_few(const std::vector<any_array>& pieces, std::size_t axis, location where) {
  extents shape(pieces[0].shape().begin(), pieces[0].shape().end());
  shape[axis] = extent_of(pieces, axis);
  const auto at = coordinate(shape, axis, where);
  any_array result;
  std::int64_t start = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::int64_t end = start + pieces[i].shape()[axis];
    extents low(shape.size(), 0);
    low[axis] = start;
    const bool first = i == 0, last = i + 1 == pieces.size();
    const auto here = [&](std::int64_t n) { return border(shape, axis, n, where); };
    const array<bool> after = first ? array<bool>() : array<bool>(at >= here(start));
    const array<bool> inside = first  ? array<bool>(at < here(end))
                               : last ? after
                                      : array<bool>(after && at < here(end));
    const any_array piece = place(pieces[i], low, inside, where);
    result = first ? piece : choose(after, piece, result, where);
    start = end;
  }
  return result;
}

/// Parts written one behind the other.
any_array write_parts(const std::vector<any_array>& parts, std::size_t axis, const extents& shape,
                      std::string_view op, location where) {
  const any_array none = make_scalar({}, parts[0].dtype(), where);
  any_array result = make_broadcast(none, shape, op, where);
  element_map map{0, dense_strides(shape)};
  for (const any_array& p : parts) {
    result = make_update(result, map, p, where);
    map.offset += p.shape()[axis] * map.strides[axis];
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
  extents shape(x.shape().begin(), x.shape().end());
  const auto strides = dense_strides(x.shape());
  element_map map{count > 0 ? first * strides[axis] : 0, strides};
  map.strides[axis] *= step;
  shape[axis] = count;
  return make_view(x, shape, std::move(map), where);
}

any_array surround(const any_array& x, const extents& low, const extents& shape,
                   const any_array& fill, location where) {
  array<bool> inside;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t first = low[d], end = low[d] + x.shape()[d];
    if (first <= 0 && end >= shape[d]) continue;
    const auto at = coordinate(shape, d, where);
    const auto to = [&](std::int64_t n) { return border(shape, d, n, where); };
    const array<bool> here = first <= 0        ? array<bool>(at < to(end))
                             : end >= shape[d] ? array<bool>(at >= to(first))
                                               : array<bool>(at >= to(first) && at < to(end));
    inside = inside.valid() ? array<bool>(inside && here) : here;
  }
  if (!inside.valid()) return x;
  const any_array placed = place(x, low, inside, where);
  return fill.valid() ? choose(inside, placed, fill, where) : placed;
}

any_array join(const std::vector<any_array>& pieces, std::size_t axis, std::string_view op,
               location where) {
  std::vector<any_array> parts;
  for (const any_array& p : pieces) {
    if (p.shape()[axis] > 0) parts.push_back(p);
  }
  if (parts.empty()) return pieces[0];
  extents shape(parts[0].shape().begin(), parts[0].shape().end());
  shape[axis] = extent_of(parts, axis);
  check_shape(shape, parts[0].dtype(), op, where);
  while (parts.size() > 1) {
    std::vector<any_array> next;
    for (std::size_t i = 0; i < parts.size(); i += most_pieces) {
      const std::size_t end = std::min(parts.size(), i + most_pieces);
      const std::vector<any_array> few(parts.begin() + static_cast<std::ptrdiff_t>(i),
                                       parts.begin() + static_cast<std::ptrdiff_t>(end));
      next.push_back(few.size() == 1 ? few[0] : join_few(few, axis, where));
    }
    parts = std::move(next);
    if (parts.size() > most_parts) return write_parts(parts, axis, shape, op, where);
  }
  return parts[0];
}

}  // namespace sinter::detail

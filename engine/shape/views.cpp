#include <sinter/views.hpp>

#include <algorithm>
#include <numeric>

#include "engine/nodes/axes.hpp"
#include "engine/nodes/node.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {
namespace {

using extents = std::vector<std::int64_t>;

/// Short orders need no heap.
using axis_order = inline_vector<int, 8>;

/// A view whose axis i is axis `axes[i]` of x.
any_array reorder(const any_array& x, std::span<const int> axes, location where) {
  const auto from = x.extents();
  inline_vector<std::int64_t, 8> strides, shape;
  for (std::size_t d = 0; d < from.size(); ++d) strides.push_back(0);
  write_dense_strides(from, strides.data());
  element_map map;
  map.strides.reserve(from.size());
  for (int a : axes) {
    shape.push_back(from[static_cast<std::size_t>(a)]);
    map.strides.push_back(strides[static_cast<std::size_t>(a)]);
  }
  return make_view(x, shape, std::move(map), where);
}

axis_order all_axes(const any_array& x) {
  axis_order axes;
  for (int d = 0; d < x.ndim(); ++d) axes.push_back(d);
  return axes;
}

}  // namespace

std::vector<int> distinct_axes(shape_view axes, int ndim, std::string_view op, location where) {
  std::vector<int> result;
  for (std::int64_t axis : axes) {
    const int a = normalize_axis(axis, ndim, op, where);
    if (std::ranges::find(result, a) != result.end()) {
      fail<axis_error>(error_code::bad_axis, op,
                       "axis " + std::to_string(a) + " is given twice", where);
    }
    result.push_back(a);
  }
  return result;
}

any_array permute(const any_array& x, shape_view axes, std::string_view op, location where) {
  checked(x, op, where);
  const auto order = distinct_axes(axes, x.ndim(), op, where);
  if (order.size() != x.extents().size()) {
    fail<axis_error>(error_code::bad_axis, op,
                     std::to_string(axes.size()) + " axes for an array of " +
                         std::to_string(x.ndim()) + " dimensions",
                     where);
  }
  return reorder(x, order, where);
}

any_array reverse_axes(const any_array& x, location where) {
  checked(x, "transpose", where);
  auto axes = all_axes(x);
  std::ranges::reverse(axes);
  return reorder(x, axes, where);
}

any_array swap_axes(const any_array& x, std::int64_t a, std::int64_t b, location where) {
  checked(x, "swapaxes", where);
  auto axes = all_axes(x);
  std::swap(axes[static_cast<std::size_t>(normalize_axis(a, x.ndim(), "swapaxes", where))],
            axes[static_cast<std::size_t>(normalize_axis(b, x.ndim(), "swapaxes", where))]);
  return reorder(x, axes, where);
}

any_array move_axes(const any_array& x, shape_view from, shape_view to, location where) {
  checked(x, "moveaxis", where);
  const auto source = distinct_axes(from, x.ndim(), "moveaxis", where);
  const auto target = distinct_axes(to, x.ndim(), "moveaxis", where);
  if (source.size() != target.size()) {
    fail<axis_error>(error_code::bad_axis, "moveaxis",
                     std::to_string(source.size()) + " axes are moved to " +
                         std::to_string(target.size()) + " places",
                     where);
  }
  std::vector<int> axes(x.extents().size(), -1);
  for (std::size_t i = 0; i < source.size(); ++i) {
    axes[static_cast<std::size_t>(target[i])] = source[i];
  }
  int next = 0;
  for (int& a : axes) {
    if (a >= 0) continue;
    while (std::ranges::find(source, next) != source.end()) ++next;
    a = next++;
  }
  return reorder(x, axes, where);
}

any_array reshape(const any_array& x, shape_view shape, location where) {
  const std::int64_t size = checked(x, "reshape", where).size();
  extents result(shape.begin(), shape.end());
  const auto open = std::ranges::find(result, -1);
  if (std::ranges::count(result, -1) > 1) {
    fail<shape_error>(error_code::shape_mismatch, "reshape",
                      "only one extent of " + text_of(shape) + " can be -1", where);
  }
  const auto refuse = [&] {
    fail<shape_error>(error_code::shape_mismatch, "reshape",
                      "shape " + text_of(x.extents()) + " of " + std::to_string(size) +
                          " elements does not fit " + text_of(shape),
                      where);
  };
  if (open != result.end()) {
    *open = 1;
    check_shape(result, x.dtype(), "reshape", where);
    const std::int64_t rest = std::accumulate(result.begin(), result.end(), std::int64_t{1},
                                              std::multiplies<>());
    if (rest == 0 || size % rest != 0) refuse();
    *open = size / rest;
  }
  check_shape(result, x.dtype(), "reshape", where);
  if (std::accumulate(result.begin(), result.end(), std::int64_t{1}, std::multiplies<>()) != size) {
    refuse();
  }
  return make_reshape(x, result, where);
}

any_array flip(const any_array& x, const axis_list& axes, location where) {
  checked(x, "flip", where);
  axis_order chosen = all_axes(x);
  if (!axes.all()) chosen.assign(distinct_axes(axes.values(), x.ndim(), "flip", where));
  element_map map{0, dense_strides(x.extents())};
  for (int a : chosen) {
    const auto d = static_cast<std::size_t>(a);
    map.offset += map.strides[d] * std::max<std::int64_t>(x.extents()[d] - 1, 0);
    map.strides[d] = -map.strides[d];
  }
  if (x.size() == 0) map.offset = 0;
  return make_view(x, x.extents(), std::move(map), where);
}

any_array squeeze(const any_array& x, const axis_list& axes, location where) {
  checked(x, "squeeze", where);
  const auto from = x.extents();
  std::vector<bool> dropped(from.size());
  for (std::size_t d = 0; d < from.size(); ++d) dropped[d] = axes.all() && from[d] == 1;
  for (int a : distinct_axes(axes.values(), x.ndim(), "squeeze", where)) {
    const auto d = static_cast<std::size_t>(a);
    if (from[d] != 1) {
      fail<shape_error>(error_code::shape_mismatch, "squeeze",
                        "axis " + std::to_string(a) + " of shape " + text_of(from) +
                            " has extent " + std::to_string(from[d]) + ", not 1",
                        where);
    }
    dropped[d] = true;
  }
  extents shape;
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (!dropped[d]) shape.push_back(from[d]);
  }
  return make_reshape(x, shape, where);
}

any_array expand_dims(const any_array& x, shape_view axes, location where) {
  checked(x, "expand_dims", where);
  const int ndim = x.ndim() + static_cast<int>(axes.size());
  extents shape(static_cast<std::size_t>(ndim), 0);
  for (int a : distinct_axes(axes, ndim, "expand_dims", where))
    shape[static_cast<std::size_t>(a)] = -1;
  auto next = x.extents().begin();
  for (auto& e : shape) e = e == -1 ? 1 : *next++;
  check_shape(shape, x.dtype(), "expand_dims", where);
  return make_reshape(x, shape, where);
}

any_array broadcast_to(const any_array& x, shape_view shape, location where) {
  checked(x, "broadcast_to", where);
  check_shape(shape, x.dtype(), "broadcast_to", where);
  return make_broadcast(x, shape, "broadcast_to", where);
}

}  // namespace sinter::detail

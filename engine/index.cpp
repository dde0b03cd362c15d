// x(indices) and x(indices) = value.

#include <sinter/array.hpp>

#include <algorithm>

#include "engine/node.hpp"
#include "engine/report.hpp"

namespace sinter::detail {
namespace {

using kind = index_item::kind;

/// The axes and map of a view while its indices are read from left to right.
struct indexing {
  const any_array& x;
  location where;
  std::vector<std::int64_t> strides;  // of x
  std::size_t axis = 0;               // of x: the next one to be indexed
  std::vector<std::int64_t> shape;
  ir::index_map map;

  void keep(std::size_t count) {
    for (; count > 0; --count, ++axis) {
      shape.push_back(x.shape()[axis]);
      map.strides.push_back(strides[axis]);
    }
  }

  void pick(std::int64_t i) {
    const std::int64_t extent = x.shape()[axis];
    if (i < -extent || i >= extent) {
      fail<index_error>(error_code::index_out_of_range, "index",
                        "index " + std::to_string(i) + " is out of range for axis " +
                            std::to_string(axis) + " of extent " + std::to_string(extent),
                        where);
    }
    map.offset += (i < 0 ? i + extent : i) * strides[axis++];
  }

  void cut(const slice& s) {
    if (s.step == 0) {
      fail<value_error>(error_code::bad_argument, "index", "a slice has step 0", where);
    }
    const std::int64_t extent = x.shape()[axis], low = s.step < 0 ? -1 : 0,
                       high = s.step < 0 ? extent - 1 : extent;
    const auto bound = [&](std::int64_t i, std::int64_t unset) {
      if (i == slice::unset) return unset;
      return std::clamp(i < 0 ? i + extent : i, low, high);
    };
    const std::int64_t first = bound(s.start, s.step < 0 ? high : low),
                       last = bound(s.stop, s.step < 0 ? low : high);
    // The step may be as large as an int64; its magnitude is not.
    const auto step = s.step < 0 ? 0 - static_cast<std::uint64_t>(s.step)
                                 : static_cast<std::uint64_t>(s.step);
    const std::int64_t span = s.step < 0 ? first - last : last - first;
    const std::int64_t count =
        span <= 0 ? 0
                  : static_cast<std::int64_t>((static_cast<std::uint64_t>(span) - 1) / step) + 1;
    if (count > 0) map.offset += first * strides[axis];
    shape.push_back(count);
    map.strides.push_back(count > 1 ? strides[axis] * s.step : 0);
    ++axis;
  }
};

/// How many axes an ellipsis stands for. Throws index_error for more indices than axes.
std::size_t count_rest(const any_array& x, std::span<const index_item> items, location where) {
  std::size_t used = 0, rests = 0;
  for (const index_item& i : items) {
    used += i.what == kind::integer || i.what == kind::range;
    rests += i.what == kind::rest;
  }
  if (rests > 1) {
    fail<index_error>(error_code::index_out_of_range, "index", "more than one ellipsis", where);
  }
  const std::size_t ndim = x.shape().size();
  if (used > ndim) {
    fail<index_error>(error_code::index_out_of_range, "index",
                      std::to_string(used) + " indices for an array of " + std::to_string(ndim) +
                          (ndim == 1 ? " dimension" : " dimensions"),
                      where);
  }
  return ndim - used;
}

}  // namespace

any_array index(const any_array& x, const index_item* items, int count) {
  const location where = items[0].where;
  checked(x, "index", where);
  const auto end = std::find_if(items, items + count,
                                [](const index_item& i) { return i.what == kind::absent; });
  const std::span<const index_item> used(items, end);
  const std::size_t rest = count_rest(x, used, where);
  indexing view{x, where, dense_strides(x.shape()), 0, {}, {}};
  for (const index_item& i : used) {
    switch (i.what) {
      case kind::integer: view.pick(i.range.start); break;
      case kind::range: view.cut(i.range); break;
      case kind::new_axis:
        view.shape.push_back(1);
        view.map.strides.push_back(0);
        break;
      case kind::rest: view.keep(rest); break;
      case kind::absent: break;
    }
  }
  view.keep(x.shape().size() - view.axis);
  check_shape(view.shape, x.dtype(), "index", where);
  if (std::ranges::find(view.shape, 0) != view.shape.end()) view.map.offset = 0;
  return make_index_view(x, view.shape, std::move(view.map), where);
}

any_array assign(const any_array& x, const any_array& view, const any_array& value,
                 location where) {
  checked(value, "assign", where);
  const any_array fitted = make_broadcast(value, view.shape(), "assign", where);
  if (view.get() == x.get()) return fitted;
  if (view.size() == 0) return x;
  const node_details& made = *view.get()->details;
  return make_update(x, made.within ? *made.within : made.map, fitted, where);
}

}  // namespace sinter::detail

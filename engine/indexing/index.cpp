// x(indices) and x(indices) = value.

#include <algorithm>

#include <sinter/array.hpp>

#include "engine/indexing/gather.hpp"
#include "engine/indexing/scatter.hpp"
#include "engine/indexing/select.hpp"
#include "engine/indexing/slices.hpp"
#include "engine/nodes/node.hpp"
#include "engine/nodes/report.hpp"
#include "engine/shape/slice_of_join.hpp"

namespace sinter::detail {
namespace {

using kind = index_item::kind;

/// Resolves a list of indices from left to right.
struct indexing {
  const any_array& x;
  location where;
  std::span<const std::int64_t> strides;  // of x
  indexed& to;
  std::size_t axis = 0;             // of x: the next one to be indexed
  bool met = false, left = false;  // was an array seen, and something else after it?
  bool apart = false;              // is there something between arrays? Then their axes come first

  /// A mask counts as the coordinates of the elements it selects.
  void choose(const any_array& mask) {
    for (int d = 0; d < mask.ndim(); ++d) {
      const auto at = axis + static_cast<std::size_t>(d);
      if (mask.extents()[static_cast<std::size_t>(d)] == x.extents()[at]) continue;
      fail<index_error>(error_code::index_out_of_range, "index",
                        "a mask of shape " + text_of(mask.extents()) + " for axes " +
                            std::to_string(axis) + " on of shape " + text_of(x.extents()),
                        where);
    }
    for (const any_array& places : places_of(mask, "index", where)) pick(places);
  }

  /// An integer counts as an array.
  void meet() {
    if (!met) to.at = to.shape.size();
    apart |= left;
    met = true;
  }

  /// Even an ellipsis for no axis separates arrays.
  void leave() { left |= met; }

  void pick(const any_array& indices) {
    meet();
    to.picks.push_back({axis++, indices});
  }

  void keep(std::size_t count) {
    leave();
    for (; count > 0; --count, ++axis) {
      to.shape.push_back(x.extents()[axis]);
      to.map.strides.push_back(strides[axis]);
    }
  }

  void pick(std::int64_t i) {
    const std::int64_t extent = x.extents()[axis];
    if (i < -extent || i >= extent) fail_range("index", i, axis, extent, where);
    meet();
    to.map.offset += (i < 0 ? i + extent : i) * strides[axis++];
  }

  void cut(const slice& s) {
    leave();
    const auto [first, count] = places_of(s, x.extents()[axis], "index", where);
    if (count > 0) to.map.offset += first * strides[axis];
    to.shape.push_back(count);
    to.map.strides.push_back(count > 1 ? strides[axis] * s.step : 0);
    ++axis;
  }
};

/// How many axes an index array covers: one, or a mask's rank.
std::size_t axes_of(const index_item& i, location where) {
  const node& n = checked(i.indices, "index", where);
  return is_bool(n.type) ? n.shape.size() : 1;
}

/// How many axes an ellipsis covers. Throws index_error if there are more indices than axes.
std::size_t count_rest(const any_array& x, index_list items, location where) {
  std::size_t used = 0, rests = 0;
  for (const index_item* item : items) {
    const index_item& i = *item;
    used += i.what == kind::integer || i.what == kind::range;
    if (i.what == kind::indices) used += axes_of(i, where);
    rests += i.what == kind::rest;
  }
  if (rests > 1) {
    fail<index_error>(error_code::index_out_of_range, "index", "more than one ellipsis", where);
  }
  const std::size_t ndim = x.extents().size();
  if (used > ndim) {
    fail<index_error>(error_code::index_out_of_range, "index",
                      std::to_string(used) + " indices for an array of " + std::to_string(ndim) +
                          (ndim == 1 ? " dimension" : " dimensions") +
                          (ndim == 0 ? ": array(n) is the number n, zeros(n) has n elements" : ""),
                      where);
  }
  return ndim - used;
}

void read_item(indexing& view, const index_item& i, std::size_t rest) {
  switch (i.what) {
    case kind::integer:
      return view.pick(i.range.start);
    case kind::range:
      return view.cut(i.range);
    case kind::new_axis:
      view.leave();
      view.to.shape.push_back(1);
      view.to.map.strides.push_back(0);
      return;
    case kind::rest:
      return view.keep(rest);
    case kind::indices:
      if (is_bool(i.indices.dtype())) return view.choose(i.indices);
      return view.pick(i.indices);
    case kind::absent:
      return;
  }
}

/// The axes of the index arrays replace the axes they cover, or come first if the arrays are
/// separated (as in NumPy).
any_array picked(const any_array& x, index_list items, location where) {
  const auto [base, whole] = base_of(x);
  const std::span<const std::int64_t> strides = whole.strides;
  places p = places_by(read_indices(x, items, strides, where), x.extents(), x.dtype(), strides,
                       "index", where);
  p.map.offset += whole.offset;
  return gather_checked(base, p.over(p, where), std::move(p.map), x.extents(), "index", where);
}

}  // namespace

index_list present(index_list items) {
  const auto end = std::ranges::find(items, kind::absent, &index_item::what);
  return {items.begin(), end};
}

inline_vector<const index_item*, 8> pointers_to(std::span<const index_item> items) {
  inline_vector<const index_item*, 8> out;
  for (const index_item& i : items) out.push_back(&i);
  return out;
}

indexed read_indices(const any_array& x, index_list items,
                     std::span<const std::int64_t> strides, location where) {
  const std::size_t rest = count_rest(x, items, where);
  indexed all;
  all.map.strides.reserve(items.size() + rest);
  indexing view{x, where, strides, all};
  for (const index_item* i : items) read_item(view, *i, rest);
  view.keep(x.extents().size() - view.axis);
  if (view.apart) all.at = 0;
  return all;
}

bool picks_elements(index_list items) {
  return std::ranges::find(items, kind::indices, &index_item::what) != items.end();
}

const any_array* only_mask(const any_array& x, index_list items) {
  if (items.size() != 1 || items[0]->what != kind::indices) return nullptr;
  const any_array& mask = items[0]->indices;
  const bool whole = checked(mask, "index", items[0]->where).type == dtype::bool_;
  const bool fits = mask.ndim() > 0 ? mask.ndim() <= x.ndim() : x.ndim() == 0;
  return whole && fits ? &mask : nullptr;
}

std::shared_ptr<const std::vector<index_item>> kept_items(index_list items) {
  const index_list used = present(items);
  if (!picks_elements(used)) return nullptr;
  std::vector<index_item> kept;
  for (const index_item* i : used) kept.push_back(*i);
  return std::make_shared<const std::vector<index_item>>(std::move(kept));
}

any_array index(const any_array& x, std::span<const index_item> items) {
  return index(x, pointers_to(items));
}

any_array index(const any_array& x, index_list items) {
  const location where = items[0]->where;
  checked(x, "index", where);
  const index_list used = present(items);
  if (picks_elements(used)) {
    const any_array* const mask = only_mask(x, used);
    const bool whole = mask && std::ranges::equal(mask->shape(), x.extents());
    return whole ? choose_by(x, *mask, "index", where) : picked(x, used, where);
  }
  const shape_view shape = x.extents();
  inline_vector<std::int64_t, 4> strides(shape);
  write_dense_strides(shape, strides.data());
  indexed view = read_indices(x, used, strides, where);
  check_shape(view.shape, x.dtype(), "index", where);
  if (std::ranges::find(view.shape, 0) != view.shape.end()) view.map.offset = 0;
  if (auto part = slice_of_join(x, view.shape, view.map, where)) return std::move(*part);
  return make_index_view(x, view.shape, std::move(view.map), where);
}

void throw_too_many_indices(std::size_t count, location where) {
  fail<index_error>(error_code::index_out_of_range, "index",
                    std::to_string(count) + " indices in a list: 8 at most", where);
}

void throw_part_of_copy(location where) {
  fail<value_error>(error_code::bad_argument, "assign",
                    "x(indices) is a copy, and x stays what it is if a part of that is assigned "
                    "to: index once, as in x(rows, columns) = v",
                    where);
}

any_array assign(const any_array& x, const any_array& view, const any_array& value,
                 location where) {
  checked(value, "assign", where);
  const any_array fitted = make_broadcast(value, view.extents(), "assign", where);
  if (view.get() == x.get()) return fitted;
  if (view.size() == 0) return x;
  const node& made = *view.get();
  const bool apart = made.details && made.details->within;
  return make_update(x, apart ? *made.details->within : made.map, fitted, where);
}

}  // namespace sinter::detail

namespace sinter {

any_array index_item::listed(std::initializer_list<std::int64_t> i, location w) {
  const std::int64_t shape[] = {static_cast<std::int64_t>(i.size())};
  return detail::from_host(i.begin(), dtype::int64, shape, w);
}

}  // namespace sinter

// Combines the values that a small scatter writes to the same place: every value is compared with
// every other.

#include <sinter/operators.hpp>

#include "engine/indexing/scatter.hpp"
#include "engine/nodes/term.hpp"

namespace sinter::detail {
namespace {

using ir::op;

/// The shape with the axes of the indices replaced by other extents.
extents with_indices(const places& p, const extents& instead) {
  const auto rank = static_cast<std::ptrdiff_t>(p.linear.extents().size());
  const auto at = p.shape.begin() + static_cast<std::ptrdiff_t>(p.at);
  extents out(p.shape.begin(), at);
  out.insert(out.end(), instead.begin(), instead.end());
  out.insert(out.end(), at + rank, p.shape.end());
  return out;
}

/// Broadcasts a list of n along one of two axes (n, n), amid the remaining axes.
any_array along(const any_array& x, const places& p, bool first, location where) {
  const std::int64_t n = p.linear.size();
  const extents shape = with_indices(p, {n, n});
  element_map map{0, extents(shape.size(), 0)};
  if (x.ndim() == 1) {
    map.strides[p.at + (first ? 0 : 1)] = 1;
  } else {
    const auto dense = dense_strides(x.extents());
    for (std::size_t d = 0, to = 0; d < dense.size(); ++d, ++to) {
      if (d == p.at) to += first ? 0 : 1;
      map.strides[to] = dense[d];
      if (d == p.at && first) ++to;
    }
  }
  return make_view(x, shape, std::move(map), where);
}

/// For each value, the combination of all values with its place.
any_array combined_in_pairs(const places& p, op code, const any_array& values, location where) {
  const std::int64_t n = p.linear.size();
  const any_array linear = make_reshape(p.linear, extents{n}, where);
  const term same = term{along(linear, p, true, where), where} ==
                    term{along(linear, p, false, where), where};
  const any_array v = make_reshape(values, with_indices(p, {n}), where);
  const double neutral = code == op::multiply ? 1 : -0.0;
  const term others{along(v, p, false, where), where};
  const term met = select(same, others, number(neutral, v.dtype(), where));
  const int axis = static_cast<int>(p.at) + 1;
  const any_array all = code == op::multiply ? prod(met.x, {.axis = axis}, where)
                                             : make_reduce(met.x, code, false, {axis}, where);
  return make_reshape(all, p.shape, where);
}

}  // namespace

bool compares_pairs(const places& p, const any_array& x) {
  const std::int64_t n = p.linear.size(), all = product_of(p.shape);
  return n <= few_indices && n * all <= x.size();
}

any_array sums_by_place(const places& p, const any_array& values, location where) {
  return combined_in_pairs(p, op::add, values, where);
}

any_array products_by_place(const places& p, const any_array& values, location where) {
  const any_array v = as_term(values, "at", where).x;
  return make_cast(combined_in_pairs(p, op::multiply, v, where), values.dtype(), where);
}

std::pair<places, any_array> some_of(const places& p, const any_array& values, std::int64_t first,
                                     std::int64_t count, shape_view whole, location where) {
  const extents common = extents_of(p.linear);
  const extents around = with_indices(p, {});
  indexed in{std::span(around), {p.map.offset, {}}, {}, p.at};
  for (std::size_t d = 0; d < p.shape.size(); ++d) {
    const bool of_indices = d >= p.at && d < p.at + common.size();
    if (!of_indices) in.map.strides.push_back(p.map.strides[d]);
  }
  const extents flat{p.linear.size()};
  for (const picked_axis& pick : p.picks) {
    const any_array all = make_broadcast(pick.indices, common, "at", where);
    in.picks.push_back({pick.axis, cut(make_reshape(all, flat, where), 0, first, count, where)});
  }
  const auto strides = dense_strides(whole);
  const any_array list = make_reshape(values, with_indices(p, flat), where);
  return {places_by(std::move(in), whole, values.dtype(), strides, "at", where),
          cut(list, p.at, first, count, where)};
}

}  // namespace sinter::detail

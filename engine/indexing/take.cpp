#include <algorithm>

#include <sinter/indexing.hpp>
#include <sinter/operators.hpp>
#include <sinter/views.hpp>

#include "engine/indexing/gather.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {
namespace {

using extents = std::vector<std::int64_t>;

/// x as a strided array, with one axis replaced by the indices.
any_array pick_axis(const any_array& x, const any_array& indices, std::size_t axis,
                    std::string_view op, location where) {
  const auto from = x.extents();
  const auto [base, map] = base_of(x);
  const picked_axis pick[] = {{axis, indices}};
  const positions p = positions_of(pick, from, map.strides, op, where);
  const extents common(p.linear.extents().begin(), p.linear.extents().end());
  extents shape(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(axis));
  element_map out{map.offset,
                    {map.strides.begin(), map.strides.begin() + static_cast<std::ptrdiff_t>(axis)}};
  element_map spread{0, extents(axis, 0)};
  const auto dense = dense_strides(common);
  for (std::size_t d = 0; d < common.size(); ++d) {
    shape.push_back(common[d]);
    out.strides.push_back(0);
    spread.strides.push_back(dense[d]);
  }
  for (std::size_t d = axis + 1; d < from.size(); ++d) {
    shape.push_back(from[d]);
    out.strides.push_back(map.strides[d]);
    spread.strides.push_back(0);
  }
  check_shape(shape, x.dtype(), op, where);
  return gather_checked(base, p.seen(shape, spread, where), std::move(out), from, op, where);
}

}  // namespace

any_array in_range(const any_array& indices, std::int64_t extent, index_mode mode,
                   std::string_view op, location where) {
  if (mode == index_mode::raise || extent == 0) return indices;
  const array<std::int64_t> k(make_cast(checked(indices, op, where).type == dtype::int64
                                            ? indices
                                            : make_cast(indices, dtype::int64, where),
                                        dtype::int64, where));
  if (mode == index_mode::wrap) return array<std::int64_t>(k % extent);
  return array<std::int64_t>(sinter::clip(k, std::int64_t{0}, extent - 1));
}

any_array take(const any_array& x, const any_array& indices, const take_options& o,
               location where) {
  const int ndim = static_cast<int>(checked(x, "take", where).shape.size());
  const std::int64_t all[] = {-1};
  const any_array from = o.axis ? x : reshape(x, all, where);
  const int axis = o.axis ? normalize_axis(*o.axis, ndim, "take", where) : 0;
  const std::int64_t extent = from.extents()[static_cast<std::size_t>(axis)];
  return pick_axis(from, in_range(indices, extent, o.mode, "take", where),
                   static_cast<std::size_t>(axis), "take", where);
}

any_array take_along_axis(const any_array& x, const any_array& indices, std::int64_t axis,
                          location where) {
  constexpr std::string_view op = "take_along_axis";
  checked(x, op, where);
  checked(indices, op, where);
  const auto from = x.extents(), to = indices.extents();
  const auto at =
      static_cast<std::size_t>(normalize_axis(axis, static_cast<int>(from.size()), op, where));
  if (to.size() != from.size()) {
    fail<shape_error>(error_code::shape_mismatch, op,
                      "indices of shape " + text_of(to) + " for an array of shape " +
                          text_of(from) + ": they have as many dimensions",
                      where);
  }
  const auto [base, map] = base_of(x);
  extents shape;
  element_map out{map.offset, {}};
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (d != at && from[d] != to[d] && from[d] != 1 && to[d] != 1) {
      fail<shape_error>(error_code::shape_mismatch, op,
                        "indices of shape " + text_of(to) + " do not broadcast to shape " +
                            text_of(from) + ": axis " + std::to_string(d),
                        where);
    }
    shape.push_back(d == at || from[d] == 1 ? to[d] : from[d]);
    out.strides.push_back(d == at || from[d] == 1 ? std::int64_t{0} : map.strides[d]);
  }
  const picked_axis pick[] = {{at, make_broadcast(indices, shape, op, where)}};
  const positions p = positions_of(pick, from, map.strides, op, where);
  return gather_checked(base, p, std::move(out), from, op, where);
}

}  // namespace sinter::detail

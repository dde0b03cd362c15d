#pragma once
// Elements picked by arrays of indices.

#include <vector>

#include "engine/node.hpp"

namespace sinter::detail {

/// One array of indices and the axis of the indexed array it is for.
struct picked_axis {
  std::size_t axis;
  any_array indices;  // integers, as the user gave them
};

/// The linear positions that arrays of indices stand for: int64, of their broadcast shape; where
/// one is out of range `bad` is true and the position is one that exists. Throws dtype_error for
/// indices that are no integers, index_error if an axis has nothing to pick from.
struct positions {
  any_array linear, bad;
};
positions positions_of(std::span<const picked_axis>, shape_view shape,
                       std::span<const std::int64_t> strides, std::string_view op, location);

/// base[map + linear], which carries the check that nothing was bad. `shape`: of the array that was
/// indexed, for the message.
any_array gather_checked(const any_array& base, const positions&, ir::index_map, shape_view shape,
                         std::string_view op, location);

/// x as what it is a view of and the map: views are read in place, not copied first.
std::pair<any_array, ir::index_map> base_of(const any_array& x);

}  // namespace sinter::detail

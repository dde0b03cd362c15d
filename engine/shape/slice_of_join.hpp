#pragma once
// A slice of a join, as what it shows of the pieces.
//
// Why: what is padded is read by slices, mostly of the middle piece, and an element of a join asks
// which piece it is of: of four neighbours in a padded plane each asked nine times, so that the
// padded plane was stored, where the plane itself is read.

#include <optional>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// What a view of a pending join of one array's parts shows, as what is padded by its own elements
/// is: a slice of a piece, or on a GPU a join of two or three slices. (Where arrays are joined that
/// are computed, each would be computed for each slice.) From any thread.
std::optional<any_array> slice_of_join(const any_array& x, shape_view shape, const element_map&,
                                       location);

}  // namespace sinter::detail

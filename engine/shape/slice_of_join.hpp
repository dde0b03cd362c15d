#pragma once
// Resolves a slice of a join to the pieces it shows.
//
// Why: padded arrays are read by slices, mostly of the middle piece, and every element of a join
// selects its piece: with four neighbours in a padded plane each selected nine times, so the padded
// plane was stored, where the plane itself could be read.

#include <optional>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// What a view of a pending join of one array's parts (such as an array padded by its own elements)
/// shows: a slice of a piece, or on a GPU a join of two or three slices. (If the joined arrays were
/// computed, each would be recomputed for each slice.) It says where it is in x, as `assign` needs.
/// From any thread.
std::optional<any_array> slice_of_join(const any_array& x, shape_view shape, const element_map&,
                                       location);

}  // namespace sinter::detail

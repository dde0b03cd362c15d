#pragma once
// Arrays whose slabs are assigned one after the other: `f(i) = e` for every place i of a short
// axis. Plans make a join of them (ir/passes/joins_of_updates), so recording sees to it that none
// is cut in the middle, and that a slab is not taken to depend on those beside it.

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// Slabs that a chain of updates has at most while nobody evaluates it.
inline constexpr int most_slabs = 32;

/// Is it an update of such a slab? From any thread.
bool assigns_a_slab(const any_array& x);

/// What a view of x shows: of an updated array without the updates of slabs beside the one that is
/// shown. From any thread.
any_array shown_by(any_array x, shape_view shape, const element_map& map);

/// Is the node one of these updates? Then the array that the first of them was made to; else null.
/// Under the evaluation lock.
node* assigned_by_slabs(node& update);

}  // namespace sinter::detail

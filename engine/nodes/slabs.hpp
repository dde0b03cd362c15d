#pragma once
// Arrays whose slabs are assigned one after the other: `f(i) = e` for every place i of a short
// axis. Plans make a join of them (ir/passes/joins_of_updates), so recording sees to it that none
// is cut in the middle, and that a slab is not taken to depend on those beside it.

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// Slabs that a chain of updates has at most while nobody evaluates it.
inline constexpr int most_slabs = 32;

/// Which places, a bit each, an update that is being recorded and those before it have assigned
/// slab by slab: all anew where another than the last is assigned again. 0: it assigns no slab.
std::uint16_t slabs_of(const node& update);

/// Is it an update that leaves some places of such an array to be assigned? From any thread.
bool leaves_slabs(const any_array& x);

/// What a view of x shows: of an updated array without the updates of slabs beside the one that is
/// shown. From any thread.
any_array shown_by(any_array x, shape_view shape, const element_map& map);

/// Is the node one of these updates? Then the array that the first of them was made to; else null.
/// Under the evaluation lock.
node* assigned_by_slabs(node& update);

}  // namespace sinter::detail

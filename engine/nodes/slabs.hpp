#pragma once
// Arrays whose slabs are assigned in sequence: `f(i) = e` for every position i of a short axis.
// Plans turn them into a join (ir/passes/joins_of_updates), so recording does not cut such a chain
// midway, nor lets a slab depend on the others.

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// The longest chain of such updates before an evaluation.
inline constexpr int most_slabs = 32;

/// The positions, one bit each, that an update being recorded and those before it have assigned
/// slab by slab; starts over when a position other than the last is assigned again. 0: it assigns
/// no slab.
std::uint16_t slabs_of(const node& update);

/// Is it an update that leaves positions of such an array unassigned? From any thread.
bool leaves_slabs(const any_array& x);

/// The array a view of x reads: of an updated array without the updates of slabs other than the one
/// the view shows. From any thread.
any_array shown_by(any_array x, shape_view shape, const element_map& map);

/// If the node is such an update, the array that the first of them was applied to; else null. Under
/// the evaluation lock.
node* assigned_by_slabs(node& update);

}  // namespace sinter::detail

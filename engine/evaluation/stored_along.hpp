#pragma once
// Nodes that an evaluation stores besides its roots. Under the evaluation lock.

#include "engine/evaluation/snapshot.hpp"

namespace sinter::detail {

/// Stores nodes that a kernel has only passed through before and that are still held from outside.
/// Nodes that only other nodes hold (the bits behind a random number, the squares behind a
/// variance) are not stored: they die when the node that a handle holds is stored.
void add_passed(snapshot&, std::span<const any_array> roots);

/// Counts the edges into each node from nodes that will release it, after adding as outputs those
/// operands of remaining nodes that should not be recomputed.
void count_released(snapshot&);

}  // namespace sinter::detail

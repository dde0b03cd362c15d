#pragma once
// What an evaluation stores beside what was asked for. Under the evaluation lock.

#include "engine/evaluation/snapshot.hpp"

namespace sinter::detail {

/// Nodes that a kernel only passed through before and that somebody outside still holds are stored
/// this time. What only other nodes hold (the bits behind a random number, the squares behind a
/// variance) is not: it goes when the node that a handle holds is stored.
void add_passed(snapshot&, std::span<const any_array> roots);

/// Counts the edges into each node from nodes that will let go of it, once what they need and that
/// nobody would compute again is an output too.
void count_released(snapshot&);

}  // namespace sinter::detail

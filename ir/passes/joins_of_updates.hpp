#pragma once
// joins_of_updates: turns a chain of updates that together overwrite an array, along one or two
// short axes or every k-th position of an axis in turn, into a join of the assigned values.
//
// Why: `f(i) = roll(f(i))` for each of nine directions, zeros whose slices are filled in, matrices
// built element by element, or `o(slice(0, _, 2)) = x`, is how NumPy code is written. As updates,
// each is a kernel that waits for the one before, and a reader of one part depends on all of them.
// As a join each part is tracked on its own (slice_of_join, maps_of_joins), and all are one kernel.
// A lattice-Boltzmann step, 9 x 1000 x 1000 floats, two cores of an EPYC: 68 ms, 2.0 as a join.
// Along a longer axis that every reader sums over they become a join too: of up to 64 windows
// nothing is stored (short_sums).
//
// REQUIRES: maps have one op.

#include "ir/graph.hpp"

namespace sinter::ir {

graph joins_of_updates(const graph&);

}  // namespace sinter::ir

#pragma once
// joins_of_updates: an array whose parts along a short axis, or two, are assigned one after the
// other, until nothing is left of what was there, is a join of these parts. So is one of which
// every k-th place is assigned, k times: along an axis that is taken apart.
//
// Why: `f(i) = roll(f(i))` for each of nine directions, zeros whose slices are filled in, matrices
// element by element, or `o(slice(0, _, 2)) = x`, is how NumPy is written. As updates each is a
// kernel that waits for the one before, and whatever reads a part reads all of them. As a join each
// part is followed by itself (slice_of_join, maps_of_joins), and all are one kernel. A lattice of
// Boltzmann's, 9 x 1000 x 1000 floats, two cores of an EPYC: 68 ms a step, 2.0 as a join.
// Along a longer axis that whoever reads them sums up, they are a join too: of up to 64 windows
// nothing is stored (short_sums).

#include "ir/graph.hpp"

namespace sinter::ir {

/// REQUIRES: maps have one op.
graph joins_of_updates(const graph&);

}  // namespace sinter::ir

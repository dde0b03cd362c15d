#pragma once
// rolls_of_maps: a roll of what is computed is computed from what is rolled.
//
// Why: a roll reads one part of an array where a condition holds, and another where it does not. Of
// a product that nobody stores, as fluxes are in a loop over time, both parts are computed at every
// element and one is thrown away; and what is chosen between is no read that vectors could do at
// once. Computed from its rolled operands it is computed once.

#include "ir/graph.hpp"

namespace sinter::ir {

/// roll(f(x, y)) -> f(roll(x), roll(y)) where nobody but rolls reads f(x, y), and it is rolled once
/// or costs little. Simplified, if there was any. REQUIRES: maps have one op. Linear in the graph.
graph rolls_of_maps(const graph&);

}  // namespace sinter::ir

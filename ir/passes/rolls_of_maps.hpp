#pragma once
// rolls_of_maps: replaces a roll of a computed array by the same computation on rolled operands.
//
// Why: a roll reads one of two parts of an array by a condition. If its operand is a product that
// is never stored, such as a flux in a time loop, both parts are computed at every element and one
// is discarded; and a select between computed values cannot be one vector load. On rolled operands
// it is computed once.
//
// REQUIRES: maps have one op.

#include "ir/graph.hpp"

namespace sinter::ir {

/// roll(f(x, y)) -> f(roll(x), roll(y)) where only rolls read f(x, y), and it is rolled once or
/// cheap. Simplified, if there was any. Linear in the graph.
graph rolls_of_maps(const graph&);

}  // namespace sinter::ir

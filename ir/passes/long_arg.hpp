#pragma once
// long_arg: argmax over rows too long for one block becomes two plain reductions.
//
// Why: a split reduction combines partial values, and a position is not one. The position of the
// first maximum is the smallest index where the element equals the maximum, and plain reductions
// split.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

graph long_arg(const graph&, const machine&);

}  // namespace sinter::ir

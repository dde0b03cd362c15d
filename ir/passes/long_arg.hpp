#pragma once
// long_arg: turns argmax over rows too long for one block into plain reductions, which can be
// split.
//
// Why: a split reduction combines partial values, and a position is not one. The position of the
// first maximum is the smallest index whose element equals the maximum: two reductions. On a GPU,
// for types of up to 32 bits, it is one: of 64-bit words with the value above the index.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

graph long_arg(const graph&, const machine&);

}  // namespace sinter::ir

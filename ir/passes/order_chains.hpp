#pragma once
// order_chains: reorders a graph of more ops than one kernel takes so that nodes that need each
// other are adjacent.
//
// Why: fusion walks the nodes backwards and begins a new kernel when one is full; every value
// requested but not yet reached is then stored. Recording lists the operands of the numerator of a
// sum of 49 weighted neighbours before its denominator; a cut there stored 16 weights between two
// kernels, where two sums suffice.

#include "ir/graph.hpp"

namespace sinter::ir {

/// The same graph, its nodes in another order. Graphs of few nodes, and those that write into
/// arrays, are returned unchanged.
graph order_chains(const graph&);

}  // namespace sinter::ir

#pragma once
// order_chains: in a graph of more ops than a kernel takes, the nodes of a chain's step stand
// together.
//
// Why: fusing goes through the nodes backwards and begins another kernel where one is full, and
// what is stored there is whatever was asked for and not yet met. Recording lists what the
// numerator of a sum of 49 weighted neighbours needs before its denominator; cut there, 16 weights
// were stored between two kernels, where two sums would do.

#include "ir/graph.hpp"

namespace sinter::ir {

/// The same graph, its nodes in another order. Graphs of few nodes, and such that write into
/// arrays, stay as they are.
graph order_chains(const graph&);

}  // namespace sinter::ir

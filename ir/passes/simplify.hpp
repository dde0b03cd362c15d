#pragma once
// simplify: eliminates common subexpressions and applies rewrites that never change a bit.
//
// Why: the graph says what the program wrote, and programs write things twice. Only rules that hold
// for every value, including NaN, infinities and signed zeros, are in the table; x * 0 is not.

#include "ir/graph.hpp"

namespace sinter::ir {

/// Rewrites to a fixed point, merges equal nodes, drops what no output needs.
graph simplify(const graph&);

/// The graph without nodes that no output needs, except those bound to values by their order
/// (sources, scalars, random numbers).
graph without_dead(graph);

}  // namespace sinter::ir

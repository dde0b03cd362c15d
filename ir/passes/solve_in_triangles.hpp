#pragma once
// solve_in_triangles: on a GPU, "getrs" becomes rows in another order and two triangular solves.
//
// Why: cuSOLVER swaps the rows of the right sides pivot by pivot, which takes as long as the
// triangles do (of 1000 x 1000 0.54 of 1.29 ms, of 10000 x 10000 11 of 65; H200), and cuBLAS's
// routine for batches is slower than its triangles (us, H100, one right side and as many as rows:
// 1,000 of 48 91 and 384 for 52 and 173, 64 of 200 307 and 4,281 for 234 and 366). Where each row
// goes is a list of numbers (pivot_order), and reading by it fuses with whatever moves the right
// sides anyway; those of an inverse are not even stored in between.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// "getrs" (lu, pivots, b), by columns, attributes {0: a x = b, 1: a^T x = b, 2: a^H x = b; 1: b is
/// the identity}. Fused or not, so that both have the same bits. The attribute that says "inverse"
/// moves to the last call. REQUIRES: simplify has run.
graph solve_in_triangles(const graph&, const machine&);

}  // namespace sinter::ir

#pragma once
// solve_in_triangles: turns "getrs" on a GPU into a row permutation and two triangular solves.
//
// Why: cuSOLVER swaps the rows of the right-hand sides pivot by pivot, which takes as long as the
// triangles (of 1000 x 1000 0.54 of 1.29 ms, of 10000 x 10000 11 of 65; H200), and cuBLAS's batched
// routine is slower than its triangular solves (us, H100, one right-hand side and as many as rows:
// 1,000 of 48 91 and 384 for 52 and 173, 64 of 200 307 and 4,281 for 234 and 366). The permutation
// is a list of row numbers (pivot_order), and reading through it fuses with whatever moves the
// right-hand sides anyway; those of an inverse are never stored.
//
// REQUIRES: simplify has run.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// "getrs" (lu, pivots, b), column-major, attributes {0: a x = b, 1: a^T x = b, 2: a^H x = b; 1: b
/// is the identity}. Runs for fused and unfused programs, so that both have the same bits. The
/// attribute that says "inverse" moves to the last call.
graph solve_in_triangles(const graph&, const machine&);

}  // namespace sinter::ir

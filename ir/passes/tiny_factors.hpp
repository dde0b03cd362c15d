#pragma once
// tiny_factors: LU factors of matrices of two rows, and solutions by them, become maps.
//
// Why: they are six operations a matrix. A CPU's library takes a call for each; a GPU's takes lists
// of addresses, copies and a launch for factors and solutions each. And around a call nothing
// fuses.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// "getrf" and "getrs" of real matrices with two rows and columns, on a CPU of stacks of 16 and
/// more: with partial pivoting, and the status that LAPACK gives. Fused or not, so that both have
/// the same bits. Comes before simplify, which then knows which element a reader wants.
graph tiny_factors(const graph&, const machine&);

}  // namespace sinter::ir

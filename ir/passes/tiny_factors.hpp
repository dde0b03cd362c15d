#pragma once
// tiny_factors: LU factors of stacks of matrices of two to four rows, and solutions by them, become
// maps.
//
// Why: of two rows they are six operations a matrix, of four a hundred. A CPU's library takes a
// call for each; a GPU's takes lists of addresses, copies and a launch for factors and solutions
// each. And around a call nothing fuses.

#include "ir/graph.hpp"

namespace sinter::ir {

/// Rows, and matrices of a stack: of fewer, the library's calls are no more than a kernel's.
inline constexpr std::int64_t most_factored = 4, least_factored = 16;

/// "getrf" and "getrs" of real square matrices, of 16 and more: with partial pivoting, and the
/// status that LAPACK gives. Fused or not, so that both have the same bits. Comes before simplify,
/// which then knows which element a reader wants.
graph tiny_factors(const graph&);

}  // namespace sinter::ir

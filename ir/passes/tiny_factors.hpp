#pragma once
// tiny_factors: turns LU factorisations of stacks of matrices of two to four rows, and solutions
// with them, into maps.
//
// Why: two rows take six operations per matrix, four take a hundred. A CPU library takes one call
// per matrix; a GPU library takes address lists, copies and a launch each for factors and
// solutions. And nothing fuses with a call.

#include "ir/graph.hpp"

namespace sinter::ir {

/// Rows at most, and matrices of a stack at least: with fewer matrices library calls cost no more
/// than a kernel.
inline constexpr std::int64_t most_factored = 4, least_factored = 16;

/// "getrf" and "getrs" of real square matrices, 16 or more: with partial pivoting and LAPACK's
/// status. Runs for fused and unfused programs, so that both have the same bits. Runs before
/// simplify, which then knows which element a reader needs.
graph tiny_factors(const graph&);

}  // namespace sinter::ir

#pragma once
// Hoists what a replayed function computes without its arguments: rows of a loop's matrix that no
// round changes, a window, a table. As part of the recorded plan, it was recomputed by every call,
// and in every round: `off = a - diag(diagonal(a))` below a product in a `fori_loop` took two
// thirds of the loop's time.

#include <span>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// Evaluates operands of the pending results that depend on none of `arguments`, if reading them
/// costs less than recomputing: operands of reductions, scans, gathers and calls, and of maps that
/// are expensive or read more than they produce. Mere broadcasts of something smaller are left to
/// the kernels that read them. So are values that checks wait for: a replay makes its checks again.
void compute_invariants(std::span<const any_array> results, std::span<node* const> arguments,
                        location where);

}  // namespace sinter::detail

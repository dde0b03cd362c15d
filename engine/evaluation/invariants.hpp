#pragma once
// What a function that is replayed computes without its arguments: the rows of a loop's matrix that
// no round changes, a window, a table. It was part of the recorded plan, so every call, and every
// round, computed it again: `off = a - diag(diagonal(a))` below a product in a `fori_loop` took two
// thirds of the loop's time.

#include <span>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// Gives values to what the pending results read that depends on none of `arguments`, where reading
/// it costs less than computing it: to reductions, scans, gathers and calls, to what a call reads,
/// and to maps that are dear or read more than they give. What merely repeats something smaller is
/// left to the kernels that read it. Values that checks wait for are left too: a replay makes its
/// checks again.
void compute_invariants(std::span<const any_array> results, std::span<node* const> arguments,
                        location where);

}  // namespace sinter::detail

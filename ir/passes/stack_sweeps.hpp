#pragma once
// stack_sweeps: runs several sweeps of a stencil over one grid in one kernel (temporal tiling).
//
// Why: every sweep reads and writes its whole grid. A block that also computes a halo can do four
// sweeps per round trip to memory (ir/kernel_stack.hpp), and four small sweeps share one launch.
// Which sweeps are stacked is decided by price: the points recomputed in halos, element by element,
// against the traffic saved.
//
// REQUIRES: memory is not yet planned, no kernels share a launch.

#include "ir/machine.hpp"
#include "ir/plan.hpp"

namespace sinter::ir {

/// Consecutive maps that read what earlier ones write, a few elements from their own points, become
/// the parts of one kernel; at most machine.stack_limit of them. An update among them starts from
/// its base inside the kernel, no longer from a copy.
void stack_sweeps(plan&, const machine&);

}  // namespace sinter::ir

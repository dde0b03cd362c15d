#pragma once
// stack_sweeps: sweeps of a stencil over one grid, several at once.
//
// Why: a sweep reads and writes its whole grid, and the next one does so again. A block that
// computes a few points more than its own can do four sweeps on the way from memory and back
// (ir/kernel_stack.hpp), and four small sweeps wait for one launch. Which ones are stacked is a
// matter of price: what is computed twice along the borders of boxes, element by element, against
// what needs no memory.

#include "ir/machine.hpp"
#include "ir/plan.hpp"

namespace sinter::ir {

/// Maps that follow each other and read what those before them write, a few elements from
/// their own points, become the parts of one kernel; at most machine.stack_limit of them. An update
/// among them starts from its base inside of it, no longer from a copy.
/// REQUIRES: memory is yet to be planned, no kernels share a launch.
void stack_sweeps(plan&, const machine&);

}  // namespace sinter::ir

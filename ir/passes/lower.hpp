#pragma once
// lower: groups become kernels, and a list of steps with a value for every argument slot.
//
// Why: all decisions end here. Axes are merged, classes of steps baked, a schedule chosen; what is
// left for a code generator is printing.

#include "ir/machine.hpp"
#include "ir/passes/fuse.hpp"
#include "ir/plan.hpp"

namespace sinter::ir {

plan lower(const graph&, const fusion&, const machine&);

}  // namespace sinter::ir

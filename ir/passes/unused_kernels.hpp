#pragma once
// drop_unused_kernels: removes kernels that no step runs, with their reports, and renumbers the
// others in the order of their first steps.
//
// Why: stack_sweeps and share_launches merge steps, which leaves kernels without one.

#include "ir/plan.hpp"

namespace sinter::ir {

void drop_unused_kernels(plan&);

}  // namespace sinter::ir

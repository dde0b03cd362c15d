#pragma once
// drop_unused_kernels: after steps have been put together, kernels and their reports that no step
// is of go, and the others are numbered in the order of their first steps.

#include "ir/plan.hpp"

namespace sinter::ir {

void drop_unused_kernels(plan&);

}  // namespace sinter::ir

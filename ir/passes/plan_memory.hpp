#pragma once
// plan_memory: which buffers share memory.
//
// Why: a plan takes all its memory before its first launch, so that running out of it disturbs
// nothing; so what dies inside the plan must be reused by the plan itself.

#include "ir/plan.hpp"

namespace sinter::ir {

/// Fills in last_use, donor and shares of every buffer.
void plan_memory(plan&);

}  // namespace sinter::ir

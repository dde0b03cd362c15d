#pragma once
// plan_memory: decides which buffers of a plan share memory.
//
// Why: a plan allocates all its memory before its first launch, so that running out of memory
// leaves no side effects; the plan itself must therefore reuse what dies inside it.

#include "ir/plan.hpp"

namespace sinter::ir {

/// Fills in last_use, donor and shares of every buffer.
void plan_memory(plan&);

}  // namespace sinter::ir

#pragma once
// share_launches: merges small independent maps into one launch.
//
// Why: a launch costs the host 3 us and a graph node 0.85 us; the work of a small map takes less.
//
// REQUIRES: memory is not yet planned.

#include "ir/machine.hpp"
#include "ir/plan.hpp"

namespace sinter::ir {

/// Replaces kernels of GPU maps by kernels with parts, where no step between them depends on them
/// and none has more than `machine.share_limit` elements.
void share_launches(plan&, const machine&);

}  // namespace sinter::ir

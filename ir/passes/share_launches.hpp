#pragma once
// Small maps that do not depend on each other become the parts of one launch: a launch costs a host
// 3 us and a graph's node 0.85, and the work of a small one is done in less.

#include "ir/machine.hpp"
#include "ir/plan.hpp"

namespace sinter::ir {

/// Replaces kernels of GPU maps by kernels with parts, where nothing that runs between them depends
/// on them and none has more than `machine.share_limit` elements. REQUIRES: memory is yet to be
/// planned.
void share_launches(plan&, const machine&);

}  // namespace sinter::ir

#pragma once
// Running a plan: memory first, then every step.

#include "engine/plan_cache.hpp"
#include "engine/snapshot.hpp"
#include "runtime/device.hpp"

namespace sinter::detail {

/// Looks up what the steps call. The last part of making a plan ready.
void find_calls(ready_plan&);

/// The buffers of the graph's outputs, in order. All memory is taken before the first launch, so
/// that a failure to get it changes nothing. REQUIRES: the evaluation lock; sources on `device`.
std::vector<std::shared_ptr<runtime::buffer>> run_plan(const ready_plan&, const snapshot&,
                                                       runtime::device&);

}  // namespace sinter::detail

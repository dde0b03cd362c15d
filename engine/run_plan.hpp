#pragma once
// Running a plan: memory first, then every step.

#include "engine/plan_cache.hpp"
#include "engine/snapshot.hpp"
#include "engine/status_words.hpp"
#include "runtime/device.hpp"

namespace sinter::detail {

/// Looks up what the steps call. The last part of making a plan ready.
void find_calls(ready_plan&);

struct run_result {
  std::vector<std::shared_ptr<runtime::buffer>> outputs;  // per output of the graph
  /// Per status of the plan: which check of the graph it is of, and the word.
  std::vector<std::pair<std::int32_t, std::shared_ptr<runtime::buffer>>> statuses;
};

/// Runs every step. All memory is taken before the first launch, so
/// that a failure to get it changes nothing. REQUIRES: the evaluation lock; sources on `device`.
run_result run_plan(const ready_plan&, const snapshot&, runtime::device&, status_words&);

}  // namespace sinter::detail

#pragma once
// Running a plan: memory first, then every step.

#include <array>
#include <deque>

#include "engine/calls/kept_call.hpp"
#include "engine/evaluation/plan_cache.hpp"
#include "engine/evaluation/snapshot.hpp"
#include "engine/evaluation/status_words.hpp"
#include "runtime/device.hpp"

namespace sinter::detail {

class round_tape;
struct loop_rounds;

/// Scratch memory that runs share, so that a run allocates only for its outputs.
struct run_room {
  loop_rounds* loop = nullptr;  // allocates the memory of a loop's rounds; null: the device does
  /// On a GPU: small arrays are copied by a kernel, which can be part of a graph; null: by the
  /// device.
  kernel_store* copies = nullptr;
  std::vector<std::shared_ptr<runtime::buffer>> owned;  // per buffer of the plan; null: a source's
  std::vector<runtime::buffer*> buffers;
  std::vector<std::uint64_t> slots;
  std::vector<std::array<std::uint64_t, 4>> copy_slots;
  std::vector<runtime::launch_record> queue;
  std::vector<const ir::kernel*> queued;  // the kernels of the queue; null for calls
  std::deque<kept_call> calls;            // the calls of the queue, and memory for more
  std::vector<void*> inputs, outputs;                     // of a call
  std::vector<runtime::buffer*> input_buffers, output_buffers;
  std::vector<std::shared_ptr<runtime::buffer>> results;  // per output of the graph
  /// Per status of the plan: the check of the graph it belongs to, and the word.
  std::vector<std::pair<std::int32_t, std::shared_ptr<runtime::buffer>>> statuses;
};

/// What a run executed.
struct run_counts {
  std::int64_t launches = 0;  // kernels, calls and copies
  std::int64_t copies = 0;
};

struct timed_launch;

/// Leaves the buffers of the graph's outputs in room.results, and the statuses. All memory is
/// allocated before the first launch, so that out-of-memory has no effect. `timed`: a launch to
/// replace and time between marks (engine/evaluation/tuner.hpp). REQUIRES: the evaluation lock;
/// sources on `device`.
run_counts run_plan(ready_plan&, const snapshot&, runtime::device&, status_words&, once& said,
                    run_room&, timed_launch* timed = nullptr);

}  // namespace sinter::detail

#pragma once
// One kernel for a cycle of a loop's rounds, or for a sequence of a plan's launches
// (ir/kernel_rounds.hpp).
//
// Why: a GPU takes 0.9 us per kernel of a graph, and a round whose condition the host reads 9 us
// more. The kernel is compiled in the background once there have been enough launches to justify
// it, and is used from then on by every run of the plan.
//
// Thread safety: under the evaluation lock, except for compilation.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/evaluation/kernel_store.hpp"
#include "ir/kernel_rounds.hpp"
#include "runtime/device.hpp"

namespace sinter::detail {

class background;

/// What a plan knows about a kernel of its rounds.
struct rounds_memory {
  enum class stage : std::uint8_t { counts, compiles, ready, refused };
  std::vector<std::pair<const ir::kernel*, int>> parts;  // the plan's own kernels, and their
                                                         // threads
  std::vector<int> tests;
  ir::rounds_shape shape;
  std::int64_t played = 0;  // launches it would have saved
  std::atomic<stage> at = stage::counts;
  std::shared_ptr<const ready_kernel> code;  // when it is ready
};

/// A cycle, and its kernel. REQUIRES: kernels and memory outlive it.
class played_rounds {
 public:
  /// The kernels of a cycle, in order, each with its launch; `last`: per round the number of its
  /// last kernel, and `tests` the address of its condition, if there are conditions.
  struct cycle {
    std::vector<const ir::kernel*> kernels;
    std::vector<runtime::launch_record> launches;
    std::vector<std::size_t> last;
    std::vector<const void*> tests;
  };

  /// Null: these rounds cannot be one kernel on this device, or gain nothing.
  static std::unique_ptr<played_rounds> make(const cycle&, runtime::device&,
                                             std::vector<std::shared_ptr<rounds_memory>>& known);

  /// Counts cycles that were launched kernel by kernel.
  void played(std::int64_t cycles, kernel_store&, background&);
  /// Is the kernel compiled?
  bool ready() const { return memory_->at.load(std::memory_order_acquire) == stage::ready; }
  /// The largest number of cycles per launch.
  std::int64_t most_cycles() const;
  /// Queues that many. REQUIRES: ready(). `told`: where it stores how many conditions held.
  void launch(std::int64_t cycles, const void* told, runtime::device&);
  /// Queues a cycle with other slots. False, and nothing is queued, if the kernels differ.
  /// REQUIRES: ready(), no conditions, and launches of the same blocks and threads.
  bool launch_once(std::span<const ir::kernel* const> kernels,
                   std::span<const runtime::launch_record> launches, runtime::device&);

 private:
  using stage = rounds_memory::stage;
  played_rounds() = default;
  void list(const cycle&);
  void fill(std::span<const runtime::launch_record>);
  void add(const ir::kernel& planned, int threads, std::int64_t blocks,
           const std::uint64_t* slots);
  void recall(std::vector<std::shared_ptr<rounds_memory>>& known);
  std::int64_t saved() const;  // launches, per cycle

  std::vector<std::pair<const ir::kernel*, int>> planned_;  // shared launches taken apart
  std::deque<ir::kernel> fixed_;                            // elastic kernels as launched
  std::vector<const ir::kernel*> kernels_;                  // of a cycle's launches
  std::vector<ir::part_of_rounds> parts_;
  std::vector<int> tests_;
  std::vector<std::uint64_t> slots_;
  std::size_t rounds_slot_ = 0;
  ir::rounds_shape shape_;
  std::shared_ptr<rounds_memory> memory_;
  std::unique_ptr<runtime::launch_memory> replay_;
};

}  // namespace sinter::detail

#pragma once
// Plans, keyed by the structure of an evaluation and by the conditions on its sizes under which
// they hold (ir/extent.hpp): the shapes of one program share few plans, and a new shape costs an
// evaluation of a recipe, no planning. Bounded, LRU.
//
// Thread safety: used under the session's evaluation lock.

#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/calls/calls.hpp"
#include "engine/evaluation/kernel_store.hpp"
#include "engine/evaluation/played_rounds.hpp"
#include "ir/plan.hpp"

namespace sinter::detail {

/// An argument slot that is filled in for every run.
struct slot_patch {
  std::uint32_t at = 0;  // index among all slots of the plan
  bool pointer = false;  // adds the address of buffer `index`; else scalar `index`
  std::uint8_t shift = 0, word = 0;
  bool narrow = false, divides = false;
  dtype type = dtype::int64;
  std::int32_t index = -1;
};

/// Fills in addresses of buffers and words of scalars. `address(index)`: std::uintptr_t,
/// `scalar(index)`: const std::uint64_t*.
template <class Address, class Scalar>
void fill_slots(std::span<std::uint64_t> slots, std::span<const slot_patch> patches,
                Address address, Scalar scalar) {
  for (const slot_patch& p : patches) {
    if (p.pointer) {
      slots[p.at] += address(p.index);
      continue;
    }
    slots[p.at] = scalar(p.index)[p.word] >> p.shift;
    if (p.narrow) slots[p.at] &= 0xffffffffu;
    if (p.divides) slots[p.at] = ir::scalar_divisor(slots[p.at], p.type);
  }
}

/// A plan with its kernels compiled: ready to run on one device, for all sizes its recipe accepts.
struct planned {
  planned(ir::plan plan, ir::recipe recipe,
          std::vector<std::shared_ptr<const ready_kernel>> kernels);

  ir::plan plan;
  ir::recipe recipe;
  std::vector<std::shared_ptr<const ready_kernel>> kernels;
  std::vector<const call_row*> calls;  // per step; null if it is no call
  std::vector<slot_patch> patches;
  std::vector<std::uint32_t> first_slot;  // per step, and the end
  /// Per step: kernels, and replayable calls, with nothing between them share a segment.
  std::vector<std::uint32_t> segment;
  std::uint32_t segments = 0;
  double seconds = 0;  // spent planning
  /// Per segment; changed under the evaluation lock. Shared by all sizes: a loop whose slices move
  /// has new ones in every round.
  mutable std::vector<std::unique_ptr<runtime::launch_memory>> replays;
  mutable std::unique_ptr<runtime::launch_memory> cycles;  // several rounds of a loop (round_tape)
  mutable std::vector<std::shared_ptr<rounds_memory>> rounds;  // and the kernels of such
};

struct kernel_tuning;

/// A plan at certain sizes.
struct ready_plan {
  std::shared_ptr<const planned> of;
  std::vector<std::shared_ptr<const ready_kernel>> kernels;  // the planned ones, or faster ones
  std::vector<std::int64_t> numbers;        // of the snapshot
  std::vector<std::uint64_t> slots;         // of all kernels; for a pointer, its byte offset
  std::vector<std::int64_t> blocks, threads, grains;  // per step; threads: 0 unless elastic
  std::vector<std::size_t> bytes;           // per buffer
  std::vector<ir::plan_step> calls;         // per step, if there are calls: with these shapes
  std::vector<std::int64_t> read, written;  // bytes, per kernel
  /// Per segment, if some kernels are not the planned ones; else empty.
  std::vector<std::unique_ptr<runtime::launch_memory>> replays;
  /// Per segment, after many runs: its kernels as one; null: they cannot be combined.
  std::vector<std::unique_ptr<played_rounds>> together;
  std::int64_t runs = 0;
  std::int64_t look = 0;  // the number of runs at which the tuner looks at it next
  std::vector<std::shared_ptr<kernel_tuning>> tuning;  // per kernel; null: nothing is known

  /// Threads per block of a step launched with this kernel.
  int threads_of(std::size_t step, const ready_kernel& k) const {
    return threads[step] > 0 ? static_cast<int>(threads[step]) : k.threads;
  }
};

/// The plan at these sizes; null if they violate its conditions. `values` is scratch.
std::shared_ptr<ready_plan> size_plan(const std::shared_ptr<const planned>&,
                                      std::span<const std::int64_t> numbers,
                                      std::vector<std::int64_t>& values);

class plan_cache {
 public:
  using words = std::span<const std::uint64_t>;

  /// Null: the caller makes a plan and inserts it.
  std::shared_ptr<ready_plan> find(words key, std::span<const std::int64_t> numbers);
  std::shared_ptr<ready_plan> insert(words key, std::span<const std::int64_t> numbers,
                                     std::shared_ptr<const planned> plan);
  void clear();
  std::int64_t hits = 0, misses = 0, resized = 0;
  double seconds = 0;  // spent planning

 private:
  // Each decoding step has new lengths, and should find its plans again at the next sentence: 500
  // lengths of short rows took 83 plans.
  static constexpr std::size_t structures = 4096, plans = 128, sizes = 1024;

  /// Plans of one structure, and their instances at recent sizes. Searched linearly by hash: mostly
  /// the first one matches.
  struct family {
    std::vector<std::uint64_t> key;
    std::vector<std::shared_ptr<const planned>> plans;  // most recently used first
    std::vector<std::uint64_t> hashes;                  // of the numbers of the sized plans
    std::vector<std::shared_ptr<ready_plan>> sized;
    std::size_t next = 0;  // the next one to evict
  };
  struct key_view {
    words key;
    std::size_t hash;
    explicit key_view(words);
    bool operator==(const key_view&) const;
  };
  struct hasher {
    std::size_t operator()(const key_view& k) const { return k.hash; }
  };

  family* find_family(const key_view&);
  static void keep(family&, std::uint64_t hash, std::shared_ptr<ready_plan>);

  std::list<family> families_;  // most recently used first
  std::unordered_map<key_view, std::list<family>::iterator, hasher> index_;
  std::vector<std::int64_t> values_;
};

}  // namespace sinter::detail

#pragma once
// What is known about a kernel and its neighbours (ir/passes/neighbours.hpp), in memory and on
// disk.
//
// On disk a tuning is the name of a schedule and two times, keyed by the kernel, its device and its
// size class. A name that is none of the kernel's neighbours is ignored: whatever is read, a kernel
// runs with a schedule that gives its bits.

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/evaluation/kernel_store.hpp"
#include "runtime/kernel_cache.hpp"

namespace sinter::detail {

/// A schedule of a kernel, and its timings.
struct tuning_candidate {
  std::string name;  // empty: the planner's own
  ir::kernel kernel;
  std::shared_ptr<const ready_kernel> code;  // null: not compiled
  std::vector<double> seconds = {};
  bool dropped = false;  // much slower, or not launchable

  /// The second smallest: the smallest may be an outlier.
  double typical() const;
};

/// What is known about a kernel in one size class.
struct kernel_tuning {
  enum class stage : std::uint8_t { probed, compiled, tried, settled };

  /// The planner's own candidate and its neighbours, `own` compiled.
  kernel_tuning(std::string key, const ir::kernel& kernel, std::shared_ptr<const ready_kernel> own,
                kernel_store& store);

  const std::string key;  // on disk
  kernel_store& store;
  std::vector<tuning_candidate> candidates;  // the planner's own first
  std::atomic<stage> at{stage::probed};      // while `compiled`, candidates belong to the worker
  std::size_t best = 0;
  double own_seconds = 0, best_seconds = 0;  // 0: not timed
  bool recalled = false;                     // from an earlier process
};

struct tuning_note {
  std::string best;  // the name of a neighbour, or empty
  double own_seconds = 0, best_seconds = 0;
};

std::string tuning_key(const kernel_store&, const runtime::device&, const ir::kernel&,
                       int size_class);
/// Null: there is none, or an invalid one.
std::optional<tuning_note> find_note(runtime::kernel_cache&, const std::string& key);
void store_note(runtime::kernel_cache&, const std::string& key, const tuning_note&);

/// For explain: "tuned: unroll 2, 41.2 us instead of 45.1"; empty if nothing was timed.
std::string text_of(const kernel_tuning&);

}  // namespace sinter::detail

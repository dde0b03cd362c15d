#pragma once
// Times hot kernels against their neighbours (ir/passes/neighbours.hpp); the fastest is kept, also
// on disk, per device and size class.
//
// A plan that has run often enough is inspected. Its slow kernels are compiled with other schedules
// by a background thread; then some runs launch one of these instead of the planner's own, between
// two marks, which are read once they have passed. All give the same bits, so real launches are
// used: no extra memory, no waiting, and no visible difference but time. The amount of this per
// process is limited.
//
// Thread safety: members that take a plan, and `forget`, under the session's evaluation lock; the
// others from any thread.

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/evaluation/background.hpp"
#include "engine/evaluation/kernel_store.hpp"
#include "engine/evaluation/plan_cache.hpp"
#include "engine/evaluation/tuning.hpp"
#include "runtime/device.hpp"
#include "runtime/kernel_cache.hpp"

namespace sinter::detail {

struct tuning_limits {
  std::int64_t hot = 64;   // runs of a plan before its kernels are inspected
  int probes = 4;          // timings of the kernel as it is, before anything is compiled
  int rounds = 8;          // timings of each schedule
  double least = 20e-6;    // seconds of a kernel worth tuning: below, launch overhead dominates
  double gain = 0.03;      // the fraction of its time that a neighbour has to save
  double compiling = 20;   // seconds per process spent compiling neighbours
  double trying = 1;       // seconds per process lost to slower ones
};

/// A launch of a run, with a schedule to be timed.
struct timed_launch {
  std::size_t step = 0;
  std::shared_ptr<const ready_kernel> code;
  std::int64_t blocks = 0;
  std::unique_ptr<runtime::time_mark> begin, end;  // set by the run; no end: it was not launched
  std::shared_ptr<kernel_tuning> of;
  std::size_t which = 0;
};

/// Blocks of a step if its kernel has another schedule; 0: it cannot have that one. Launches whose
/// block count does not follow from the kernel (chained scans) keep it.
std::int64_t blocks_with(const ready_plan&, std::size_t step, const ir::kernel& other);

class tuner {
 public:
  /// References are kept. REQUIRES: on destruction, its jobs in `later` are done, or never run.
  tuner(runtime::kernel_cache& disk, background& later, tuning_limits limits = {});
  tuner(const tuner&) = delete;
  tuner& operator=(const tuner&) = delete;

  /// Whether plans made from now on are tuned, or use what is known; initially SINTER_TUNE.
  void enable(bool on) { on_ = on; }
  bool enabled() const { return on_; }

  /// REQUIRES: the plan has run at least `plan.look` times, and this run is the next. Installs what
  /// is known by now, and chooses a launch to time, if `may_try`; sets `plan.look`.
  std::unique_ptr<timed_launch> next(ready_plan& plan, runtime::device&, kernel_store&,
                                     bool may_try);
  /// The launch has been queued, on this device.
  void done(std::unique_ptr<timed_launch>, runtime::device&);

  /// Called when kernels are made again.
  void forget() { known_.clear(); }

 private:
  using tuning = std::shared_ptr<kernel_tuning>;
  using stage = kernel_tuning::stage;
  struct place {
    std::shared_ptr<const ready_kernel> code;
    int size_class;
    bool operator==(const place&) const = default;
  };
  struct hasher {
    std::size_t operator()(const place& p) const {
      return std::hash<const void*>()(p.code.get()) * 64 + static_cast<std::size_t>(p.size_class);
    }
  };
  struct pending {
    std::unique_ptr<timed_launch> launch;
    runtime::device* device;
  };

  place place_of(const ready_plan&, std::size_t kernel) const;
  std::string key_of(const ready_plan&, std::size_t kernel, const runtime::device&,
                     const kernel_store&) const;
  void recall(ready_plan&, const runtime::device&, kernel_store&);
  tuning find(const ready_plan&, std::size_t kernel, const runtime::device&, kernel_store&);
  const tuning& tuning_of(ready_plan&, std::size_t kernel, const runtime::device&, kernel_store&);
  std::unique_ptr<timed_launch> choose(const ready_plan&, std::size_t kernel, const tuning&);
  int in_flight(const kernel_tuning&, std::size_t which) const;
  void collect();
  void take(const tuning&, std::size_t which, double seconds);
  void compile(const tuning&);
  void settle(kernel_tuning&, bool complete);
  void compile_all(kernel_tuning&);

  runtime::kernel_cache& disk_;
  background& later_;
  const tuning_limits limits_;
  std::atomic<bool> on_;
  std::unordered_map<place, tuning, hasher> known_;  // null: looked up, nothing is known
  std::deque<pending> pending_;
  double lost_ = 0;  // seconds, to slower schedules
  std::atomic<double> compiling_ = 0;  // seconds, in the background
};

}  // namespace sinter::detail

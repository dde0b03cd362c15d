#pragma once
// Hot kernels, timed beside their neighbours (ir/passes/neighbours.hpp); the fastest stays, also on
// disk, for its device and for sizes of its class.
//
// A plan that has run often enough is looked at. Kernels that take long are compiled with other
// schedules by a thread in the background; then some runs launch one of these in place of the
// planner's own, between two marks, which are read once they have passed. All give the same bits,
// so real launches will do: no memory is taken, nothing waits, and nobody can tell but by the
// clock. How much of that a process does is limited.
//
// Thread safety: what takes a plan, and `forget`, under the session's evaluation lock; the rest
// from any thread.

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
  std::int64_t hot = 64;   // runs of a plan, before its kernels are looked at
  int probes = 4;          // timings of a kernel as it is, before anything is compiled
  int rounds = 8;          // timings of each schedule
  double least = 20e-6;    // seconds of a kernel worth tuning: of less, its launch is the most
  double gain = 0.03;      // the part of its time that a neighbour has to save
  double compiling = 20;   // seconds a process compiles neighbours for
  double trying = 1;       // seconds it loses to slower ones
};

/// A launch of a run, with a schedule that is to be timed.
struct timed_launch {
  std::size_t step = 0;
  std::shared_ptr<const ready_kernel> code;
  std::int64_t blocks = 0;
  std::unique_ptr<runtime::time_mark> begin, end;  // the run's; no end: it was not launched
  std::shared_ptr<kernel_tuning> of;
  std::size_t which = 0;
};

/// Blocks of a step where its kernel has another schedule; 0: it cannot have that one. What a plan
/// launches otherwise than its kernel says (chained scans) keeps its number.
std::int64_t blocks_with(const ready_plan&, std::size_t step, const ir::kernel& other);

class tuner {
 public:
  /// References are kept. REQUIRES: what `later` does for it is done, or never, when it goes.
  tuner(runtime::kernel_cache& disk, background& later, tuning_limits limits = {});
  tuner(const tuner&) = delete;
  tuner& operator=(const tuner&) = delete;

  /// Whether plans that are made from now on are tuned, or take what is known; SINTER_TUNE says it
  /// first.
  void enable(bool on) { on_ = on; }
  bool enabled() const { return on_; }

  /// REQUIRES: the plan has run `plan.look` times or more, and this run is the next. Puts in place
  /// what is known by now, and chooses a launch to time, if `may_try`; sets `plan.look`.
  std::unique_ptr<timed_launch> next(ready_plan& plan, runtime::device&, kernel_store&,
                                     bool may_try);
  /// The launch has been queued, on this device.
  void done(std::unique_ptr<timed_launch>, runtime::device&);

  /// Kernels are made anew.
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
  std::unordered_map<place, tuning, hasher> known_;  // null: asked for, nothing is known
  std::deque<pending> pending_;
  double lost_ = 0;  // seconds, to slower schedules
  std::atomic<double> compiling_ = 0;  // seconds, in the background
};

}  // namespace sinter::detail

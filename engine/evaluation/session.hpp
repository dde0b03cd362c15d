#pragma once
// The session: devices, compilers, plans and kernels: the state that threads share, besides the
// nodes themselves and the mode of their reference counts (engine/nodes/reference_count.hpp).
//
// Per thread (thread_local) are the chosen device (thread_target), what is being recorded
// (unrepeatable, recording_function and tracing_now), a guard while checks are shortened
// (evaluate.cpp), known ranges of stand-ins (known_range), precision modes (thread_precision),
// print options (printing/print.cpp), and in engine/nodes the places where chains were cut, spare
// node memory and the thread's state of reference counting.
//
// Thread safety: `evaluation` is held while nodes are planned and executed; everything else
// synchronises itself.

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <sinter/session.hpp>

#include "codegen/compiler.hpp"
#include "engine/calls/calls.hpp"
#include "engine/evaluation/background.hpp"
#include "engine/evaluation/dump.hpp"
#include "engine/evaluation/kernel_store.hpp"
#include "engine/evaluation/loop_bodies.hpp"
#include "engine/evaluation/nominal_gpu.hpp"
#include "engine/evaluation/plan_cache.hpp"
#include "engine/evaluation/run_plan.hpp"
#include "engine/evaluation/status_words.hpp"
#include "engine/evaluation/tuner.hpp"
#include "engine/random/seeds.hpp"
#include "ir/machine.hpp"
#include "runtime/device.hpp"
#include "runtime/kernel_cache.hpp"

namespace sinter::detail {

/// A device with everything needed to plan and compile for it.
struct target {
  std::unique_ptr<runtime::device> device;
  std::shared_ptr<const codegen::compiler> compiler;  // null: kernels are interpreted
  ir::machine machine;
  std::unique_ptr<kernel_store> kernels;
  status_words statuses;
};

/// The kernel after a product that the library does not finish
/// (engine/evaluation/finish_product.hpp).
struct finishing_plan {
  std::shared_ptr<ready_plan> plan;
  std::vector<std::array<std::uint64_t, 2>> scalars;
};

class session {
 public:
  session();
  ~session();

  target& target_of(sinter::device d, location where);
  target& target_of(const runtime::device& d);
  /// The calling thread's device.
  target& current();
  sinter::device default_device();
  std::vector<sinter::device> devices();
  std::string status();
  /// Makes plans and kernels be made again when next needed, so that dumps show them.
  void forget_plans();

  std::mutex evaluation;
  /// Scratch memory that evaluations share. Under their lock.
  struct {
    snapshot snap;
    run_room run;
    std::vector<any_array> held;
    const runtime::device* device = nullptr;  // the most recent one, and its target
    target* of_device = nullptr;
    std::map<std::vector<std::int64_t>, finishing_plan> finishing;
  } room;
  plan_cache plans;
  dump_settings dumps;
  nominal_gpu nominal;
  std::atomic<bool> fuse{true};
  std::atomic<std::int64_t> launches{0}, copies{0};
  seed_sequence seeds;
  loop_bodies bodies;
  once said;

 private:
  target& cpu();
  target* cuda(int index);

  std::mutex mutex_;  // guards the targets
  std::unique_ptr<target> cpu_;
  std::vector<std::unique_ptr<target>> cuda_;
  int cuda_count_ = -1;
  std::string cuda_status_, llvm_status_;
  runtime::kernel_cache disk_;

 public:
  tuner tuning;
  background later;  // destroyed before the members it works for
};

/// The default session; created at first use, never destroyed (handles may outlive statics).
session& the_session();

/// The calling thread's choice, set by device_scope; null: the default device.
target*& thread_target();

runtime::device& current_device();
/// Is it a GPU? Recording then chooses layouts for one.
bool on_gpu();

/// Rethrows a runtime device_error as the corresponding public error.
[[noreturn]] void rethrow(std::string_view op, location where);

}  // namespace sinter::detail

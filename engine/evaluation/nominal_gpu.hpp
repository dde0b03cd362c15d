#pragma once
// What a GPU would run, for dumps on machines without one: the plan is made again for a nominal
// sm_90, its text is printed and, if NVRTC is available, compiled. It is never run.
//
// Thread safety: used under the session's evaluation lock.

#include <functional>
#include <memory>
#include <string>
#include <unordered_set>

#include "codegen/compiler.hpp"
#include "engine/evaluation/dump.hpp"
#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::detail {

class nominal_gpu {
 public:
  /// Makes the compiler for an architecture; throws with a reason if there is none.
  using maker = std::function<std::shared_ptr<const codegen::compiler>(const char* architecture)>;

  /// A reference to `dumps` is kept.
  nominal_gpu(dump_settings& dumps, maker make) : dumps_(dumps), make_(std::move(make)) {}

  /// Whether a GPU-only stage is requested.
  bool wanted() const {
    return dumps_.wants("cuda") || dumps_.wants("ptx") || dumps_.wants("sass");
  }
  /// Prints the requested stages of each kernel not printed yet. Failures are one line on stderr,
  /// and do not affect the caller.
  void show(const ir::graph&, bool fuse);
  /// The next `show` prints everything again.
  void forget() { shown_.clear(); }

 private:
  const codegen::compiler* compiler();
  void show(const ir::kernel&);

  dump_settings& dumps_;
  const maker make_;
  bool asked_ = false;
  std::shared_ptr<const codegen::compiler> compiler_;
  std::unordered_set<std::string> shown_;  // keys of kernels
};

/// The machine it plans for: an H100 or H200.
ir::machine nominal_machine();

}  // namespace sinter::detail

#pragma once
// The ways a graph is run, and whether they agree.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/fuzz/trial.hpp"

namespace sinter::fuzz {

/// Ways to run a graph.
enum class way : std::uint8_t {
  interpreted,          // the CPU's plan, by the kernel interpreter
  interpreted_unfused,
  gpu_interpreted,      // the GPU's plan, likewise
  gpu_interpreted_unfused,
  gpu_simulated,        // the GPU's plan, by its text on the host
  compiled,             // the CPU's plan, compiled
  compiled_unfused,
  recorded,             // as arrays, through the engine, on the CPU
  vmapped,              // likewise, by vmap over several lists of sources
  cuda,
  cuda_unfused,
  cuda_recorded,
  cuda_vmapped,
};
inline constexpr int way_count = 13;
std::string_view name(way);

/// Elements of outputs, by what is known of them.
struct strictness {
  std::int64_t exact = 0, bounded = 0, unknown = 0;
};

/// How a graph went wrong.
struct failure {
  way how;
  std::string what;
};

class executor {
 public:
  executor();
  ~executor();

  /// Is there a device for it?
  bool available(way) const;

  /// The first of these ways that does not give what the interpreter gives.
  std::optional<failure> check(const trial&, const std::vector<way>&);
  /// The same of sources that hold something else than the trial says; but not by vmap.
  std::optional<failure> check(const trial&, const std::vector<ir::tensor>& sources,
                               const std::vector<way>&);

  /// Over all trials checked so far.
  const strictness& known() const { return known_; }
  /// Kernels compiled so far; `forget` frees them.
  std::int64_t compiled() const;
  void forget();

  /// Applied to graphs before they are planned: a pass that a test breaks.
  std::function<ir::graph(const ir::graph&)> first_pass;

 private:
  struct devices;
  std::vector<ir::tensor> run(const trial&, const std::vector<ir::tensor>& sources, way);
  std::optional<failure> check_slices(const trial&, way);
  ir::machine machine_for(const trial&, way) const;
  std::unique_ptr<devices> devices_;
  strictness known_;
};

}  // namespace sinter::fuzz

#pragma once
// The ways to run a graph, and whether their results agree.

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
  gpu_interpreted,      // the GPU's plan, by the kernel interpreter
  gpu_interpreted_unfused,
  gpu_simulated,        // the GPU's plan, its CUDA text run on the host
  compiled,             // the CPU's plan, compiled
  compiled_unfused,
  recorded,             // as arrays, by the engine, on the CPU
  vmapped,              // the same, by vmap over several lists of sources
  cuda,
  cuda_unfused,
  cuda_recorded,
  cuda_vmapped,
};
inline constexpr int way_count = 13;
std::string_view name(way);

/// Elements of outputs, by how strictly they were compared.
struct strictness {
  std::int64_t exact = 0, bounded = 0, unknown = 0;
};

/// A failure of a graph.
struct failure {
  way how;
  std::string what;
};

class executor {
 public:
  executor();
  ~executor();

  /// Is a device for this way available?
  bool available(way) const;

  /// The first of these ways that differs from the interpreter.
  std::optional<failure> check(const trial&, const std::vector<way>&);
  /// The same with other contents of the sources than the trial's; not for vmap.
  std::optional<failure> check(const trial&, const std::vector<ir::tensor>& sources,
                               const std::vector<way>&);

  /// Over all trials checked so far.
  const strictness& known() const { return known_; }
  /// Kernels compiled so far; `forget` frees them.
  std::int64_t compiled() const;
  void forget();

  /// Applied to graphs before planning, so that tests can inject a broken pass.
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

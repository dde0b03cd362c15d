#pragma once
// Calls: the routines behind a plan's call steps. A routine is a row of a family's table, in the
// family's own file.

#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/plan.hpp"
#include "runtime/device.hpp"

namespace sinter::detail {

/// Lines printed to stderr only once.
class once {
 public:
  /// Prints it, unless it has been printed before. From any thread.
  void say(const std::string& line);
  /// The same with a lazily made line: `what` identifies it, for frequent callers.
  template <class Line> void say(std::span<const std::int64_t> what, Line line) {
    if (is_new(what)) say(line());
  }

 private:
  bool is_new(std::span<const std::int64_t> what);

  std::mutex mutex_;
  std::set<std::string> said_;
  static constexpr std::size_t most_known = 64;  // an evicted one makes its line again
  std::vector<std::vector<std::int64_t>> known_;
};

/// A call as its function sees it. Operands are dense and row-major. An output that is not needed
/// is null. Inputs overlap no output, except for the pairs of `ir::overwritten_input`: those may be
/// one buffer, which is then updated in place.
struct call_site {
  runtime::device& device;
  const ir::plan_step& step;  // shapes and types (inputs, then outputs), attributes
  std::span<void*const> inputs, outputs;
  std::span<runtime::buffer*const> input_buffers, output_buffers;  // the buffers they are in
  std::span<const std::uint64_t> scalars;  // two words each; not among the inputs
  once& said;                              // the session's record of printed lines

  const ir::shape_t& input_shape(std::size_t i) const { return step.shapes[i]; }
  dtype input_type(std::size_t i) const { return step.types[i]; }
  /// REQUIRES: the output is needed.
  const ir::shape_t& output_shape(std::size_t i) const { return step.shapes[inputs.size() + i]; }
  dtype output_type(std::size_t i) const { return step.types[inputs.size() + i]; }
  std::int64_t attribute(std::size_t i) const { return step.attributes[i]; }
};

/// Queues the work on the calling thread's stream. Throws what the runtime throws.
using call_function = void (*)(const call_site&);

struct call_row {
  std::string_view name;
  call_function run;
  /// Does it queue the same work for the same operands, without a check on the results? A device
  /// may then keep what it queued.
  bool is_replayed = false;
};

/// Throws std::logic_error for an unknown name.
const call_row& find_call(std::string_view routine);

// The families, one per file.
std::span<const call_row> product_calls();
std::span<const call_row> linalg_calls();
std::span<const call_row> fourier_calls();
std::span<const call_row> sort_calls();

}  // namespace sinter::detail

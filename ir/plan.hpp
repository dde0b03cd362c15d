#pragma once
// Plans: what the optimizer hands to the engine. Kernels, their execution order, and the contents
// of every argument slot. A plan holds for every evaluation with the same graph structure and
// shapes.

#include <string>
#include <utility>
#include <vector>

#include "ir/graph.hpp"
#include "ir/kernel.hpp"

namespace sinter::ir {

/// The value of an argument slot.
struct slot_value {
  enum class from : std::uint8_t { constant, scalar, pointer };
  from what = from::constant;
  extent bits = 0;  // constant: the slot; pointer: a byte offset
  std::int32_t index =
      -1;  // scalar: ordinal of the graph's scalar (or random) node; pointer: a buffer
  std::uint8_t shift = 0;  // scalar: bits to shift out of the word, for the second of two floats
  std::uint8_t word = 0;   // scalar: which of its two words
  bool narrow = false;     // scalar: keep the low 32 bits
  bool divides = false;    // scalar: an integer of `type`; pass its `scalar_divisor`
  dtype type = dtype::int64;
};

struct plan_buffer {
  /// status: a uint64 that is 0 until a kernel finds an index out of range.
  enum class role : std::uint8_t { source, output, temporary, status };
  role what = role::temporary;
  std::int32_t index = -1;  // source: ordinal of the graph's source node; output: of its outputs;
                            // status: which check of the graph
  dtype type = dtype::float32;
  extent count = 0;            // elements
  std::int32_t last_use = -1;  // step
  /// A source that dies in the step that writes this buffer, is read there only at the element
  /// being written, and has the same size: its memory may be taken if nothing else holds it.
  std::int32_t donor = -1;
  /// A dead buffer with memory of its own, which this one always takes over.
  std::int32_t shares = -1;

  /// Does it need memory at all? Values that a stack of sweeps keeps in tiles do not.
  bool is_used() const { return what != role::temporary || last_use >= 0; }
};

struct plan_step {
  enum class kind : std::uint8_t { kernel, call, copy };
  kind what = kind::kernel;
  // kernel
  std::int32_t kernel = -1;  // index into plan::kernels
  extent blocks = 0;
  extent threads = 0;  // per block, if the schedule is elastic
  extent grain = 1;  // CPU: blocks worth one thread
  /// Of a call too: two words per scalar input.
  std::vector<slot_value> slots;
  /// Buffers written; of a call by output number, -1 for one that is not needed.
  std::vector<std::int32_t> outputs;
  std::vector<std::pair<std::int32_t, std::int32_t>> donors;  // {output, input it may overwrite}
  // call: routine on dense buffers; copy: inputs[0] to outputs[0]
  std::string routine;
  std::vector<std::int32_t> inputs;  // buffers read; by kernels too
  std::vector<shape_t> shapes;       // call: of the inputs, then of the outputs
  std::vector<dtype> types;          // call: likewise
  extent_list attributes;            // call
  std::int32_t origin = -1;          // index into plan::origins
};

/// What explain prints about one kernel.
struct kernel_report {
  std::vector<std::string> ops;       // in order: "multiply", "sum over axis 1"
  std::vector<std::string> refusals;  // why neighbours were not merged into it
  extent bytes_read = 0, bytes_written = 0;
};

struct plan {
  std::vector<kernel> kernels;
  std::vector<kernel_report> reports;  // one per kernel
  std::vector<plan_step> steps;
  std::vector<plan_buffer> buffers;
  std::vector<std::int32_t> outputs;  // per output of the graph: its buffer
  /// Checks of the graph without a status of their own, and the check whose status they share: five
  /// arrays gathered by one array of indices are checked once.
  std::vector<std::pair<std::int32_t, std::int32_t>> same_checks;
  std::vector<std::string> origins;
};

}  // namespace sinter::ir

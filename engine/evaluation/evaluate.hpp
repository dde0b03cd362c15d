#pragma once
// Evaluation: from pending nodes to buffers.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/evaluation/replayed_checks.hpp"
#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// Materialises the roots on the current device, together: what they share is computed once.
/// Returns when the work is queued. Throws memory_error, device_error; every array stays usable.
/// Errors name `op` and `where`, or, without them, "eval" and the statement that made the first
/// root.
void evaluate(std::span<const any_array> roots, std::string_view op = {}, location where = {});

/// The same in the midst of recording, since a chain got long. Who records goes on with what he
/// holds: what of it is read elsewhere than where it is computed, as by a stencil, is stored too.
void evaluate_to_go_on(std::span<const any_array> roots);

/// The same of what a loop or a function is called with, or finds around it, and reads now.
void evaluate_operands(std::span<const any_array> roots, std::string_view op, location where);

struct loop_rounds;
struct target;
struct ready_plan;

/// What an evaluation ran, to run it again.
struct evaluation_record {
  std::shared_ptr<ready_plan> plan;  // null: it cannot be repeated
  target* on = nullptr;
  std::vector<any_array> sources, outputs;
  std::vector<scalar_word> scalars;
  std::vector<std::uint64_t> key;
  std::vector<std::int64_t> numbers;
  replayed_checks checks;
};

/// evaluate, and keeps what was run: nothing if somebody else holds a pending node of it, whose
/// value would be missing the next time.
void evaluate_recorded(std::span<const any_array> roots, evaluation_record& into, location where);

/// Does evaluating the roots run what was recorded, on these sources? Evaluates nothing.
bool same_evaluation(std::span<const any_array> roots, const evaluation_record&,
                     std::span<node* const> sources);

/// The recorded outputs, and what each carries; no lists if none of them carries anything.
struct replayed_outputs {
  std::vector<std::shared_ptr<runtime::buffer>> buffers;
  std::vector<check_list> checks;
};

/// Computes them again from other sources: one that its node alone holds, and no handle but the
/// caller's, may be taken (`last` says so, by source). A loop's rounds have memory of their own.
replayed_outputs evaluate_again(const evaluation_record&, std::span<node* const> sources,
                                std::span<const char> last, loop_rounds*, location where);

class fused_traces;
/// Traces of a loop's body (sinter/fuse.hpp), whose rounds these are.
std::shared_ptr<fused_traces> make_traces(loop_rounds&);

/// Grows whenever the calling thread does what a recording cannot repeat: evaluates, draws a seed.
std::uint64_t& unrepeatable();

/// Whether the calling thread records a function to replay: chains then may be longer.
bool& recording_function();

}  // namespace sinter::detail

#pragma once
// Evaluation: from pending nodes to buffers.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/evaluation/replayed_checks.hpp"
#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// Materialises the roots on the current device, together: shared operands are computed once.
/// Returns when the work is queued. Throws memory_error, device_error; every array stays usable.
/// Errors name `op` and `where`, or, without them, "eval" and the statement that made the first
/// root.
void evaluate(std::span<const any_array> roots, std::string_view op = {}, location where = {});

/// The same in the middle of recording, because a chain got long. Recording continues with the
/// arrays it holds: those that are read at other elements than they are computed at, as by a
/// stencil, are stored too.
void evaluate_to_go_on(std::span<const any_array> roots);

/// The same for operands of a loop or function, captured or passed, that are read now.
void evaluate_operands(std::span<const any_array> roots, std::string_view op, location where);

struct loop_rounds;
struct target;
struct ready_plan;

/// What an evaluation ran, for replay.
struct evaluation_record {
  std::shared_ptr<ready_plan> plan;  // null: it cannot be repeated
  target* on = nullptr;
  std::vector<any_array> sources, outputs;
  std::vector<scalar_word> scalars;
  std::vector<std::uint64_t> key;
  std::vector<std::int64_t> numbers;
  replayed_checks checks;
};

/// evaluate, recording what was run: nothing if a pending node of it is held elsewhere, whose value
/// would be missing the next time.
void evaluate_recorded(std::span<const any_array> roots, evaluation_record& into, location where);

/// Would evaluating the roots run the recorded evaluation, on these sources? Evaluates nothing.
bool same_evaluation(std::span<const any_array> roots, const evaluation_record&,
                     std::span<node* const> sources);

/// The recorded outputs, and their checks; no lists if none has any.
struct replayed_outputs {
  std::vector<std::shared_ptr<runtime::buffer>> buffers;
  std::vector<check_list> checks;
};

/// Computes them again from other sources: one that only its node holds, with no handle but the
/// caller's, may be overwritten (`last` marks these, per source). A loop's rounds have their own
/// memory.
replayed_outputs evaluate_again(const evaluation_record&, std::span<node* const> sources,
                                std::span<const char> last, loop_rounds*, location where);

class fused_traces;
/// Traces of a loop's body (sinter/fuse.hpp), for these rounds.
std::shared_ptr<fused_traces> make_traces(loop_rounds&);

/// Grows whenever the calling thread does something a recording cannot repeat: evaluates, draws a
/// seed.
std::uint64_t& unrepeatable();

/// Whether the calling thread records a function for replay: chains may then be longer.
bool& recording_function();

/// Tells the function that the calling thread records, if any, that the host sees elements of x:
/// those of an argument are others in the next call, so it is not replayed.
void note_read(const any_array& x);

}  // namespace sinter::detail

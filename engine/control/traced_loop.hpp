#pragma once
// Loops with elementwise bodies as one node: what the body records on stand-ins becomes a scalar
// program that a kernel runs round by round.

#include <optional>
#include <string>
#include <vector>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// One round of a loop, as a function recorded it on stand-ins (make_placeholder).
struct traced_loop {
  std::vector<any_array> carries;  // stand-ins for the carries, ...
  any_array round;                 // ... for the round number (int64; may be missing), ...
  std::vector<any_array> slices;   // ... and for slices, one read per round
  std::vector<any_array> first;    // the initial carries
  std::vector<any_array> sliced;   // arrays of shape [rounds, ...slice]
  any_array condition;             // bool: is there another round
  std::vector<any_array> next;     // per carry; of its type and shape
  std::vector<any_array> emitted;  // stacked over the rounds
  std::int64_t rounds = 0;         // the number of rounds, if something is emitted
};

/// The final carries, then what was emitted, of shape [rounds, ...]: recorded, not computed.
/// Nothing if the round is not elementwise over one shape; `why` then explains. Arrays that depend
/// on no stand-in are computed once, before the loop, whatever they are.
std::optional<std::vector<any_array>> in_one_kernel(const traced_loop&, std::string& why,
                                                    location where);

/// Does a round consist of maps, views and updates alone, on planes of this many points, so that
/// several rounds make few kernels (ir/passes/stack_sweeps)?
bool is_of_sweeps(const traced_loop&, std::int64_t points);

class batcher;

/// What the calling thread is recording.
struct tracing_state {
  bool recording = false;     // a function, whose chains may be longer
  bool tracing = false;       // one that is called on stand-ins
  batcher* mapped = nullptr;  // the innermost of these, if it is mapped over slices
  const any_array* live = nullptr;  // a bool of rank 0: false where the results are not needed
};
tracing_state tracing_now();
/// The same, without cutting chains: for recording on results of a function on stand-ins, which
/// have no values.
tracing_state tracing_on();
inline bool tracing() { return tracing_now().tracing; }

/// `wrong` (zero: nothing is), masked to where the current recording is needed: in a branch that is
/// taken, for a slice whose loop continues.
any_array where_live(const any_array& wrong, location where);
/// A condition, and that it is needed here.
any_array while_live(const any_array& condition, location where);

/// From now on the calling thread records what is needed only where this holds; null: everywhere.
void set_live(const any_array*);

/// While it lives, the calling thread records a function on stand-ins, or in the given state.
class [[nodiscard]] tracing_scope {
 public:
  tracing_scope() : tracing_scope({true, true, nullptr}) {}
  explicit tracing_scope(const tracing_state& now);
  ~tracing_scope();
  tracing_scope(const tracing_scope&) = delete;

 private:
  tracing_state before_;
};

/// Thrown by a function on stand-ins that needs a value to continue: it cannot be traced.
struct untraceable {};

}  // namespace sinter::detail

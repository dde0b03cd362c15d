#pragma once
// Loops whose body is elementwise, as one node: what the body records on stand-ins becomes a scalar
// program that a kernel runs round by round.

#include <optional>
#include <string>
#include <vector>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// One round of a loop, as a function recorded it on stand-ins (make_placeholder).
struct traced_loop {
  std::vector<any_array> carries;  // stand-ins for what is carried, ...
  any_array round;                 // ... for the number of the round (int64; may be none), ...
  std::vector<any_array> slices;   // ... and for what is read a slice a round
  std::vector<any_array> first;    // what the carries begin with
  std::vector<any_array> sliced;   // arrays of shape [rounds, ...slice]
  any_array condition;             // bool: is there another round
  std::vector<any_array> next;     // by carry; of its type and shape
  std::vector<any_array> emitted;  // kept from every round
  std::int64_t rounds = 0;         // as many, where something is emitted
};

/// What the carries come to, then what was emitted, of shape [rounds, ...]: recorded, not computed.
/// Nothing if the round is not elementwise over one shape; `why` says what is in the way. Arrays
/// that depend on no stand-in are computed once, before the loop, whatever they are.
std::optional<std::vector<any_array>> in_one_kernel(const traced_loop&, std::string& why,
                                                    location where);

/// Is a round maps, views and updates alone, of planes of so many points, so that several of them
/// make few kernels (ir/passes/stack_sweeps)?
bool is_of_sweeps(const traced_loop&, std::int64_t points);

class batcher;

/// What the calling thread records.
struct tracing_state {
  bool recording = false;     // a function, whose chains may be longer
  bool tracing = false;       // one that is called on stand-ins
  batcher* mapped = nullptr;  // the innermost of these is mapped over slices
  const any_array* live = nullptr;  // a bool of rank 0: false where nobody wants what is recorded
};
tracing_state tracing_now();
/// The same, but chains are not cut: for whoever records on what a function gave of its stand-ins,
/// which have no values.
tracing_state tracing_on();
inline bool tracing() { return tracing_now().tracing; }

/// What would be wrong (zero: nothing is), where what is recorded now is wanted at all: in a branch
/// that is chosen, for a slice whose loop goes on.
any_array where_live(const any_array& wrong, location where);
/// A condition that holds where it is wanted too.
any_array while_live(const any_array& condition, location where);

/// From now on the calling thread records what is wanted where this holds; null: anywhere.
void set_live(const any_array*);

/// While it lives, the calling thread records a function on stand-ins, or what is said.
class [[nodiscard]] tracing_scope {
 public:
  tracing_scope() : tracing_scope({true, true, nullptr}) {}
  explicit tracing_scope(const tracing_state& now);
  ~tracing_scope();
  tracing_scope(const tracing_scope&) = delete;

 private:
  tracing_state before_;
};

/// What a function on stand-ins throws where its value is needed to go on: it cannot be traced.
struct untraceable {};

}  // namespace sinter::detail

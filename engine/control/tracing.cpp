// The calling thread's recording state, and the condition under which what it records is live.
#include "engine/control/traced_loop.hpp"
#include "engine/evaluation/evaluate.hpp"
#include "engine/nodes/recording.hpp"

namespace sinter::detail {
namespace {

/// All of the state but `recording`, which is a variable of its own.
tracing_state& tracing_beside() {
  thread_local tracing_state now;
  return now;
}

}  // namespace

any_array while_live(const any_array& condition, location where) {
  const any_array* live = tracing_now().live;
  return live ? make_op(ir::op::logical_and, {condition, *live}, where) : condition;
}

any_array where_live(const any_array& wrong, location where) {
  const any_array* live = tracing_now().live;
  if (!live || !wrong.valid()) return wrong;
  if (wrong.dtype() == dtype::bool_) return while_live(wrong, where);
  return make_op(ir::op::where, {*live, wrong, make_scalar({}, wrong.dtype(), where)}, where);
}

tracing_state tracing_now() {
  tracing_state now = tracing_beside();
  now.recording = recording_function();
  return now;
}

tracing_state tracing_on() {
  tracing_state now = tracing_now();
  now.recording = true;
  return now;
}

void set_live(const any_array* live) {
  tracing_beside().live = live;
}

tracing_scope::tracing_scope(const tracing_state& now) : before_(tracing_now()) {
  tracing_beside() = now;
  recording_function() = now.recording;
}

tracing_scope::~tracing_scope() {
  tracing_beside() = before_;
  recording_function() = before_.recording;
}

}  // namespace sinter::detail

#include "engine/evaluation/evaluate.hpp"

#include <algorithm>

#include "engine/evaluation/checks.hpp"
#include "engine/evaluation/make_plan.hpp"
#include "engine/evaluation/round_tape.hpp"
#include "engine/evaluation/run_plan.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/evaluation/snapshot.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {

namespace {

/// Work follows the data: the device of the sources, else the calling thread's device.
target& device_for(session& s, const snapshot& snap) {
  const node* first = nullptr;
  for (const node* n : snap.sources) {
    if (!first) first = n;
    if (n->device != first->device) {
      fail<value_error>(error_code::bad_argument, "eval",
                        "operands live on different devices: " + first->device->properties().name +
                            " and " + n->device->properties().name +
                            "; move one with sinter::to(x, device)",
                        snap.outputs.front()->where);
    }
  }
  if (!first) return s.current();
  if (s.room.device != first->device) {
    s.room.of_device = &s.target_of(*first->device);
    s.room.device = first->device;
  }
  return *s.room.of_device;
}

/// The kernel store whose kernels copy small arrays.
kernel_store* copying(const target& t) {
  return t.machine.target == ir::target::gpu ? t.kernels.get() : nullptr;
}

/// Adds to the key what a plan depends on besides the graph.
void add_target(snapshot& snap, const session& s, const target& t) {
  const auto id = t.device->id();
  snap.key.push_back(static_cast<std::uint64_t>(id.index) << 8 |
                     static_cast<std::uint64_t>(id.kind) << 1 | (s.fuse ? 1 : 0));
}

/// A kept plan reads its sources again: the first run must not overwrite sources that were computed
/// for it (compute_invariants), even if nothing else references them.
void keep(evaluation_record& record, snapshot& snap, target& t,
          const std::shared_ptr<ready_plan>& plan) {
  const auto handles = [](const std::vector<node*>& nodes) {
    std::vector<any_array> out;
    for (node* n : nodes) {
      retain(n);
      out.push_back(any_array::take(n));
    }
    return out;
  };
  if (snap.outsiders) return;
  auto checks = checks_to_replay(snap, plan->of->plan.same_checks);
  if (!checks) return;
  std::ranges::fill(snap.may_donate, char{false});
  const auto key = snap.key.all();
  record = {plan,         &t,
            handles(snap.sources), handles(snap.outputs),
            snap.scalars, {key.begin(), key.end()},
            snap.numbers, *std::move(checks)};
}

[[noreturn]] void refuse_placeholder(const node& of, std::string_view op, location where) {
  fail<value_error>(error_code::bad_argument, op.empty() ? "eval" : op,
                    "a value is read of what a function computes from its arguments while it is "
                    "traced: they have none then. Choose with where or cond, repeat with "
                    "while_loop",
                    op.empty() ? of.where : where);
}

/// Runs the plan; the tuner times one of its kernels in some of the runs.
void launch_plan(session& s, snapshot& snap, target& t, ready_plan& plan, bool recorded) {
  s.room.run.copies = copying(t);
  std::unique_ptr<timed_launch> timed;
  if (plan.runs >= plan.look) timed = s.tuning.next(plan, *t.device, *t.kernels, !recorded);
  const run_counts counts =
      run_plan(plan, snap, *t.device, t.statuses, s.said, s.room.run, timed.get());
  if (timed) s.tuning.done(std::move(timed), *t.device);
  ++plan.runs;
  s.launches += counts.launches;
  s.copies += counts.copies;
}

/// Gives the outputs their buffers, and the checks that they will carry.
void settle_outputs(session& s, const snapshot& snap, target& t,
                    const std::shared_ptr<ready_plan>& plan, std::vector<check_list> carried) {
  run_room& room = s.room.run;
  for (node* n : snap.outputs) {  // settling one may drop the last reference to another
    retain(n);
    s.room.held.push_back(any_array::take(n));
  }
  for (const auto& [which, word] : room.statuses) {
    found_status(*snap.gathers[static_cast<std::size_t>(which)], word, *t.device);
  }
  for (std::size_t i = 0; i < snap.outputs.size(); ++i) {
    snap.outputs[i]->plan = plan;
    if (!carried.empty()) carry(*snap.outputs[i], std::move(carried[i]));
    settle(*snap.outputs[i], *t.device, std::move(room.results[i]));
  }
}

void run(session& s, std::span<const any_array> roots, evaluation_record* record,
         std::string_view op, location where) {
  snapshot& snap = s.room.snap;
  take_snapshot(roots, snap);
  if (snap.placeholder) refuse_placeholder(*snap.placeholder, op, where);
  if (snap.outputs.empty()) return;
  target& t = device_for(s, snap);
  add_target(snap, s, t);
  auto plan = s.plans.find(snap.key.all(), snap.numbers);
  if (!plan) plan = s.plans.insert(snap.key.all(), snap.numbers, make_plan(s, t, snap));
  ++unrepeatable();
  // A function that reads a value is not replayed, so its chains need not stay whole: twenty rounds
  // of conjugate gradients, each of which reads a norm, took 62 ms when traced and 10.3 ms with
  // chains cut as usual.
  recording_function() = false;
  if (record) keep(*record, snap, t, plan);
  auto carried = inherited_checks(snap, plan->of->plan.same_checks);
  launch_plan(s, snap, t, *plan, record != nullptr);
  settle_outputs(s, snap, t, plan, std::move(carried));
}

/// Clears what belongs to one evaluation from the session's reusable memory.
struct room_cleaner {
  session& s;
  ~room_cleaner() {
    s.room.run.owned.clear();
    s.room.run.results.clear();
    s.room.run.statuses.clear();
    s.room.run.loop = nullptr;
    s.room.snap.clear();
    s.room.held.clear();
  }
};

}  // namespace

std::uint64_t& unrepeatable() {
  thread_local std::uint64_t count = 0;
  return count;
}

bool& recording_function() {
  thread_local bool on = false;
  return on;
}

namespace {

bool pending(std::span<const any_array> roots) {
  return std::ranges::any_of(roots, [](const any_array& r) {
    return r.get()->depth.load(std::memory_order_acquire) != 0;
  });
}

void evaluate_on(std::span<const any_array> roots, evaluation_record* record, std::string_view op,
                 location where, bool goes_on = false) {
  if (!pending(roots)) return;
  session& s = the_session();
  // Keeps the roots alive: settling one may release the last handle of another.
  inline_vector<any_array, 4> held;
  held.assign(roots);
  const std::scoped_lock lock(s.evaluation);
  const room_cleaner clean{s};
  s.room.snap.goes_on = goes_on;
  try {
    run(s, held, record, op, where);
  } catch (const runtime::out_of_memory& e) {
    const any_array& x = held[0];
    fail<memory_error>(error_code::out_of_memory, op.empty() ? "eval" : op,
                       text_of(x) + ": " + e.what(), op.empty() ? x.get()->where : where);
  } catch (...) {
    rethrow(op.empty() ? "eval" : op, op.empty() ? held[0].get()->where : where);
  }
}

}  // namespace

namespace {

/// A loop in which every round adds a check would otherwise carry and copy all of them.
void shorten_all(std::span<const any_array> roots) {
  thread_local bool looking = false;  // guards against recursion: reading statuses evaluates them
  if (looking) return;
  looking = true;
  const auto done = [](bool* on) { *on = false; };
  const std::unique_ptr<bool, decltype(done)> looked(&looking, done);
  std::ranges::for_each(roots, shorten_checks);
}

}  // namespace

void evaluate(std::span<const any_array> roots, std::string_view op, location where) {
  evaluate_on(roots, nullptr, op, where);
  shorten_all(roots);
}

void evaluate_to_go_on(std::span<const any_array> roots) {
  // A function too long to be replayed continues in short chains, whose nodes stay in the caches:
  // 8,000 sweeps of a stencil, recorded and launched, 1.15 -> 0.9 us each.
  recording_function() = false;
  evaluate_on(roots, nullptr, {}, {}, true);
  shorten_all(roots);
}

void evaluate_operands(std::span<const any_array> roots, std::string_view op, location where) {
  evaluate_on(roots, nullptr, op, where, true);
  shorten_all(roots);
}

void evaluate_recorded(std::span<const any_array> roots, evaluation_record& into, location where) {
  evaluate_on(roots, &into, "fuse", where);
}

bool same_evaluation(std::span<const any_array> roots, const evaluation_record& record,
                     std::span<node* const> sources) {
  session& s = the_session();
  const std::scoped_lock lock(s.evaluation);
  const room_cleaner clean{s};
  snapshot& snap = s.room.snap;
  take_snapshot(roots, snap);
  add_target(snap, s, *record.on);
  const auto same = [](const scalar_word& a, const scalar_word& b) {
    return a.bits[0] == b.bits[0] && a.bits[1] == b.bits[1];
  };
  return std::ranges::equal(snap.key.all(), record.key) && snap.numbers == record.numbers &&
         std::ranges::equal(snap.scalars, record.scalars, same) &&
         std::ranges::equal(snap.sources, sources);
}

namespace {

using numbered_word = std::pair<std::int32_t, std::shared_ptr<runtime::buffer>>;

/// Reports the statuses that are outputs, and those of index arrays, which all rounds share.
void tell_statuses(const evaluation_record& record, std::span<const numbered_word> words,
                   std::span<const std::shared_ptr<runtime::buffer>> outputs, round_tape& tape) {
  for (const auto& c : record.checks.checks) {
    if (c.output < 0) {
      const auto it = std::ranges::find(words, c.gather, &numbered_word::first);
      if (it != words.end()) tape.word(c.like, it->second);
      continue;
    }
    const auto at = static_cast<std::size_t>(c.output);
    tape.status(c.like, *outputs[at], record.outputs[at].dtype());
  }
}

}  // namespace

replayed_outputs evaluate_again(const evaluation_record& record, std::span<node* const> sources,
                                std::span<const char> last, loop_rounds* loop, location where) {
  session& s = the_session();
  const std::scoped_lock lock(s.evaluation);
  const room_cleaner clean{s};
  snapshot& snap = s.room.snap;
  snap.sources.assign(sources.begin(), sources.end());
  snap.scalars = record.scalars;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    snap.may_donate.push_back(last[i] && sources[i]->references.value() == 1 &&
                              sources[i]->buffer.use_count() == 1 &&
                              !sources[i]->buffer->lent());
  }
  try {
    target& t = *record.on;
    s.room.run.loop = loop;
    if (loop && loop->tape.wanted()) loop->tape.begin(record.plan, !record.checks.checks.empty());
    s.room.run.copies = copying(t);
    const run_counts counts =
        run_plan(*record.plan, snap, *t.device, t.statuses, s.said, s.room.run);
    ++record.plan->runs;
    ++s.plans.hits;
    s.launches += counts.launches;
    s.copies += counts.copies;
  } catch (...) {
    rethrow("fuse", where);
  }
  replayed_outputs out{std::move(s.room.run.results), {}};
  if (loop && loop->tape.wanted()) {
    tell_statuses(record, s.room.run.statuses, out.buffers, loop->tape);
  }
  const auto unchecked = [](const node* n) { return n->unchecked.load(std::memory_order_acquire); };
  if (!record.checks.checks.empty() || std::ranges::any_of(sources, unchecked)) {
    const replayed_run run{sources, s.room.run.statuses, out.buffers, record.outputs};
    out.checks = replay_checks(record.checks, run, *record.on->device);
  }
  return out;
}

void evaluate_all(const any_array* first, std::size_t count, location where) {
  for (std::size_t i = 0; i < count; ++i) checked(first[i], "eval", where);
  evaluate({first, count});
}

any_array to_device(const any_array& x, sinter::device d, location where) {
  node& n = checked(x, "to", where);
  evaluate({&x, 1}, "to", where);
  target& t = the_session().target_of(d, where);
  if (n.device == t.device.get()) return x;
  host_size(x, "to", where);
  try {
    if (n.buffer->home() != n.device->current_stream()) n.device->use(*n.buffer);
    std::vector<std::byte> host(static_cast<std::size_t>(x.nbytes()));
    n.device->copy_to_host(host.data(), *n.buffer, 0, host.size());
    verify_checks(x);
    auto buffer = t.device->allocate(host.size());
    t.device->copy_from_host(*buffer, 0, host.data(), host.size());
    return make_source(std::move(buffer), *t.device, n.type, n.shape);
  } catch (...) {
    rethrow("to", where);
  }
}

}  // namespace sinter::detail

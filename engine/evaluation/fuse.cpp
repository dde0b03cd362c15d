#include <algorithm>
#include <list>
#include <mutex>
#include <optional>

#include <sinter/fuse.hpp>
#include <sinter/linalg.hpp>

#include "engine/evaluation/evaluate.hpp"
#include "engine/evaluation/invariants.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/nodes/node.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {

namespace {

constexpr std::size_t most_traces = 64;

/// The origin of an array that a call reads or returns.
struct place {
  enum class of { argument, captured, output };
  of what = of::output;
  std::size_t index = 0;
};

struct fused_trace {
  std::vector<std::uint64_t> signature;
  evaluation_record record;
  std::vector<place> sources, results;
  std::vector<any_array> captured;
  std::vector<char> given;  // per argument: is a result the argument itself?

  inline_vector<node*, 16> nodes(std::span<const any_array> arguments) const {
    inline_vector<node*, 16> out;
    for (const place& p : sources) {
      out.push_back((p.what == place::of::argument ? arguments[p.index] : captured[p.index]).get());
    }
    return out;
  }

  place find(const any_array& x, std::span<const any_array> arguments) {
    const auto of = [&](place::of what, std::span<const any_array> list) -> std::optional<place> {
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].get() == x.get()) return place{what, i};
      }
      return std::nullopt;
    };
    if (const auto a = of(place::of::argument, arguments)) return *a;
    if (const auto o = of(place::of::output, record.outputs)) return *o;
    if (const auto c = of(place::of::captured, captured)) return *c;
    captured.push_back(x);
    return {place::of::captured, captured.size() - 1};
  }
};

}  // namespace

/// The traces of one function, most recently used first. Thread-safe.
class fused_traces {
 public:
  explicit fused_traces(const fuse_options& o, loop_rounds* l = nullptr) : options(o), loop(l) {}

  std::shared_ptr<fused_trace> find(std::span<const std::uint64_t> signature) {
    const std::scoped_lock lock(mutex_);
    for (auto it = list_.begin(); it != list_.end(); ++it) {
      if (!std::ranges::equal((*it)->signature, signature)) continue;
      if (it != list_.begin()) list_.splice(list_.begin(), list_, it);
      return *list_.begin();
    }
    return nullptr;
  }
  void insert(std::shared_ptr<fused_trace> t) {
    const std::scoped_lock lock(mutex_);
    list_.push_front(std::move(t));
    if (list_.size() > most_traces) list_.pop_back();
  }

  const fuse_options options;
  loop_rounds* const loop;  // the loop whose body the function is, or null

 private:
  std::mutex mutex_;
  std::list<std::shared_ptr<fused_trace>> list_;
};

std::shared_ptr<fused_traces> make_traces(const fuse_options& options) {
  return std::make_shared<fused_traces>(options);
}
std::shared_ptr<fused_traces> make_traces(loop_rounds& of) {
  return std::make_shared<fused_traces>(fuse_options{}, &of);
}

namespace {

/// The stand-ins for the arguments of the call that this thread records; null: it records none.
const std::vector<node*>*& recorded_arguments() {
  thread_local const std::vector<node*>* arguments = nullptr;
  return arguments;
}

}  // namespace

void note_read(const any_array& x) {
  const std::vector<node*>* const arguments = recorded_arguments();
  if (!arguments) return;
  any_array base = x;
  while (auto view = viewed(base)) base = std::move(view->first);
  if (std::ranges::find(*arguments, base.get()) != arguments->end()) ++unrepeatable();
}

struct fused_call::state {
  fused_traces& traces;
  std::span<any_array> arrays;
  location where;
  std::vector<std::uint64_t> signature;
  std::shared_ptr<fused_trace> trace;  // found, but still to be checked
  std::vector<any_array> arguments;    // the caller's arguments, while f sees placeholders
  std::vector<node*> stand_ins;        // not owned: their reference counts are f's
  const std::vector<node*>* outer = nullptr;  // those of a call that this one is part of
  std::uint64_t before = 0;
  bool recording = false;
  bool inlined = false;  // part of an outer function that is being recorded
};

fused_call::fused_call(fused_traces& traces, std::span<any_array> arrays,
                       std::span<const typed_word> scalars, location where)
    : state_(new state{traces, arrays, where, {}, {}, {}, {}}) {
  state_->inlined = recording_function();
  if (state_->inlined) return;
  for (const any_array& x : arrays) checked(x, "fuse", where);
  evaluate_operands(arrays, "fuse", where);
  auto& words = state_->signature;
  for (const any_array& x : arrays) {
    const node& n = *x.get();
    words.push_back(static_cast<std::uint64_t>(n.type) << 32 | n.shape.size());
    for (const std::int64_t e : n.shape) words.push_back(static_cast<std::uint64_t>(e));
    words.push_back(reinterpret_cast<std::uintptr_t>(n.device));
    words.push_back(reinterpret_cast<std::uintptr_t>(n.buffer->data()) % 64 == 0);
  }
  for (const typed_word& w : scalars) {
    words.insert(words.end(),
                 {static_cast<std::uint64_t>(w.type), w.value.bits[0], w.value.bits[1]});
  }
  words.push_back(the_session().fuse);
  words.push_back(static_cast<std::uint64_t>(thread_precision().matmul) << 8 |
                  static_cast<std::uint64_t>(thread_precision().fft));
  words.push_back(reinterpret_cast<std::uintptr_t>(&the_session().current()));
}

fused_call::~fused_call() {
  if (!state_->recording) return;
  recording_function() = false;
  recorded_arguments() = state_->outer;
}

bool fused_call::replay(std::span<any_array> results) {
  state& s = *state_;
  if (s.inlined) return false;
  s.trace = s.traces.find(s.signature);
  if (!s.trace || s.traces.options.check) {
    // f gets placeholders, which distinguish its arguments from its captures.
    s.arguments.assign(s.arrays.begin(), s.arrays.end());
    for (std::size_t i = 0; i < s.arrays.size(); ++i) {
      const node& n = *s.arguments[i].get();
      s.arrays[i] = make_source(n.buffer, *n.device, n.type, n.shape);
      inherit_checks(s.arrays[i], s.arguments[i]);
      s.stand_ins.push_back(s.arrays[i].get());
    }
    s.outer = std::exchange(recorded_arguments(), &s.stand_ins);
    s.before = unrepeatable();
    s.recording = recording_function() = true;
    return false;
  }
  const fused_trace& t = *s.trace;
  inline_vector<char, 16> last;
  for (const place& p : t.sources) {
    last.push_back(p.what == place::of::argument && !t.given[p.index]);
  }
  const auto sources = t.nodes(s.arrays);
  auto [buffers, checks] = evaluate_again(t.record, sources, last, s.traces.loop, s.where);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const place& p = t.results[i];
    if (p.what == place::of::argument) results[i] = s.arrays[p.index];
    if (p.what == place::of::captured) results[i] = t.captured[p.index];
    if (p.what != place::of::output) continue;
    const node& like = *t.record.outputs[p.index].get();
    results[i] = make_source(buffers[p.index], *t.record.on->device, like.type, like.shape);
    results[i].get()->plan = t.record.plan;
    if (!checks.empty()) carry(*results[i].get(), checks[p.index]);
  }
  if (!checks.empty()) std::ranges::for_each(results, shorten_checks);
  return true;
}

void fused_call::finish(std::span<any_array> results) {
  state& s = *state_;
  if (s.inlined) return;
  if (s.recording) recorded_arguments() = s.outer;
  s.recording = recording_function() = false;
  for (const any_array& x : results) checked(x, "fuse", s.where);
  if (unrepeatable() != s.before) return;
  compute_invariants(results, s.stand_ins, s.where);
  if (s.trace && !same_evaluation(results, s.trace->record, s.trace->nodes(s.arrays))) {
    fail<value_error>(error_code::bad_argument, "fuse",
                      "the function records something else than when it was traced: something "
                      "it captured has changed",
                      s.where);
  }
  auto t = std::make_shared<fused_trace>();
  evaluate_recorded(results, t->record, s.where);
  if (s.trace || !t->record.plan) return;
  t->signature = s.signature;
  t->given.resize(s.arrays.size());
  for (const any_array& x : t->record.sources) t->sources.push_back(t->find(x, s.arrays));
  for (const any_array& x : results) {
    t->results.push_back(t->find(x, s.arrays));
    const place& p = t->results.back();
    if (p.what == place::of::argument) t->given[p.index] = true;
  }
  // Only the types and shapes of outputs and placeholders are needed: their memory is the caller's.
  for (any_array& x : t->record.outputs) {
    node& n = *x.get();
    any_array like = make_source(nullptr, *n.device, n.type, n.shape);
    x = std::move(like);
  }
  t->record.sources.clear();
  s.traces.insert(std::move(t));
}

}  // namespace sinter::detail

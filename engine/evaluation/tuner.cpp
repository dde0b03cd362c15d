#include "engine/evaluation/tuner.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "engine/evaluation/now.hpp"
#include "ir/interpreter.hpp"
#include "ir/passes/neighbours.hpp"

namespace sinter::detail {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// Runs between two checks for compiled schedules, and the most launches whose times are unread.
constexpr std::int64_t patience = 16;
constexpr std::size_t most_pending = 16;

/// A schedule slower than the planner's own by this factor is not timed again.
constexpr double far_slower = 1.25;

bool wanted() {
  const char* tune = std::getenv("SINTER_TUNE");
  return !tune || std::strcmp(tune, "off") != 0;
}

/// Calls f(step) for each step that launches the kernel.
template <class F> void each_step(const ready_plan& p, std::size_t kernel, F f) {
  for (std::size_t i = 0; i < p.of->plan.steps.size(); ++i) {
    const ir::plan_step& s = p.of->plan.steps[i];
    if (s.what == ir::plan_step::kind::kernel && s.kernel == static_cast<std::int32_t>(kernel)) {
      f(i);
    }
  }
}

/// Installs the fastest schedule. Recorded launch sequences become invalid.
void apply(ready_plan& p, std::size_t kernel, const kernel_tuning& t) {
  const tuning_candidate& best = t.candidates[t.best];
  if (t.best == 0 || p.kernels[kernel] == best.code) return;
  bool fits = true;
  each_step(p, kernel, [&](std::size_t i) { fits = fits && blocks_with(p, i, best.kernel) > 0; });
  if (!fits) return;
  each_step(p, kernel, [&](std::size_t i) { p.blocks[i] = blocks_with(p, i, best.kernel); });
  p.kernels[kernel] = best.code;
  p.together.clear();
  p.replays.clear();
  p.replays.resize(p.of->segments);
}

}  // namespace

std::int64_t blocks_with(const ready_plan& p, std::size_t step, const ir::kernel& other) {
  const ir::plan_step& s = p.of->plan.steps[step];
  const ir::kernel& own = p.of->plan.kernels[static_cast<std::size_t>(s.kernel)];
  const std::uint64_t* const slots = p.slots.data() + p.of->first_slot[step];
  const std::int64_t planned = p.blocks[step], mine = ir::block_count(own, slots),
                     theirs = ir::block_count(other, slots);
  if (theirs > std::numeric_limits<std::int32_t>::max()) return 0;
  return mine == planned ? theirs : mine == theirs ? planned : 0;
}

tuner::tuner(runtime::kernel_cache& disk, background& later, tuning_limits limits)
    : disk_(disk), later_(later), limits_(limits), on_(wanted()) {}

// ---- known results

tuner::place tuner::place_of(const ready_plan& p, std::size_t kernel) const {
  const auto bytes = static_cast<std::uint64_t>(p.read[kernel] + p.written[kernel]);
  return {p.of->kernels[kernel], static_cast<int>(std::bit_width(bytes) + 1) / 2};
}

std::string tuner::key_of(const ready_plan& p, std::size_t kernel, const runtime::device& d,
                          const kernel_store& store) const {
  return tuning_key(store, d, p.of->plan.kernels[kernel], place_of(p, kernel).size_class);
}

/// Looks up a result on disk. The fastest schedule is compiled now, usually from the kernel cache.
tuner::tuning tuner::find(const ready_plan& p, std::size_t kernel, const runtime::device& d,
                          kernel_store& store) {
  std::string key = key_of(p, kernel, d, store);
  const auto note = find_note(disk_, key);
  if (!note) return nullptr;
  auto t = std::make_shared<kernel_tuning>(std::move(key), p.of->plan.kernels[kernel],
                                           p.of->kernels[kernel], store);
  const auto named = [&](const tuning_candidate& c) { return c.name == note->best; };
  const auto best = std::ranges::find_if(t->candidates, named);
  if (best == t->candidates.end()) return nullptr;
  try {
    if (!best->code) best->code = store.get({best->kernel})[0];
  } catch (const std::exception&) {
    return nullptr;
  }
  t->best = static_cast<std::size_t>(best - t->candidates.begin());
  t->own_seconds = note->own_seconds;
  t->best_seconds = note->best_seconds;
  t->recalled = true;
  t->at.store(stage::settled, std::memory_order_release);
  return t;
}

/// Gives a new plan the results of earlier plans and processes.
void tuner::recall(ready_plan& p, const runtime::device& d, kernel_store& store) {
  p.tuning.resize(p.kernels.size());
  for (std::size_t k = 0; k < p.kernels.size(); ++k) {
    const auto [at, fresh] = known_.try_emplace(place_of(p, k));
    if (fresh) at->second = find(p, k, d, store);
    p.tuning[k] = at->second;
    const bool known = p.tuning[k] && p.tuning[k]->at == stage::settled;
    if (known) apply(p, k, *p.tuning[k]);
  }
}

const tuner::tuning& tuner::tuning_of(ready_plan& p, std::size_t kernel, const runtime::device& d,
                                      kernel_store& store) {
  tuning& mine = p.tuning[kernel];
  if (mine) return mine;
  tuning& shared = known_[place_of(p, kernel)];
  if (!shared) {
    shared = std::make_shared<kernel_tuning>(key_of(p, kernel, d, store),
                                             p.of->plan.kernels[kernel], p.of->kernels[kernel],
                                             store);
  }
  return mine = shared;
}

// ---- runs

std::unique_ptr<timed_launch> tuner::next(ready_plan& p, runtime::device& d, kernel_store& store,
                                          bool may_try) {
  if (p.look == 0) {
    p.look = on_ && store.compiles() ? limits_.hot : never;
    if (p.look != never) recall(p, d, store);
    if (p.runs < p.look) return nullptr;
  }
  if (!on_ || store.shows()) {
    p.look = never;
    return nullptr;
  }
  if (!may_try) return nullptr;
  collect();
  p.look = never;
  std::unique_ptr<timed_launch> chosen;
  for (std::size_t k = 0; k < p.kernels.size(); ++k) {
    const tuning& t = tuning_of(p, k, d, store);
    const stage at = t->at.load(std::memory_order_acquire);
    if (at == stage::settled) {
      apply(p, k, *t);
    } else if (at == stage::compiled) {
      p.look = std::min(p.look, p.runs + patience);
    } else {
      p.look = p.runs + 1;
      if (!chosen && pending_.size() < most_pending) chosen = choose(p, k, t);
    }
  }
  return chosen;
}

int tuner::in_flight(const kernel_tuning& t, std::size_t which) const {
  return static_cast<int>(std::ranges::count_if(pending_, [&](const pending& x) {
    return x.launch->of.get() == &t && x.launch->which == which;
  }));
}

/// Picks the next schedule to time, round robin, so that none has a warmer card or cache.
std::unique_ptr<timed_launch> tuner::choose(const ready_plan& p, std::size_t kernel,
                                            const tuning& t) {
  const bool probing = t->at == stage::probed;
  const int most = probing ? limits_.probes : limits_.rounds;
  std::size_t which = 0, step = 0;
  int fewest = most;
  for (std::size_t i = 0; i < (probing ? 1 : t->candidates.size()); ++i) {
    const tuning_candidate& c = t->candidates[i];
    const int timed = static_cast<int>(c.seconds.size()) + in_flight(*t, i);
    if (c.dropped || timed >= fewest) continue;
    fewest = timed;
    which = i;
  }
  if (fewest == most) {
    const auto ours = [&](const pending& x) { return x.launch->of == t; };
    if (std::ranges::none_of(pending_, ours)) settle(*t, !probing);
    return nullptr;
  }
  bool found = false;
  each_step(p, kernel, [&](std::size_t i) {
    if (!found) step = i;
    found = true;
  });
  tuning_candidate& c = t->candidates[which];
  const std::int64_t blocks = which == 0 ? p.blocks[step] : blocks_with(p, step, c.kernel);
  if (blocks == 0) c.dropped = true;
  if (blocks == 0 || !found) return nullptr;
  auto launch = std::make_unique<timed_launch>();
  *launch = {step, c.code, blocks, nullptr, nullptr, t, which};
  return launch;
}

void tuner::done(std::unique_ptr<timed_launch> launch, runtime::device& d) {
  if (launch->end) {
    pending_.push_back({std::move(launch), &d});
  } else {
    launch->of->candidates[launch->which].dropped = true;
  }
}

/// Reads the times of finished launches.
void tuner::collect() try {
  std::deque<pending> left;
  for (pending& x : std::exchange(pending_, {})) {
    timed_launch& l = *x.launch;
    if (!x.device->passed(*l.end)) {
      left.push_back(std::move(x));
    } else {
      take(l.of, l.which, x.device->seconds_between(*l.begin, *l.end));
    }
  }
  pending_ = std::move(left);
} catch (const runtime::device_error&) {
  on_ = false;  // the failure is reported to whoever waits for the work
}

void tuner::take(const tuning& t, std::size_t which, double seconds) {
  const stage at = t->at.load(std::memory_order_acquire);
  if (at != stage::probed && at != stage::tried) return;
  tuning_candidate &own = t->candidates[0], &c = t->candidates[which];
  c.seconds.push_back(seconds);
  const auto timed = [](const tuning_candidate& x) { return static_cast<int>(x.seconds.size()); };
  if (at == stage::probed) {
    if (timed(own) < limits_.probes) return;
    if (own.typical() < limits_.least || t->candidates.size() == 1) return settle(*t, false);
    own.seconds.clear();
    return compile(t);
  }
  if (which > 0 && timed(own) > 0) {
    lost_ += std::max(0.0, seconds - own.typical());
    if (timed(c) > 1 && c.typical() > far_slower * own.typical()) c.dropped = true;
  }
  const bool complete = std::ranges::all_of(t->candidates, [&](const tuning_candidate& x) {
    return x.dropped || timed(x) >= limits_.rounds;
  });
  if (complete || lost_ >= limits_.trying) settle(*t, complete);
}

/// `complete`: every schedule was timed. Otherwise nothing is chosen or stored.
void tuner::settle(kernel_tuning& t, bool complete) {
  const tuning_candidate& own = t.candidates[0];
  if (complete) {
    t.own_seconds = t.best_seconds = own.typical();
    for (std::size_t i = 1; i < t.candidates.size(); ++i) {
      const tuning_candidate& c = t.candidates[i];
      const double bound = std::min(t.best_seconds, (1 - limits_.gain) * t.own_seconds);
      if (c.dropped || c.typical() >= bound) continue;
      t.best = i;
      t.best_seconds = c.typical();
    }
    // A schedule that was not compiled may be faster: then nothing is stored, and the next process
    // tries again.
    const auto compiled = [](const tuning_candidate& c) { return c.code != nullptr; };
    if (t.best > 0 || std::ranges::all_of(t.candidates, compiled)) {
      store_note(disk_, t.key, {t.candidates[t.best].name, t.own_seconds, t.best_seconds});
    }
  }
  for (std::size_t i = 1; i < t.candidates.size(); ++i) {
    if (i != t.best) t.candidates[i].code = nullptr;
  }
  t.at.store(stage::settled, std::memory_order_release);
}

// ---- in the background

void tuner::compile(const tuning& t) {
  if (later_.stopped() || compiling_ >= limits_.compiling || lost_ >= limits_.trying) {
    return settle(*t, false);
  }
  t->at.store(stage::compiled, std::memory_order_release);
  later_.add([this, t] { compile_all(*t); });
}

void tuner::compile_all(kernel_tuning& t) {
  for (std::size_t i = 1; i < t.candidates.size(); ++i) {
    tuning_candidate& c = t.candidates[i];
    const double start = now();
    c.dropped = later_.stopped() || compiling_ >= limits_.compiling;
    if (c.dropped) continue;
    try {
      c.code = t.store.beside(c.kernel);
    } catch (const std::exception&) {
      c.dropped = true;  // the planner's schedule remains
    }
    compiling_ += now() - start;
  }
  t.at.store(stage::tried, std::memory_order_release);
}

}  // namespace sinter::detail

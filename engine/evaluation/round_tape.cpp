#include "engine/evaluation/round_tape.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "engine/evaluation/guard.hpp"
#include "engine/evaluation/plan_cache.hpp"
#include "engine/evaluation/played_rounds.hpp"
#include "engine/evaluation/read_words.hpp"
#include "engine/evaluation/replayed_checks.hpp"
#include "engine/evaluation/session.hpp"

namespace sinter::detail {

namespace {

/// Two blocks per array make cycles of two rounds; arrays that are passed along a chain need more.
constexpr std::size_t most_rounds = 6;

/// Give up the search for a cycle after this many rounds.
constexpr std::int64_t most_looked = 32;

/// Kernels queued as one graph: a GPU takes 0.85 us for each, instead of 2 for the first alone. The
/// sequence must repeat this often, because a graph takes 4.6 us per kernel to build.
constexpr std::size_t most_together = 64;
constexpr std::int64_t least_repeats = 8;

/// Cycles per turn, after which other threads may evaluate.
constexpr std::int64_t cycles_at_once = 256;

constexpr std::size_t no_output = static_cast<std::size_t>(-1);

}  // namespace

/// A sequence of launches, optionally followed by a call that is not part of it.
struct round_tape::part {
  std::vector<runtime::launch_record> list;
  std::vector<const ir::kernel*> kernels;
  std::uint32_t segment = 0;
  std::unique_ptr<runtime::launch_memory> memory;  // the plan's own memory serves other kernels
  const kept_call* call = nullptr;
};

struct round_tape::round {
  std::shared_ptr<ready_plan> plan;
  std::vector<std::shared_ptr<const ready_kernel>> kernels;  // as recorded: tuning replaces some
  std::vector<std::unique_ptr<std::uint64_t[]>> slots;
  std::vector<std::unique_ptr<kept_call>> calls;
  std::vector<part> parts;
  std::vector<status_of_round> statuses;
  std::vector<lies> given_back;
  std::int64_t launches = 0;

  /// What the device keeps for these launches belongs to the plan, and outlives the loop.
  bool as_planned() const { return kernels == plan->of->kernels && plan->replays.empty(); }
};

round_tape::round_tape() = default;
round_tape::~round_tape() = default;

void round_tape::begin(std::shared_ptr<ready_plan> p, bool checks) {
  checks_ = checks_ || checks;
  auto& r = *rounds_.emplace_back(std::make_unique<round>());
  r.kernels = p->kernels;
  r.plan = std::move(p);
}

void round_tape::launches(std::span<const runtime::launch_record> list,
                          std::span<const ir::kernel* const> kernels, std::uint32_t segment) {
  round& r = *rounds_.back();
  part& p = r.parts.emplace_back();
  p.kernels.assign(kernels.begin(), kernels.end());
  p.segment = segment;
  for (runtime::launch_record x : list) {
    if (x.call) {
      const auto& known = static_cast<const kept_call&>(*x.call);
      const kept_call& copy = *r.calls.emplace_back(std::make_unique<kept_call>(known));
      x.call = &copy;
      x.slots = copy.words();
      p.list.push_back(x);
      continue;
    }
    auto& slots = r.slots.emplace_back(std::make_unique<std::uint64_t[]>(x.slots.size()));
    std::ranges::copy(x.slots, slots.get());
    x.slots = {slots.get(), x.slots.size()};
    p.list.push_back(x);
  }
  r.launches += std::ssize(list);
}

void round_tape::call(call_function run, const call_site& c) {
  round& r = *rounds_.back();
  if (r.parts.empty() || r.parts.back().call) r.parts.emplace_back();
  kept_call& kept = *r.calls.emplace_back(std::make_unique<kept_call>());
  kept.set(run, c);
  r.parts.back().call = &kept;
  ++r.launches;
}

void round_tape::status(std::shared_ptr<const check> like, const runtime::buffer& words,
                        dtype type) {
  if (device_->current_stream()) return refuse();  // its words would arrive later
  rounds_.back()->statuses.push_back({std::move(like), &words, type});
}

void round_tape::word(std::shared_ptr<const check> like, std::shared_ptr<runtime::buffer> word) {
  const auto same = [&](const status_of_round& w) { return w.of == word.get(); };
  if (device_->current_stream() || std::ranges::any_of(words_, same)) return;
  words_.push_back({std::move(like), word.get(), dtype::int64});
  word_memory_.push_back(std::move(word));
}

std::optional<std::size_t> round_tape::seen(const std::vector<lies>& now) const {
  const auto it = std::ranges::find(last_, now);
  if (it == last_.end()) return std::nullopt;
  return static_cast<std::size_t>(it - last_.begin()) + 1;
}

void round_tape::replayed(std::span<const any_array> given, std::span<const any_array> given_back) {
  if (state_ == state::refused || state_ == state::plays) return;
  std::vector<lies> now;
  for (const auto& list : {given, given_back}) {
    for (const any_array& x : list) {
      runtime::buffer* const b = x.get()->buffer.get();
      now.push_back({b, b->data()});
    }
  }
  const auto period = seen(now);
  if (state_ == state::records) {
    if (period == period_) {
      const auto first = now.begin() + static_cast<std::ptrdiff_t>(given.size());
      rounds_.back()->given_back.assign(first, now.end());
      if (rounds_.size() == period_) state_ = state::plays;
    } else {
      state_ = state::looks;
      rounds_.clear();
    }
  } else if (period) {
    period_ = *period;
    state_ = state::records;
    device_ = given_back.front().get()->device;
  } else if (++looked_ > most_looked) {
    state_ = state::refused;
  }
  last_.insert(last_.begin(), std::move(now));
  if (last_.size() > most_rounds) last_.pop_back();
}

void round_tape::play(round& r) {
  session& s = the_session();
  for (part& p : r.parts) {
    auto& memory = r.as_planned() ? r.plan->of->replays[p.segment] : p.memory;
    if (!p.list.empty()) device_->launch_all(p.list, memory);
    if (p.call) p.call->queue();
  }
  s.launches += r.launches;
  look_at(r.statuses);
}

void round_tape::look_at(std::span<const status_of_round> statuses) {
  if (found_) return;
  for (const status_of_round& w : statuses) {
    const auto* first = static_cast<const std::int32_t*>(w.of->data());
    const std::span all(first, w.of->bytes() / sizeof(std::int32_t));
    if (std::ranges::all_of(all, [](std::int32_t x) { return x == 0; })) continue;
    auto kept = device_->allocate(w.of->bytes());
    device_->copy(*kept, 0, *w.of, 0, w.of->bytes());
    const std::int64_t count[] = {
        static_cast<std::int64_t>(w.of->bytes() / size_of(w.type))};
    found_ = detail::copy_of(*w.like);
    found_->status = make_source(std::move(kept), *device_, w.type, count);
    return;
  }
}

/// Do the rounds consist only of launches of one plan?
bool round_tape::same_plan() const {
  return std::ranges::all_of(rounds_, [&](const auto& r) {
    const bool plain = std::ranges::none_of(r->parts, [](const part& p) { return p.call; });
    return plain && r->statuses.empty() && r->as_planned() && r->plan->of == rounds_[0]->plan->of;
  });
}

/// The cycle as one kernel, if that pays; it may not be compiled yet. `which`: the output that ends
/// the loop, or no_output.
played_rounds* round_tape::together(std::size_t which) {
  if (std::exchange(asked_, true)) return together_.get();
  const std::scoped_lock lock(the_session().evaluation);  // all threads share the plan
  if (!the_session().fuse || !same_plan()) return nullptr;
  played_rounds::cycle c;
  for (std::size_t k = 0; k < rounds_.size(); ++k) {
    if (rounds_[k]->launches == 0) return nullptr;
    for (const part& p : rounds_[k]->parts) {
      if (std::ranges::any_of(p.list, [](const auto& x) { return x.call; })) return nullptr;
      c.launches.insert(c.launches.end(), p.list.begin(), p.list.end());
      c.kernels.insert(c.kernels.end(), p.kernels.begin(), p.kernels.end());
    }
    c.last.push_back(c.kernels.size() - 1);
    if (which == no_output) continue;
    c.tests.push_back(output(static_cast<std::int64_t>(k), which).data());
  }
  together_ = played_rounds::make(c, *device_, rounds_[0]->plan->of->rounds);
  return together_.get();
}

/// Sets how many cycles are queued together, if enough remain.
void round_tape::several(std::int64_t cycles) {
  if (!same_plan()) return;
  std::size_t kernels = 0;
  for (const auto& r : rounds_) {
    for (const part& p : r->parts) kernels += p.list.size();
  }
  if (kernels == 0 || kernels > most_together / 2 || long_cycles_ > 0) return;
  const auto room = static_cast<std::int64_t>(most_together / kernels);
  const std::int64_t fit = std::min(room, cycles / least_repeats);
  if (fit * std::ssize(rounds_) < 2) return;
  long_cycles_ = fit;
  for (std::int64_t c = 0; c < fit; ++c) {
    for (const auto& r : rounds_) {
      for (const part& p : r->parts) long_.insert(long_.end(), p.list.begin(), p.list.end());
    }
  }
}

/// Plays some of the remaining cycles. Returns how many.
std::int64_t round_tape::play_some(std::int64_t left, played_rounds* together) {
  session& s = the_session();
  if (together && together->ready()) {
    const std::int64_t now = std::min(left, together->most_cycles());
    together->launch(now, nullptr, *device_);
    ++s.launches;
    return now;
  }
  const bool many = long_cycles_ > 0 && left >= long_cycles_;
  if (many) {
    device_->launch_all(long_, rounds_[0]->plan->of->cycles);
    s.launches += std::ssize(long_);
  } else {
    for (const auto& r : rounds_) play(*r);
  }
  const std::int64_t now = many ? long_cycles_ : 1;
  if (together) together->played(now, *s.target_of(*device_).kernels, s.later);
  return now;
}

void round_tape::play(std::int64_t cycles, location where) {
  several(cycles);
  played_rounds* const one = together(no_output);
  while (cycles > 0) {
    const std::scoped_lock lock(the_session().evaluation);
    guarded("fuse", where, [&] {
      for (std::int64_t done = 0; cycles > 0 && done < cycles_at_once;) {
        const std::int64_t now = play_some(cycles, one);
        cycles -= now;
        done += now;
      }
    });
  }
}

bool round_tape::checks_later() const { return checks_ && device_->current_stream(); }

std::int64_t round_tape::play_while(std::size_t which, location where) {
  played_rounds* const one = together(which);
  for (std::int64_t k = 0;; k = (k + 1) % cycle()) {
    if (k == 0 && one && one->ready()) {
      if (const auto ended = play_while_together(where)) return *ended;
    }
    play_one(k, where);
    look_at(words_);
    if (found_) return k;
    if (!holds(k, which, where)) return k;
    if (k > 0 || !one) continue;
    session& s = the_session();
    const std::scoped_lock lock(s.evaluation);
    one->played(1, *s.target_of(*device_).kernels, s.later);
  }
}

/// By one kernel, which mails how often the condition held; nullopt if that is not possible.
std::optional<std::int64_t> round_tape::play_while_together(location where) {
  session& s = the_session();
  const std::int64_t most = together_->most_cycles();
  for (;;) {
    std::optional<std::uint32_t> held;
    guarded("while_loop", where, [&] {
      held = mailed_word(*device_, [&](const void* told) {
        const std::scoped_lock lock(s.evaluation);
        together_->launch(most, told, *device_);
        ++s.launches;
      });
    });
    if (!held) return std::nullopt;
    if (*held < most * cycle()) return *held % cycle();
  }
}

void round_tape::play_one(std::int64_t of_cycle, location where) {
  const std::scoped_lock lock(the_session().evaluation);
  guarded("fuse", where, [&] { play(*rounds_[static_cast<std::size_t>(of_cycle)]); });
}

const runtime::buffer& round_tape::output(std::int64_t of_cycle, std::size_t which) const {
  return *rounds_[static_cast<std::size_t>(of_cycle)]->given_back[which].first;
}

bool round_tape::holds(std::int64_t of_cycle, std::size_t which, location where) const {
  const runtime::buffer& word = output(of_cycle, which);
  return guarded("while_loop", where, [&] {
    unsigned char value = 0;
    read_buffer(word, *device_, &value, 1);
    return value != 0;
  });
}

any_array round_tape::copy_of(std::int64_t of_cycle, std::size_t which, const any_array& like,
                              location where) const {
  const runtime::buffer& from = output(of_cycle, which);
  return guarded("fuse", where, [&] {
    auto memory = device_->allocate(from.bytes());
    device_->copy(*memory, 0, from, 0, from.bytes());
    return make_source(std::move(memory), *device_, like.dtype(), like.extents());
  });
}

}  // namespace sinter::detail

#include "engine/evaluation/run_plan.hpp"

#include <algorithm>

#include "engine/calls/calls.hpp"
#include "engine/evaluation/played_rounds.hpp"
#include "engine/evaluation/round_tape.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/evaluation/tuner.hpp"

namespace sinter::detail {

namespace {

/// Larger copies take a device longer than splitting a graph costs.
constexpr std::size_t most_copied = std::size_t{1} << 24;

/// Fuse runs of at least this many kernels into one, in plans that have run this often.
constexpr std::size_t least_together = 4;
constexpr std::int64_t often = 64;

class runner {
 public:
  runner(ready_plan& p, const snapshot& s, runtime::device& d, status_words& words, once& said,
         run_room& room, timed_launch* timed)
      : sized_(p),
        ready_(*p.of),
        plan_(p.of->plan),
        snap_(s),
        device_(d),
        words_(words),
        said_(said),
        room_(room),
        tape_(room.loop && room.loop->tape.wanted() ? &room.loop->tape : nullptr),
        timed_(timed) {}

  run_counts run() {
    memory();
    fill();
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const ir::plan_step& s = plan_.steps[i];
      switch (s.what) {
        case ir::plan_step::kind::kernel:
          push(s, i);
          break;
        case ir::plan_step::kind::copy:
          copy(s, i);
          break;
        case ir::plan_step::kind::call:
          call(s, i);
          break;
      }
    }
    flush();
    for (std::int32_t o : plan_.outputs) room_.results.push_back(shared(o));
    room_.owned.clear();  // temporaries return to the pool; only nodes hold outputs
    return counts_;
  }

 private:
  runtime::buffer& at(std::int32_t b) const { return *room_.buffers[static_cast<std::size_t>(b)]; }
  static std::size_t place(std::int32_t b) { return static_cast<std::size_t>(b); }

  void memory() {
    const std::size_t count = plan_.buffers.size();
    room_.results.clear();
    room_.statuses.clear();
    room_.owned.assign(count, nullptr);
    room_.buffers.assign(count, nullptr);
    const runtime::stream* mine = device_.current_stream();
    for (std::size_t i = 0; i < count; ++i) take(i, mine);
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t lender = plan_.buffers[i].shares;
      if (lender >= 0) room_.buffers[i] = room_.buffers[place(lender)];
    }
  }

  void take(std::size_t i, const runtime::stream* mine) {
    const ir::plan_buffer& b = plan_.buffers[i];
    if (b.shares >= 0 || !b.is_used()) return;
    if (b.what == ir::plan_buffer::role::source) {
      room_.buffers[i] = source(b).buffer.get();
      if (room_.buffers[i]->home() == mine) return;
      device_.use(*room_.buffers[i]);
      if (tape_) tape_->refuse();
      return;
    }
    if (b.what == ir::plan_buffer::role::status) {
      room_.owned[i] =
          room_.loop ? room_.loop->memory.word(i, words_, device_) : words_.take(device_);
      room_.statuses.push_back({b.index, room_.owned[i]});
    } else if (b.donor >= 0 && donated(b.donor)) {
      const ir::plan_buffer& donor = plan_.buffers[place(b.donor)];
      room_.owned[i] = source(donor).buffer;
      device_.claim(*room_.owned[i]);
    } else if (room_.loop) {
      room_.owned[i] = room_.loop->memory.take(i, sized_.bytes[i], device_);
    } else {
      room_.owned[i] = device_.allocate(sized_.bytes[i]);
    }
    room_.buffers[i] = room_.owned[i].get();
  }

  const node& source(const ir::plan_buffer& b) const { return *snap_.sources[place(b.index)]; }
  bool donated(std::int32_t source) const {
    return snap_.may_donate[place(plan_.buffers[place(source)].index)];
  }

  std::shared_ptr<runtime::buffer> shared(std::int32_t b) const {
    const ir::plan_buffer& p = plan_.buffers[place(b)];
    if (p.shares >= 0) return shared(p.shares);
    if (p.what == ir::plan_buffer::role::source) return source(p).buffer;
    return room_.owned[place(b)];
  }

  /// The scalars and addresses in the slots of all kernels.
  void fill() {
    room_.slots.assign(sized_.slots.begin(), sized_.slots.end());
    room_.copy_slots.clear();
    room_.copy_slots.reserve(plan_.steps.size());  // queued work refers to them
    fill_slots(
        room_.slots, ready_.patches,
        [&](std::int32_t b) { return reinterpret_cast<std::uintptr_t>(at(b).data()); },
        [&](std::int32_t s) { return snap_.scalars[place(s)].bits; });
  }

  void push(const ir::plan_step& s, std::size_t i) {
    ++counts_.launches;
    const auto& k = *sized_.kernels[place(s.kernel)];
    const char* origin = s.origin >= 0 ? plan_.origins[place(s.origin)].c_str() : "";
    const runtime::launch_record record{
        k.code.get(),
        {sized_.blocks[i], sized_.threads_of(i, k), plan_.kernels[place(s.kernel)].name.c_str(),
         origin, sized_.grains[i]},
        {room_.slots.data() + ready_.first_slot[i], s.slots.size()}};
    if (timed_ && timed_->step == i) return launch_timed(record);
    push(record, &plan_.kernels[place(s.kernel)], ready_.segment[i]);
  }

  void push(const runtime::launch_record& r, const ir::kernel* kernel, std::uint32_t segment) {
    if (room_.queue.empty()) segment_ = segment;
    room_.queue.push_back(r);
    room_.queued.push_back(kernel);
  }

  /// Launches the schedule to be timed, or the plan's own if that one cannot be launched.
  void launch_timed(const runtime::launch_record& r) {
    cut_ = true;
    flush();
    cut_ = true;
    auto begin = device_.mark_time();
    runtime::launch_config config = r.config;
    config.blocks = timed_->blocks;
    config.threads = sized_.threads_of(timed_->step, *timed_->code);
    try {
      device_.launch(*timed_->code->code, config, r.slots);
    } catch (const runtime::device_error&) {
      return device_.launch(*r.kernel, r.config, r.slots);
    }
    timed_->end = device_.mark_time();
    timed_->begin = std::move(begin);
  }

  /// A segment split by a copy does not match the recorded sequence: it is queued piece by piece.
  void flush() {
    if (room_.queue.empty()) return;
    if (tape_) tape_->launches(room_.queue, room_.queued, segment_);
    if (cut_) {
      for (const auto& r : room_.queue) device_.queue(r);
    } else if (!launched_together()) {
      auto& replays = sized_.replays.empty() ? ready_.replays : sized_.replays;
      device_.launch_all(room_.queue, replays[segment_]);
    }
    room_.queue.clear();
    room_.queued.clear();
    calls_ = 0;
    cut_ = false;
  }

  /// Launches the queue as one kernel if that pays and the kernel is compiled. Rounds of a loop are
  /// left to the tape, and kernels slow enough to be tuned gain nothing.
  bool launched_together() {
    const bool few = room_.queue.size() < least_together || sized_.runs < often;
    if (few || calls_ > 0 || room_.loop || !room_.copies || !sized_.replays.empty()) return false;
    if (sized_.together.empty() && !make_together()) return false;
    played_rounds* const one = sized_.together[segment_].get();
    if (!one) return false;
    if (one->ready()) return one->launch_once(room_.queued, room_.queue, device_);
    one->played(1, *room_.copies, the_session().later);
    return false;
  }

  bool make_together() {
    if (ready_.segments > 1 || !the_session().fuse) return false;
    played_rounds::cycle c{room_.queued, room_.queue, {}, {}};
    sized_.together.push_back(played_rounds::make(c, device_, ready_.rounds));
    return true;
  }

  void copy(const ir::plan_step& s, std::size_t i) {
    const std::int32_t to = s.outputs[0], from = s.inputs[0];
    if (&at(to) == &at(from)) return;
    ++counts_.launches;
    ++counts_.copies;
    const std::size_t bytes = sized_.bytes[place(to)];
    const std::size_t reader = after_copies(i);
    const bool small = bytes > 0 && bytes % 4 == 0 && bytes <= most_copied;
    if (room_.copies && small && is_queued(reader)) {
      return copy_words(at(to).data(), at(from).data(), bytes / 4, ready_.segment[reader]);
    }
    cut_ = true;
    flush();
    cut_ = true;
    if (tape_) tape_->refuse();
    device_.copy(at(to), 0, at(from), 0, bytes);
  }

  void copy_words(void* to, const void* from, std::uint64_t words, std::uint32_t segment) {
    const ready_kernel& k = room_.copies->copier();
    const auto& slots = room_.copy_slots.emplace_back(copy_slots(to, from, words));
    const auto blocks = (static_cast<std::int64_t>(words) + copied_by_block - 1) / copied_by_block;
    push({k.code.get(), {blocks, k.threads, "copy", ""}, slots}, &copying_kernel(), segment);
  }

  bool is_queued(std::size_t i) const {
    const call_row* const call = ready_.calls[i];
    return plan_.steps[i].what == ir::plan_step::kind::kernel ||
           (call && call->is_replayed && device_.remembers_calls());
  }

  /// The first step after a run of copies; the copy itself if none follows.
  std::size_t after_copies(std::size_t i) const {
    const auto is_copy = [](const ir::plan_step& s) {
      return s.what == ir::plan_step::kind::copy;
    };
    const auto found = std::find_if_not(plan_.steps.begin() + static_cast<std::ptrdiff_t>(i),
                                        plan_.steps.end(), is_copy);
    return found == plan_.steps.end() ? i : static_cast<std::size_t>(found - plan_.steps.begin());
  }

  void call(const ir::plan_step& planned, std::size_t i) {
    ++counts_.launches;
    if (is_queued(i)) return push_call(planned, i);
    flush();
    const call_site site = site_of(i);
    if (tape_) tape_->call(ready_.calls[i]->run, site);
    ready_.calls[i]->run(site);
    cut_ = false;
  }

  void push_call(const ir::plan_step& planned, std::size_t i) {
    if (calls_ == room_.calls.size()) room_.calls.emplace_back();
    kept_call& c = room_.calls[calls_++];
    c.set(ready_.calls[i]->run, site_of(i));
    push({nullptr, {0, 0, planned.routine.c_str(), ""}, c.words(), &c}, nullptr,
         ready_.segment[i]);
  }

  /// The site's lists belong to the room, and are valid until the next one is made.
  call_site site_of(std::size_t i) {
    const ir::plan_step& s = sized_.calls[i];
    room_.inputs.clear();
    room_.outputs.clear();
    room_.input_buffers.clear();
    room_.output_buffers.clear();
    for (std::int32_t b : s.inputs) {
      room_.input_buffers.push_back(&at(b));
      room_.inputs.push_back(at(b).data());
    }
    for (std::int32_t b : s.outputs) {
      room_.output_buffers.push_back(b < 0 ? nullptr : &at(b));
      room_.outputs.push_back(b < 0 ? nullptr : at(b).data());
    }
    const std::span scalars(room_.slots.data() + ready_.first_slot[i],
                            ready_.first_slot[i + 1] - ready_.first_slot[i]);
    return {device_,
            s,
            room_.inputs,
            room_.outputs,
            room_.input_buffers,
            room_.output_buffers,
            scalars,
            said_};
  }

  ready_plan& sized_;
  const planned& ready_;
  const ir::plan& plan_;
  const snapshot& snap_;
  runtime::device& device_;
  status_words& words_;
  once& said_;
  run_room& room_;
  round_tape* const tape_;  // null if nothing records
  timed_launch* const timed_;
  run_counts counts_;
  std::uint32_t segment_ = 0;
  std::size_t calls_ = 0;  // in the queue
  bool cut_ = false;
};

}  // namespace

run_counts run_plan(ready_plan& p, const snapshot& s, runtime::device& d, status_words& words,
                    once& said, run_room& room, timed_launch* timed) {
  room.queue.clear();
  room.queued.clear();
  return runner(p, s, d, words, said, room, timed).run();
}

}  // namespace sinter::detail

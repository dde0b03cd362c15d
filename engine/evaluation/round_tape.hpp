#pragma once
// The rounds of a loop as a list of launches.
//
// Why: a replayed round costs the host half a microsecond for nodes, blocks of memory and slots,
// where a kernel of few elements takes a twentieth. Blocks take turns (loop_memory.hpp): soon all
// that a round is given, and gives, lies where it lay some rounds before, and from there on the
// rounds in between come again as they were. One such cycle is kept, and played.
//
// For one thread, that of the loop.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/calls/calls.hpp"
#include "engine/evaluation/checks.hpp"
#include "engine/evaluation/loop_memory.hpp"

namespace sinter::detail {

class played_rounds;
struct ready_plan;

class round_tape {
 public:
  round_tape();
  ~round_tape();
  round_tape(const round_tape&) = delete;

  // ---- what runs a round says what it does, if that is wanted

  bool wanted() const { return state_ == state::records; }
  /// A round begins: of this plan, which lives as long as the tape from now on. Does it check
  /// anything?
  void begin(std::shared_ptr<ready_plan>, bool checks);
  /// Kernels one after the other, a segment of the plan; slots are copied. `kernels`: the plan's,
  /// or some that live for ever.
  void launches(std::span<const runtime::launch_record>,
                std::span<const ir::kernel* const> kernels, std::uint32_t segment);
  void call(call_function, const call_site&);
  /// A status of this round, to be looked at behind it: the words of an array. For devices whose
  /// work is done when it is queued.
  void status(std::shared_ptr<const check> like, const runtime::buffer& words, dtype);
  /// The word of an index array, which all rounds share: play_while looks at it behind every round
  /// of such a device.
  void word(std::shared_ptr<const check> like, std::shared_ptr<runtime::buffer>);
  /// It did something else, too: its rounds are not for a tape.
  void refuse() { state_ = state::refused; }

  // ---- who counts the rounds

  /// A round was replayed. REQUIRES: all arrays have their values, and the loop alone has them.
  void replayed(std::span<const any_array> given, std::span<const any_array> given_back);
  /// Rounds after which everything is as it is now; 0: nothing is known.
  std::int64_t cycle() const { return state_ == state::plays ? std::ssize(rounds_) : 0; }
  /// Does a round check what nobody looks at before all that was queued is done?
  bool checks_later() const;
  /// Plays so many cycles. Throws device_error.
  void play(std::int64_t cycles, location where);
  /// Plays rounds as long as output `which` of each, a bool, holds and nothing was found amiss. The
  /// last one: so many behind the end of a cycle. Waits for it. Throws device_error. REQUIRES: not
  /// checks_later().
  std::int64_t play_while(std::size_t which, location where);
  /// Output `which` of that round, in a memory of its own. `like`: the same output of any round.
  any_array copy_of(std::int64_t of_cycle, std::size_t which, const any_array& like,
                    location where) const;
  /// The first thing that a status of a round that was played found amiss, if there is one.
  const std::shared_ptr<check>& found() const { return found_; }

 private:
  enum class state : std::uint8_t { looks, records, plays, refused };
  struct part;
  struct round;
  struct status_of_round {
    std::shared_ptr<const check> like;
    const runtime::buffer* of;
    dtype type;
  };
  /// Where an array lies. A buffer that was freed may have been made anew at another place.
  using lies = std::pair<runtime::buffer*, void*>;

  const runtime::buffer& output(std::int64_t of_cycle, std::size_t which) const;
  bool same_plan() const;
  played_rounds* together(std::size_t which);
  void play_one(std::int64_t of_cycle, location where);
  bool holds(std::int64_t of_cycle, std::size_t which, location where) const;
  std::optional<std::int64_t> play_while_together(location where);
  void play(round&);
  void look_at(std::span<const status_of_round>);
  void several(std::int64_t cycles);
  std::int64_t play_some(std::int64_t left, played_rounds*);
  std::optional<std::size_t> seen(const std::vector<lies>&) const;

  state state_ = state::looks;
  std::int64_t looked_ = 0;
  std::vector<std::vector<lies>> last_;  // of the last rounds, the latest first
  std::size_t period_ = 0;
  bool checks_ = false;
  runtime::device* device_ = nullptr;
  std::vector<std::unique_ptr<round>> rounds_;
  std::vector<status_of_round> words_;
  std::vector<std::shared_ptr<runtime::buffer>> word_memory_;
  std::shared_ptr<check> found_;
  // Many cycles in one launch: records of them all, if they are kernels alone.
  std::vector<runtime::launch_record> long_;
  std::int64_t long_cycles_ = 0;
  // Or any number of them, as one kernel.
  std::unique_ptr<played_rounds> together_;
  bool asked_ = false;
};

/// What the rounds of one loop share.
struct loop_rounds {
  loop_memory memory;
  round_tape tape;
};

}  // namespace sinter::detail

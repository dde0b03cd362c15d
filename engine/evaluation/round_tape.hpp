#pragma once
// Records the rounds of a loop as a list of launches, and plays them.
//
// Why: a replayed round costs the host half a microsecond for nodes, blocks of memory and slots,
// while a kernel of few elements takes a twentieth. Blocks alternate (loop_memory.hpp): soon all
// inputs and outputs of a round have the addresses of some rounds before, and from then on the
// rounds in between repeat exactly. One such cycle is recorded, and played.
//
// For one thread, the loop's.

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

  // ---- called by what runs a round, if wanted

  bool wanted() const { return state_ == state::records; }
  /// A round begins: of this plan, which the tape keeps alive from now on. `checks`: does it check
  /// anything?
  void begin(std::shared_ptr<ready_plan>, bool checks);
  /// Kernels in sequence, a segment of the plan; slots are copied. `kernels`: the plan's, or some
  /// that are never destroyed.
  void launches(std::span<const runtime::launch_record>,
                std::span<const ir::kernel* const> kernels, std::uint32_t segment);
  void call(call_function, const call_site&);
  /// A status of this round, read after it: the words of an array. For devices whose work is done
  /// when it is queued.
  void status(std::shared_ptr<const check> like, const runtime::buffer& words, dtype);
  /// The word of an index array, which all rounds share: play_while reads it after every round on
  /// such a device.
  void word(std::shared_ptr<const check> like, std::shared_ptr<runtime::buffer>);
  /// The round did something else as well: the loop cannot be taped.
  void refuse() { state_ = state::refused; }

  // ---- called by what counts the rounds

  /// A round was replayed. REQUIRES: all arrays have their values, and only the loop holds them.
  void replayed(std::span<const any_array> given, std::span<const any_array> given_back);
  /// Rounds after which all addresses repeat; 0: unknown.
  std::int64_t cycle() const { return state_ == state::plays ? std::ssize(rounds_) : 0; }
  /// Does a round make a check that is not read until all queued work is done?
  bool checks_later() const;
  /// Plays that many cycles. Throws device_error.
  void play(std::int64_t cycles, location where);
  /// Plays rounds while output `which` of each, a bool, holds and no check fails. Returns the last
  /// one's distance from the end of a cycle. Waits for it. Throws device_error. REQUIRES: not
  /// checks_later().
  std::int64_t play_while(std::size_t which, location where);
  /// Output `which` of that round, in memory of its own. `like`: the same output of any round.
  any_array copy_of(std::int64_t of_cycle, std::size_t which, const any_array& like,
                    location where) const;
  /// The first failure that a status of a played round reported, if any.
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
  /// The location of an array. A freed buffer may have been recreated elsewhere.
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
  // Many cycles in one launch: all their records, if there are only kernels.
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

#pragma once
// The decisions behind a random graph, as a tape of small numbers: the same tape gives the same
// graph; a shorter tape, or smaller numbers, a simpler one.

#include <cstdint>
#include <span>
#include <vector>

namespace sinter::fuzz {

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
class random_bits {
 public:
  explicit random_bits(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();

 private:
  std::uint64_t state_;
};

/// Decisions are grouped in steps; a shrinker may drop any number of them.
struct tape {
  std::vector<std::vector<std::uint32_t>> steps;
  bool operator==(const tape&) const = default;
};

class choices {
 public:
  /// Random choices.
  explicit choices(std::uint64_t seed) : random_(seed) {}
  /// The choices of a tape; missing ones are 0.
  explicit choices(tape t) : random_(0), replay_(true), given_(std::move(t)) {}

  /// Begins a step; false if the tape has no more.
  bool next_step();
  /// In [0, n). 0 is the simplest choice everywhere.
  std::uint32_t below(std::uint32_t n);
  bool chance(std::uint32_t percent) { return below(100) >= 100 - percent; }
  template <class T>
  const T& pick(std::span<const T> list) {
    return list[below(static_cast<std::uint32_t>(list.size()))];
  }
  template <class T, std::size_t N>
  const T& pick(const T (&list)[N]) {
    return list[below(static_cast<std::uint32_t>(N))];
  }

  /// The choices made so far.
  const tape& taken() const { return taken_; }

 private:
  random_bits random_;
  bool replay_ = false;
  tape given_, taken_;
};

}  // namespace sinter::fuzz

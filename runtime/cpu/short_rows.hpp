#pragma once
// Sorts many short rows side by side: the words at one position of all rows share a register, and
// the same comparisons order every row (Batcher's merge exchange, Knuth's algorithm M), without
// branches. 3.2M floats in rows of 9, one thread: 4.6 ms, by std::sort 25.6; in rows of 64 5.4, by
// vqsort 26.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "runtime/cpu/sort_rows.hpp"

namespace sinter::runtime {

/// The positions compared, one pair after another, to sort `length` words.
using comparisons = std::vector<std::array<std::uint16_t, 2>>;
comparisons comparisons_for(std::int64_t length);

/// Applies them to `words`, positions of `lanes` words each, 64 bytes.
void compare_places(std::uint8_t* words, const comparisons& all);
void compare_places(std::uint16_t* words, const comparisons& all);
void compare_places(std::uint32_t* words, const comparisons& all);
void compare_places(std::uint64_t* words, const comparisons& all);

template <class Word> class rows_side_by_side {
 public:
  static constexpr std::int64_t lanes = 64 / sizeof(Word);

  /// Do rows suit it? In rows of 256 3.2M floats take 13 ms, by vqsort 27; in rows of 1,000 there
  /// are more comparisons than vqsort makes.
  static bool suits(std::int64_t rows, std::int64_t length) {
    return length <= longest && 4 * rows >= lanes;
  }

  /// REQUIRES: `all` are those for this length, and outlive it.
  rows_side_by_side(std::int64_t length, const comparisons& all)
      : length_(length), comparisons_(all), places_(static_cast<std::size_t>(length)) {}

  /// Sorts rows [first, last): `word(row, i)` makes their words, `use(row, words)` receives them in
  /// order, as `words(i)`.
  template <class Make, class Use>
  void sort(std::int64_t first, std::int64_t last, Make make, Use use) {
    for (; first < last; first += lanes) {
      const std::int64_t count = std::min(lanes, last - first);
      for (std::int64_t r = 0; r < count; ++r) {
        for (std::int64_t i = 0; i < length_; ++i) data()[i * lanes + r] = make(first + r, i);
      }
      compare_places(data(), comparisons_);
      for (std::int64_t r = 0; r < count; ++r) {
        use(first + r, [&](std::int64_t i) { return data()[i * lanes + r]; });
      }
    }
  }

 private:
  static constexpr std::int64_t longest = 256;  // of 64 bytes per position: 16 KB

  struct alignas(64) place {
    Word words[lanes] = {};
  };
  Word* data() { return places_.data()->words; }

  std::int64_t length_;
  const comparisons& comparisons_;
  std::vector<place> places_;
};

}  // namespace sinter::runtime

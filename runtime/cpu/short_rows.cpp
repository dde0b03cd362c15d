#include "runtime/cpu/short_rows.hpp"

#include <bit>

#include "runtime/cpu/wide_registers.hpp"

namespace sinter::runtime {
namespace {

template <class Word>
[[gnu::always_inline]] inline void put_in_order(Word* __restrict a, Word* __restrict b) {
  constexpr int lanes = 64 / sizeof(Word);
  for (int i = 0; i < lanes; ++i) {
    const Word x = a[i], y = b[i];
    a[i] = y < x ? y : x;
    b[i] = y < x ? x : y;
  }
}

template <class Word> void compare(Word* words, const comparisons& all) {
  with_wide_registers(
      [](Word* w, const comparisons* list) __attribute__((always_inline)) {
        constexpr std::size_t lanes = 64 / sizeof(Word);
        for (const auto& [a, b] : *list) put_in_order(w + a * lanes, w + b * lanes);
      },
      words, &all);
}

}  // namespace

comparisons comparisons_for(std::int64_t length) {
  comparisons all;
  const auto n = static_cast<std::uint64_t>(length);
  const std::uint64_t half = n < 2 ? 0 : std::bit_ceil(n) / 2;
  for (std::uint64_t p = half; p > 0; p /= 2) {
    std::uint64_t q = half, from = 0, apart = p;
    while (true) {
      for (std::uint64_t i = 0; i + apart < n; ++i) {
        if ((i & p) != from) continue;
        all.push_back({static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(i + apart)});
      }
      if (q == p) break;
      apart = q - p;
      q /= 2;
      from = p;
    }
  }
  return all;
}

void compare_places(std::uint8_t* words, const comparisons& all) {
  compare(words, all);
}
void compare_places(std::uint16_t* words, const comparisons& all) {
  compare(words, all);
}
void compare_places(std::uint32_t* words, const comparisons& all) {
  compare(words, all);
}
void compare_places(std::uint64_t* words, const comparisons& all) {
  compare(words, all);
}

}  // namespace sinter::runtime

#pragma once
// Philox 4x32-10: random bits as a pure function of a counter and a key.
// Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11.

#include <array>
#include <cstdint>

namespace sinter::ir {

using philox_block = std::array<std::uint32_t, 4>;

/// The four words at a 128-bit counter.
constexpr philox_block philox4x32_10(philox_block counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xd2511f53} * counter[0];
    const std::uint64_t p1 = std::uint64_t{0xcd9e8d57} * counter[2];
    counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(p1),
               static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(p0)};
    key = {key[0] + 0x9e3779b9u, key[1] + 0xbb67ae85u};
  }
  return counter;
}

namespace detail {

constexpr philox_block philox_at(std::uint64_t counter, std::uint64_t key) {
  return philox4x32_10(
      {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), 0, 0},
      {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)});
}

}  // namespace detail

/// Element `index` of the stream of 32-bit words with a key: word index % 4 of block index / 4.
constexpr std::uint32_t random_uint32(std::uint64_t index, std::uint64_t key) {
  return detail::philox_at(index / 4, key)[index % 4];
}

/// Element `index` of the stream of 64-bit words: of block index / 2, words 2h (the low half) and
/// 2h + 1 with h = index % 2.
constexpr std::uint64_t random_uint64(std::uint64_t index, std::uint64_t key) {
  const philox_block block = detail::philox_at(index / 2, key);
  const std::size_t h = 2 * (index % 2);
  return block[h] | static_cast<std::uint64_t>(block[h + 1]) << 32;
}

}  // namespace sinter::ir

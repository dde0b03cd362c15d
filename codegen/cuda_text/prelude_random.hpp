#pragma once
// Random numbers: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011).

#include "codegen/cuda_text/prelude.hpp"

namespace sinter::codegen::cuda_text {

inline constexpr prelude_piece random_pieces[] = {

    {"sinter_philox", R"(
__device__ __forceinline__ void sinter_philox(unsigned* words, unsigned long long block,
                                              unsigned long long key) {
  unsigned c0 = (unsigned)block, c1 = (unsigned)(block >> 32), c2 = 0, c3 = 0;
  unsigned k0 = (unsigned)key, k1 = (unsigned)(key >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xd2511f53ull * c0, b = 0xcd9e8d57ull * c2;
    c0 = (unsigned)(b >> 32) ^ c1 ^ k0;
    c1 = (unsigned)b;
    c2 = (unsigned)(a >> 32) ^ c3 ^ k1;
    c3 = (unsigned)a;
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  words[0] = c0, words[1] = c1, words[2] = c2, words[3] = c3;
}
)"},
    {"sinter_random32", R"(
__device__ __forceinline__ unsigned sinter_random32(long long counter, unsigned long long key) {
  unsigned words[4];
  sinter_philox(words, (unsigned long long)counter >> 2, key);
  const unsigned low = counter & 1 ? words[1] : words[0];
  const unsigned high = counter & 1 ? words[3] : words[2];
  return counter & 2 ? high : low;
}
)"},
    {"sinter_random64", R"(
__device__ __forceinline__ unsigned long long sinter_random64(long long counter,
                                                              unsigned long long key) {
  unsigned words[4];
  sinter_philox(words, (unsigned long long)counter >> 1, key);
  const unsigned low = counter & 1 ? words[2] : words[0];
  const unsigned high = counter & 1 ? words[3] : words[1];
  return (unsigned long long)high << 32 | low;
}
)"},
    {"sinter_random_words", R"(
// `count` words of consecutive blocks, from word `skip` of the first on; a block is computed once
template <int count, int room>
__device__ __forceinline__ void sinter_random_words(unsigned (&words)[room], unsigned skip,
                                                    unsigned long long block,
                                                    unsigned long long key) {
  constexpr int blocks = room / 4 - 1;
  for (int b = 0; b < blocks; ++b) sinter_philox(words + 4 * b, block + b, key);
  for (int w = 0; w < 4; ++w) words[4 * blocks + w] = 0;
  if (skip + count > 4 * blocks) sinter_philox(words + 4 * blocks, block + blocks, key);
  for (int w = 0; w + 1 < room; ++w) words[w] = skip & 1 ? words[w + 1] : words[w];
  for (int w = 0; w + 2 < room; ++w) words[w] = skip & 2 ? words[w + 2] : words[w];
}
)"},
    {"sinter_random_run", R"(
// the random numbers of n consecutive counters; those before 0 nobody reads
template <int n>
__device__ __forceinline__ void sinter_random_run(unsigned (&to)[n], long long first,
                                                  unsigned long long key) {
  unsigned words[(n + 3) / 4 * 4 + 4];
  sinter_random_words<n>(words, first & 3, (unsigned long long)(first >> 2), key);
  for (int k = 0; k < n; ++k) to[k] = words[k];
}
template <int n>
__device__ __forceinline__ void sinter_random_run(unsigned long long (&to)[n], long long first,
                                                  unsigned long long key) {
  unsigned words[(n + 1) / 2 * 4 + 4];
  sinter_random_words<2 * n>(words, 2 * (first & 1), (unsigned long long)(first >> 1), key);
  for (int k = 0; k < n; ++k) to[k] = (unsigned long long)words[2 * k + 1] << 32 | words[2 * k];
}
)"},
};

}  // namespace sinter::codegen::cuda_text

#pragma once
// Scatters: a value that other threads may change at the same time.

#include "codegen/cuda_text/prelude.hpp"

namespace sinter::codegen::cuda_text {

inline constexpr prelude_piece atomic_pieces[] = {

    {"sinter_add_by_halves", R"(
// to 64 bits of shared memory, where hardware adds 32
template <class T> __device__ __forceinline__ void sinter_add_by_halves(T* place, T value) {
  unsigned* const word = (unsigned*)place;
  const unsigned low = (unsigned)value;
  const unsigned before = atomicAdd(word, low);
  const unsigned high = (unsigned)((unsigned long long)value >> 32) + (before + low < low);
  if (high != 0) atomicAdd(word + 1, high);
}
)"},

    {"sinter_exchange", R"(
// what was at the place; if that was `before`, it is `after` now
__device__ __forceinline__ unsigned sinter_exchange(unsigned* place, unsigned before,
                                                    unsigned after) {
  return atomicCAS(place, before, after);
}
__device__ __forceinline__ unsigned long long sinter_exchange(unsigned long long* place,
                                                              unsigned long long before,
                                                              unsigned long long after) {
  return atomicCAS(place, before, after);
}
// of less than a word: the word around it, as long as the rest of it stays
template <class T> __device__ __forceinline__ T sinter_exchange(T* place, T before, T after) {
  const unsigned long long address = (unsigned long long)place;
  unsigned* const word = (unsigned*)(address & ~3ull);
  const unsigned shift = 8 * (unsigned)(address & 3), mask = (unsigned)(T)~0u << shift;
  unsigned found = *(volatile unsigned*)word;
  while ((T)(found >> shift) == before) {
    const unsigned wanted = (found & ~mask) | (unsigned)after << shift;
    const unsigned seen = atomicCAS(word, found, wanted);
    if (seen == found) break;
    found = seen;
  }
  return (T)(found >> shift);
}
)",
     true},
};

}  // namespace sinter::codegen::cuda_text

#pragma once
// Scatters: atomic updates of a value that other threads may change at the same time.

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

    {"sinter_raise", R"(
// Extremes of floats by those of integers: the larger number has the larger bits, of negative ones
// the smaller. A NaN is the outermost of them, of the sign that stays; one of the other sign was
// there from the beginning, and is found by reading. +0 is above -0.
template <class Bits, class Word, class Float>
__device__ __forceinline__ void sinter_raise(Float* place, Float value, Bits nan) {
  const Float there = *(volatile Float*)place;
  Bits bits = sinter_bits<Bits>(value);
  if (there != there || value < there || bits == sinter_bits<Bits>(there)) return;
  if (value != value) bits = nan;
  if (bits >= 0) atomicMax((Bits*)place, bits);
  else atomicMin((Word*)place, (Word)bits);
}
__device__ __forceinline__ void sinter_raise(float* place, float value) {
  sinter_raise<int, unsigned>(place, value, 0x7fc00000);
}
__device__ __forceinline__ void sinter_raise(double* place, double value) {
  sinter_raise<long long, unsigned long long>(place, value, 0x7ff8000000000000ll);
}
)"},
    {"sinter_lower", R"(
template <class Bits, class Word, class Float>
__device__ __forceinline__ void sinter_lower(Float* place, Float value, Word nan) {
  const Float there = *(volatile Float*)place;
  Bits bits = sinter_bits<Bits>(value);
  if (there != there || value > there || bits == sinter_bits<Bits>(there)) return;
  if (value != value) bits = (Bits)nan;
  if (bits >= 0) atomicMin((Bits*)place, bits);
  else atomicMax((Word*)place, (Word)bits);
}
__device__ __forceinline__ void sinter_lower(float* place, float value) {
  sinter_lower<int>(place, value, 0xffc00000u);
}
__device__ __forceinline__ void sinter_lower(double* place, double value) {
  sinter_lower<long long>(place, value, 0xfff8000000000000ull);
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

#pragma once
// Chained scans: a value is passed in 64-bit words, each with a flag that it is valid.

#include "codegen/cuda_text/prelude.hpp"

namespace sinter::codegen::cuda_text {

inline constexpr prelude_piece scan_pieces[] = {

    {"sinter_keep", R"(
template <class T> __device__ __forceinline__ void sinter_keep(T& to, const T& from) { to = from; }
template <class T, int n>
__device__ __forceinline__ void sinter_keep(T (&to)[n], const T (&from)[n]) {
  for (int k = 0; k < n; ++k) sinter_keep(to[k], from[k]);
}
)"},
    {"sinter_publish", R"(
template <class T>
__device__ __forceinline__ void sinter_publish(unsigned long long* words, T value) {
  constexpr int count = (sizeof(T) + 3) / 4;
  union { T value; unsigned words[count]; } bits;
  if (sizeof(T) < 4) bits.words[0] = 0;
  bits.value = value;
  for (int w = 0; w < count; ++w) {
    ((volatile unsigned long long*)words)[w] = 1ull << 32 | bits.words[w];
  }
}
)"},
    {"sinter_await", R"(
// what was published there; `words` were there a moment ago
template <class T, int count>
__device__ __forceinline__ T sinter_await(const unsigned long long* from,
                                          unsigned long long (&words)[count]) {
  union { T value; unsigned words[count]; } bits;
  for (int w = 0; w < count; ++w) {
    while (words[w] == 0) words[w] = ((const volatile unsigned long long*)from)[w];
    bits.words[w] = (unsigned)words[w];
  }
  return bits.value;
}
)"},
};

}  // namespace sinter::codegen::cuda_text

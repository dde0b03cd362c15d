#pragma once
// Rows of a map that a block brings to shared memory as one run, and takes back.

#include "codegen/cuda_text/prelude.hpp"

namespace sinter::codegen::cuda_text {

inline constexpr prelude_piece row_pieces[] = {

    {"sinter_bring", R"(
// `rows` rows, each `apart` elements behind the one before it, of which `span` are read; all
// accesses are under way before the first of them is waited for
template <int threads, int apart, int span, class T>
__device__ __forceinline__ void sinter_bring(T* to, const T* from, unsigned rows) {
  const unsigned count = (rows - 1) * apart + span;
  T held[apart];
  #pragma unroll
  for (int u = 0; u < apart; ++u) {
    const unsigned e = u * threads + threadIdx.x;
    if (e < count) held[u] = from[e];
  }
  #pragma unroll
  for (int u = 0; u < apart; ++u) {
    const unsigned e = u * threads + threadIdx.x;
    if (e < count) to[e / apart * (apart | 1) + e % apart] = held[u];
  }
}
)"},
    {"sinter_take", R"(
template <int threads, int apart, int span, class T>
__device__ __forceinline__ void sinter_take(T* to, const T* from, unsigned rows) {
  #pragma unroll
  for (int u = 0; u < apart; ++u) {
    const unsigned e = u * threads + threadIdx.x;
    if (e < rows * apart) to[e] = from[e / apart * (apart | 1) + e % apart];
  }
}
)"},
};

}  // namespace sinter::codegen::cuda_text

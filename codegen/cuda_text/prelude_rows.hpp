#pragma once
// Rows of a map through shared memory: those a block loads and stores as one run, and those it
// transposes.

#include "codegen/cuda_text/prelude.hpp"

namespace sinter::codegen::cuda_text {

inline constexpr prelude_piece row_pieces[] = {

    {"sinter_prefetch", R"(
// Asks the L2 for elements that another block will read, those of whole 16 bytes
template <class T>
__device__ __forceinline__ void sinter_prefetch(const T* from, unsigned count) {
#if __CUDA_ARCH__ >= 900
  const unsigned long long begin = ((unsigned long long)from + 15) & ~15ull;
  const unsigned long long end = (unsigned long long)(from + count) & ~15ull;
  if (begin >= end) return;
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(
                   __cvta_generic_to_global((const void*)begin)),
               "r"((unsigned)(end - begin)));
#endif
}
)"},
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
    {"sinter_store_runs", R"(
// The runs of a warp's threads, each beside the one before: words go through shared memory, so that
// an access of the warp is 512 bytes in a row. All of its threads come here
template <int threads, class T, int n>
__device__ __forceinline__ void sinter_store_runs(T* to, const T (&run)[n]) {
  typedef sinter_pack<T, n> pack;
  __shared__ uint4 runs[threads * pack::count];
  const unsigned lane = threadIdx.x % 32;
  uint4* const held = runs + (threadIdx.x - lane) * pack::count;
  pack p;
  for (int k = 0; k < n; ++k) p.values[k] = run[k];
  __syncwarp();  // who read them before has
  for (int w = 0; w < pack::count; ++w) held[lane * pack::count + w] = p.words[w];
  __syncwarp();
  uint4* const first = (uint4*)to - lane * pack::count;
  for (int w = 0; w < pack::count; ++w) first[w * 32 + lane] = held[w * 32 + lane];
}
)"},
    {"sinter_turn", R"(
// Word w of as many rows as a word has elements: word i of the result has what is i-th in these
template <int n, int m>
__device__ __forceinline__ void sinter_turn(unsigned (&turned)[m], const unsigned (*rows)[n],
                                            int w) {
  unsigned x[m];
  for (int i = 0; i < m; ++i) x[i] = rows[i][w];
  if constexpr (m == 2) {
    turned[0] = __byte_perm(x[0], x[1], 0x5410);
    turned[1] = __byte_perm(x[0], x[1], 0x7632);
  } else {
    const unsigned a = __byte_perm(x[0], x[1], 0x5140), b = __byte_perm(x[2], x[3], 0x5140);
    const unsigned c = __byte_perm(x[0], x[1], 0x7362), d = __byte_perm(x[2], x[3], 0x7362);
    turned[0] = __byte_perm(a, b, 0x5410);
    turned[1] = __byte_perm(a, b, 0x7632);
    turned[2] = __byte_perm(c, d, 0x5410);
    turned[3] = __byte_perm(c, d, 0x7632);
  }
}
)"},
    {"sinter_take_words", R"(
// a vector from words of shared memory
template <class T, int n>
__device__ __forceinline__ void sinter_take_words(T (&to)[n], const unsigned* from) {
  constexpr int m = 4 / (int)sizeof(T);
  for (int w = 0; w < n / m; ++w) {
    sinter_pack<T, m> p;
    p.words[0] = from[w];
    for (int k = 0; k < m; ++k) to[w * m + k] = p.values[k];
  }
}
)"},
};

}  // namespace sinter::codegen::cuda_text

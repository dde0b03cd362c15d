#pragma once
// Types that CUDA C++ does not have, and vectors of any elements: 16 bytes an access where there
// are so many.

#include "codegen/cuda_text/prelude.hpp"

namespace sinter::codegen::cuda_text {

inline constexpr prelude_piece vector_pieces[] = {

    // ---- the beginning of a kernel

    {"sinter_wait", R"(
// A launch does not wait for the kernels before it, so every thread does before it touches memory.
__device__ __forceinline__ void sinter_wait() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
)"},

    // ---- types: storage of what CUDA C++ has no type for

    {"float16", R"(
struct float16 { unsigned short bits; };
)"},
    {"bfloat16", R"(
struct bfloat16 { unsigned short bits; };
)"},
    {"complex64", R"(
struct alignas(8) complex64 { float re, im; };
)"},
    {"complex128", R"(
struct alignas(16) complex128 { double re, im; };
)"},

    // ---- memory: vectors of any element type, 16 bytes an access where there are so many

    {"sinter_pack", R"(
template <int bytes> struct sinter_word { typedef uint4 type; };
template <> struct sinter_word<1> { typedef unsigned char type; };
template <> struct sinter_word<2> { typedef unsigned short type; };
template <> struct sinter_word<4> { typedef unsigned type; };
template <> struct sinter_word<8> { typedef uint2 type; };

template <class T, int n> union sinter_pack {
  typedef typename sinter_word<n * (int)sizeof(T)>::type word;
  static constexpr int count = n * (int)sizeof(T) / (int)sizeof(word);
  word words[count];
  T values[n];
};
)"},
    {"sinter_load", R"(
template <class T, int n>
__device__ __forceinline__ void sinter_load(T (&to)[n], const T* from) {
  typedef sinter_pack<T, n> pack;
  pack p;
  for (int w = 0; w < pack::count; ++w) p.words[w] = ((const typename pack::word*)from)[w];
  for (int k = 0; k < n; ++k) to[k] = p.values[k];
}
)"},
    {"sinter_store", R"(
template <class T, int n>
__device__ __forceinline__ void sinter_store(T* to, const T (&from)[n]) {
  typedef sinter_pack<T, n> pack;
  pack p;
  for (int k = 0; k < n; ++k) p.values[k] = from[k];
  for (int w = 0; w < pack::count; ++w) ((typename pack::word*)to)[w] = p.words[w];
}
)"},
    {"sinter_load_part", R"(
template <class T, int n>
__device__ __forceinline__ void sinter_load_part(T (&to)[n], const T* from, int left) {
  for (int k = 0; k < n; ++k) {
    if (k < left) to[k] = from[k];
    else to[k] = T();
  }
}
)"},
    {"sinter_beyond", R"(
// how many elements a place is beyond one where vectors of n are aligned
template <int n, class T> __device__ __forceinline__ unsigned sinter_beyond(const T* place) {
  return (unsigned)((unsigned long long)place / sizeof(T)) % n;
}
)"},
    {"sinter_load_shifted_by", R"(
// a vector that begins so many elements after an aligned place
template <int beyond, class T, int n>
__device__ __forceinline__ void sinter_load_shifted_by(T (&to)[n], const T* from) {
  constexpr int bytes = n * (int)sizeof(T);
  if (bytes > 16) {
    for (int k = 0; k < n; ++k) to[k] = from[k];
    return;
  }
  typedef typename sinter_word<bytes>::type word;
  union { word vectors[2]; T values[2 * n]; } both;
  both.vectors[0] = ((const word*)(from - beyond))[0];
  both.vectors[1] = ((const word*)(from - beyond))[1];
  for (int k = 0; k < n; ++k) to[k] = both.values[beyond + k];
}
)"},
    {"sinter_load_shifted", R"(
// a vector that may begin anywhere, out of the two aligned ones around it
template <class T, int n>
__device__ __forceinline__ void sinter_load_shifted(T (&to)[n], const T* from) {
  constexpr int bytes = n * (int)sizeof(T), count = bytes < 8 ? 1 : bytes / 4;
  if (bytes < 4 || bytes > 16) {
    for (int k = 0; k < n; ++k) to[k] = from[k];
    return;
  }
  const unsigned skip = sinter_beyond<n>(from), shift = skip * (unsigned)sizeof(T);
  typedef typename sinter_word<bytes>::type word;
  union { word vectors[2]; unsigned words[2 * count]; } both;
  both.vectors[0] = ((const word*)(from - skip))[0];
  both.vectors[1] = ((const word*)(from - skip))[skip > 0];
  unsigned (&w)[2 * count] = both.words;
  for (int i = 0; count > 2 && i + 2 < 2 * count; ++i) w[i] = shift & 8 ? w[i + 2] : w[i];
  for (int i = 0; count > 1 && i + 1 < 2 * count; ++i) w[i] = shift & 4 ? w[i + 1] : w[i];
  union { unsigned words[count]; T values[n]; } one;
  for (int i = 0; i < count; ++i) {
    const unsigned long long pair = (unsigned long long)w[i + 1] << 32 | w[i];
    one.words[i] = sizeof(T) < 4 ? (unsigned)(pair >> 8 * (shift & 3)) : w[i];
  }
  for (int k = 0; k < n; ++k) to[k] = one.values[k];
}
)"},
    {"sinter_store_part", R"(
template <class T, int n>
__device__ __forceinline__ void sinter_store_part(T* to, const T (&from)[n], int left) {
  for (int k = 0; k < n; ++k) {
    if (k < left) to[k] = from[k];
  }
}
)"},
    {"sinter_clear", R"(
template <class T, int n> __device__ __forceinline__ void sinter_clear(T (&to)[n]) {
  for (int k = 0; k < n; ++k) to[k] = T();
}
)"},
    {"sinter_gather", R"(
template <class T, int n>
__device__ __forceinline__ void sinter_gather(T (&to)[n], const T* from, long long stride) {
  for (int k = 0; k < n; ++k) to[k] = from[k * stride];
}
)"},
    {"sinter_scatter", R"(
template <class T, int n>
__device__ __forceinline__ void sinter_scatter(T* to, long long stride, const T (&from)[n]) {
  for (int k = 0; k < n; ++k) to[k * stride] = from[k];
}
)"},
    {"sinter_gather_part", R"(
template <class T, int n>
__device__ __forceinline__ void sinter_gather_part(T (&to)[n], const T* from, long long stride,
                                                   int left) {
  for (int k = 0; k < n; ++k) {
    if (k < left) to[k] = from[k * stride];
    else to[k] = T();
  }
}
)"},
    {"sinter_scatter_part", R"(
template <class T, int n>
__device__ __forceinline__ void sinter_scatter_part(T* to, long long stride, const T (&from)[n],
                                                    int left) {
  for (int k = 0; k < n; ++k) {
    if (k < left) to[k * stride] = from[k];
  }
}
)"},
};

}  // namespace sinter::codegen::cuda_text

#pragma once
// Types that CUDA C++ does not have, and vectors of any element type: up to 16 bytes per access.

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

    {"sinter_bits", R"(
// the same bits as another type of the same size
template <class To, class From> __device__ __forceinline__ To sinter_bits(From from) {
  union { From from; To to; } bits;
  bits.from = from;
  return bits.to;
}
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
    {"sinter_put", R"(
__device__ __forceinline__ void sinter_put(uint4* to, uint4 v) {
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)),
               "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
}
__device__ __forceinline__ void sinter_put(uint2* to, uint2 v) {
  asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(to)), "r"(v.x),
               "r"(v.y)
               : "memory");
}
template <class word> __device__ __forceinline__ void sinter_put(word* to, word v) { *to = v; }
)",
     true},
    {"sinter_store_whole", R"(
// To global memory, by accesses of whole words whatever the address is computed from: a compiler
// takes words apart, and where they are a passed distance from others of the thread it does not put
// them together again. Conditions around it become branches.
template <class T, int n>
__device__ __forceinline__ void sinter_store_whole(T* to, const T (&from)[n]) {
  typedef sinter_pack<T, n> pack;
  pack p;
  for (int k = 0; k < n; ++k) p.values[k] = from[k];
  for (int w = 0; w < pack::count; ++w) sinter_put((typename pack::word*)to + w, p.words[w]);
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
    {"sinter_load_lanes", R"(
// so many lanes of a vector, from lane `k` on
template <int lanes, class T, int n>
__device__ __forceinline__ void sinter_load_lanes(T (&to)[n], int k, const T* from) {
  T some[lanes];
  sinter_load(some, from);
  for (int i = 0; i < lanes; ++i) to[k + i] = some[i];
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
    {"sinter_load_rest", R"(
// the lanes from `first` on
template <class T, int n>
__device__ __forceinline__ void sinter_load_rest(T (&to)[n], const T* from, int first) {
  for (int k = 0; k < n; ++k) {
    if (k >= first) to[k] = from[k];
    else to[k] = T();
  }
}
)"},
    {"sinter_store_rest", R"(
template <class T, int n>
__device__ __forceinline__ void sinter_store_rest(T* to, const T (&from)[n], int first) {
  for (int k = 0; k < n; ++k) {
    if (k >= first) to[k] = from[k];
  }
}
)"},
    {"sinter_load_run", R"(
// elements from `low` on, as far as vectors that begin up to `high` reach with their first lanes
template <int low, int high, class T, int m, int n>
__device__ __forceinline__ void sinter_load_run(T (&to)[m][n], const T* from, int left) {
  const int end = left > n ? high + n : left > 0 ? high + left : 0;
  for (int p = 0; p < m * n; ++p) {
    if (p >= low && p < end) to[p / n][p % n] = from[p];
    else to[p / n][p % n] = T();
  }
}
)"},
    {"sinter_beyond", R"(
// how many elements a place is beyond one where vectors of n are aligned
template <int n, class T> __device__ __forceinline__ unsigned sinter_beyond(const T* place) {
  return (unsigned)((unsigned long long)place / sizeof(T)) % n;
}
)"},
    {"sinter_load_row", R"(
// a vector of a row that begins anywhere, or what is left of it
template <class T, int n>
__device__ __forceinline__ void sinter_load_row(T (&to)[n], const T* from, int left = n) {
  typedef typename sinter_pack<T, n>::word word;
  if (left >= n && (unsigned long long)from % sizeof(word) == 0) sinter_load(to, from);
  else sinter_load_part(to, from, left);
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
    {"sinter_around", R"(
// the two aligned vectors around one that begins so many elements after an aligned place
template <class T, int n> struct sinter_around {
  static constexpr int bytes = n * (int)sizeof(T), count = bytes / 4;
  typedef typename sinter_word<bytes>::type word;
  union { word vectors[2]; unsigned words[2 * count]; };
  __device__ __forceinline__ sinter_around(const T* from, unsigned beyond) {
    vectors[0] = ((const word*)(from - beyond))[0];
    vectors[1] = ((const word*)(from - beyond))[beyond > 0];
  }
};
// the one in the first half, `shift` bytes on
template <class T, int n>
__device__ __forceinline__ void sinter_shift(sinter_around<T, n>& both, unsigned shift) {
  constexpr int count = sinter_around<T, n>::count;
  unsigned (&w)[2 * count] = both.words;
  for (int i = 0; count > 2 && i + 2 < 2 * count; ++i) w[i] = shift & 8 ? w[i + 2] : w[i];
  for (int i = 0; count > 1 && i + 1 < 2 * count; ++i) w[i] = shift & 4 ? w[i + 1] : w[i];
  for (int i = 0; sizeof(T) < 4 && i < count; ++i) {
    w[i] = (unsigned)(((unsigned long long)w[i + 1] << 32 | w[i]) >> 8 * (shift & 3));
  }
}
)"},
    {"sinter_load_shifted", R"(
// a vector that may begin anywhere, out of the two aligned ones around it
template <class T, int n>
__device__ __forceinline__ void sinter_load_shifted(T (&to)[n], const T* from) {
  constexpr int bytes = n * (int)sizeof(T);
  if constexpr (bytes < 4 || bytes > 16) {
    for (int k = 0; k < n; ++k) to[k] = from[k];
  } else {
    const unsigned beyond = sinter_beyond<n>(from);
    sinter_around<T, n> both(from, beyond);
    sinter_shift(both, beyond * (unsigned)sizeof(T));
    union { unsigned words[bytes / 4]; T values[n]; } one;
    for (int i = 0; i < bytes / 4; ++i) one.words[i] = both.words[i];
    for (int k = 0; k < n; ++k) to[k] = one.values[k];
  }
}
)"},
    {"sinter_lanes", R"(
// n elements in registers. What is smaller than a register shares one, though there are two ways to
// it: of bytes a compiler would have one register each
template <class T, int n, bool small = (sizeof(T) < 4)> struct sinter_lanes {
  T values[n];
  __device__ __forceinline__ T get(int k) const { return values[k]; }
  __device__ __forceinline__ void put(int k, T value) { values[k] = value; }
};
template <class T, int n> struct sinter_lanes<T, n, true> {
  static constexpr int each = 4 / (int)sizeof(T), bits = 8 * (int)sizeof(T);
  typedef typename sinter_word<sizeof(T)>::type word;
  unsigned words[(n + each - 1) / each];
  __device__ __forceinline__ T get(int k) const {
    return sinter_bits<T>((word)(words[k / each] >> bits * (k % each)));
  }
  // once each, over zeros
  __device__ __forceinline__ void put(int k, T value) {
    const unsigned placed = (unsigned)sinter_bits<word>(value) << bits * (k % each);
    for (int w = 0; w < (n + each - 1) / each; ++w) words[w] |= k / each == w ? placed : 0;
  }
};
)"},
    {"sinter_load_aligned", R"(
template <class T, int n>
__device__ __forceinline__ void sinter_load_aligned(sinter_lanes<T, n, false>& to, const T* from) {
  sinter_load(to.values, from);
}
template <class T, int n>
__device__ __forceinline__ void sinter_load_aligned(sinter_lanes<T, n, true>& to, const T* from) {
  if constexpr (n * sizeof(T) < 4) {
    for (int k = 0; k < n; ++k) to.put(k, from[k]);
  } else {
    sinter_load(to.words, (const unsigned*)from);
  }
}
)"},
    {"sinter_load_anywhere", R"(
// a vector that may begin anywhere
template <class T, int n>
__device__ __forceinline__ void sinter_load_anywhere(sinter_lanes<T, n, false>& to, const T* from) {
  if (sinter_beyond<n>(from) == 0) sinter_load(to.values, from);
  else sinter_load_shifted(to.values, from);
}
template <class T, int n>
__device__ __forceinline__ void sinter_load_anywhere(sinter_lanes<T, n, true>& to, const T* from) {
  if constexpr (n * sizeof(T) < 4) {
    for (int k = 0; k < n; ++k) to.put(k, from[k]);
  } else {
    const unsigned beyond = sinter_beyond<n>(from);
    sinter_around<T, n> both(from, beyond);
    if (beyond != 0) sinter_shift(both, beyond * (unsigned)sizeof(T));
    for (int i = 0; i < sinter_around<T, n>::count; ++i) to.words[i] = both.words[i];
  }
}
)"},
    {"sinter_load_beyond", R"(
// a vector that begins so many elements after an aligned place
template <int beyond, class T, int n>
__device__ __forceinline__ void sinter_load_beyond(sinter_lanes<T, n, false>& to, const T* from) {
  sinter_load_shifted_by<beyond>(to.values, from);
}
template <int beyond, class T, int n>
__device__ __forceinline__ void sinter_load_beyond(sinter_lanes<T, n, true>& to, const T* from) {
  if constexpr (n * sizeof(T) < 4) {
    for (int k = 0; k < n; ++k) to.put(k, from[k]);
  } else {
    const sinter_around<T, n> around(from, beyond);
    constexpr int first = beyond * (int)sizeof(T) / 4, rest = beyond * (int)sizeof(T) % 4;
    for (int i = 0; i < sinter_around<T, n>::count; ++i) {
      const unsigned low = around.words[first + i];
      const unsigned high = rest == 0 ? 0 : around.words[first + i + 1];
      to.words[i] = (unsigned)(((unsigned long long)high << 32 | low) >> 8 * rest);
    }
  }
}
)"},
    {"sinter_load_halves", R"(
// a vector that begins so many elements after an aligned place, out of two that may lie anywhere:
// `first` is where its first element is, `last` its last one, 0 where there are zeros
template <int beyond, class T, int n>
__device__ __forceinline__ T sinter_half(int k, const T* first, const T* last) {
  if (k < n - beyond) return first ? first[k] : T();
  return last ? last[k - (n - 1)] : T();
}
template <int beyond, class T, int n>
__device__ __forceinline__ void sinter_load_halves(sinter_lanes<T, n, false>& to, const T* first,
                                                   const T* last) {
  if constexpr (n * sizeof(T) > 16) {
    for (int k = 0; k < n; ++k) to.put(k, sinter_half<beyond, T, n>(k, first, last));
  } else {
    typedef typename sinter_word<n * sizeof(T)>::type word;
    union { word vectors[2]; T values[2 * n]; } both = {};
    if (first) both.vectors[0] = *(const word*)(first - beyond);
    if (last) both.vectors[1] = *(const word*)(last - (beyond - 1));
    for (int k = 0; k < n; ++k) to.values[k] = both.values[beyond + k];
  }
}
template <int beyond, class T, int n>
__device__ __forceinline__ void sinter_load_halves(sinter_lanes<T, n, true>& to, const T* first,
                                                   const T* last) {
  constexpr int bytes = n * (int)sizeof(T), count = bytes / 4;
  if constexpr (bytes < 4) {
    for (int k = 0; k < n; ++k) to.put(k, sinter_half<beyond, T, n>(k, first, last));
  } else {
    typedef typename sinter_word<bytes>::type word;
    union { word vectors[2]; unsigned words[2 * count]; } both = {};
    if (first) both.vectors[0] = *(const word*)(first - beyond);
    if (last) both.vectors[1] = *(const word*)(last - (beyond - 1));
    constexpr int skipped = beyond * (int)sizeof(T) / 4, rest = beyond * (int)sizeof(T) % 4;
    for (int i = 0; i < count; ++i) {
      const unsigned low = both.words[skipped + i];
      const unsigned high = rest == 0 ? 0 : both.words[skipped + i + 1];
      to.words[i] = (unsigned)(((unsigned long long)high << 32 | low) >> 8 * rest);
    }
  }
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

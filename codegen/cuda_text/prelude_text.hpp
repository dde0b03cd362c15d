#pragma once
// length: one text in pieces
// The text of the prelude. Each piece uses earlier ones only. Names start with sinter_, so that
// none meets a name of the kernel; only types of elements are called as everywhere in sinter.

#include "codegen/cuda_text/prelude.hpp"

namespace sinter::codegen::cuda_text {

inline constexpr prelude_piece prelude_text[] = {

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

    // ---- index arithmetic

    {"sinter_divide", R"(
// n / d by the divisor that stands for d, for n and d below 2^31
__device__ __forceinline__ unsigned sinter_divide(unsigned n, unsigned long long divisor) {
  return (unsigned)(((unsigned long long)n * (unsigned)divisor) >> (unsigned)(divisor >> 32));
}
)"},
    {"sinter_over", R"(
// n / d for n >= 0 and d > 0, which seldom need 64 bits
__device__ __noinline__ long long sinter_over_64(long long n, long long d) { return n / d; }
__device__ __forceinline__ long long sinter_over(long long n, long long d) {
  if (((n | d) >> 32) == 0) return (long long)((unsigned)n / (unsigned)d);
  return sinter_over_64(n, d);
}
)"},
    {"sinter_within", R"(
// how many of a vector's lanes are in range when `rest` elements follow its first
__device__ __forceinline__ int sinter_within(long long rest, int lanes) {
  return rest >= lanes ? lanes : rest > 0 ? (int)rest : 0;
}
)"},

    // ---- conversions

    {"sinter_bits", R"(
// the same bits as another type of the same size
template <class To, class From> __device__ __forceinline__ To sinter_bits(From from) {
  union { From from; To to; } bits;
  bits.from = from;
  return bits.to;
}
)"},
    {"sinter_saturate", R"(
// truncation; what does not fit becomes the nearest integer that does, NaN 0
template <class To, class From> __device__ __forceinline__ To sinter_saturate(From x) {
  constexpr int width = 8 * (int)sizeof(To);
  constexpr bool has_sign = (To)-1 < (To)1;
  constexpr To highest = has_sign ? (To)(~0ull >> (65 - width)) : (To)~0ull;
  constexpr To lowest = (To)~highest;
  if (x != x) return 0;
  if (x <= (From)lowest) return lowest;
  if (x >= (From)highest) return highest;
  return (To)x;
}
)"},
    {"sinter_either", R"(
// a or b, where the kernel has a and b too: ptxas 13.0 makes one instruction with two results of
// both, and takes the first for either; it sees through an or of words, not through a sum
__device__ __forceinline__ bool sinter_either(bool a, bool b) {
  int count;
  asm("add.s32 %0, %1, %2;" : "=r"(count) : "r"((int)a), "r"((int)b));
  return count != 0;
}
)",
     true},
    {"sinter_widen", R"(
__device__ __forceinline__ float sinter_widen(unsigned short half) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(half));
  return x;
}
)",
     true},
    {"sinter_narrow", R"(
__device__ __forceinline__ unsigned short sinter_narrow(float x) {
  unsigned short half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(x));
  return half;
}
)",
     true},
    {"sinter_from_half", R"(
__device__ __forceinline__ float sinter_from_half(float16 x) { return sinter_widen(x.bits); }
)"},
    {"sinter_to_half", R"(
__device__ __forceinline__ float16 sinter_to_half(float x) { return float16{sinter_narrow(x)}; }
)"},
    {"sinter_from_bfloat", R"(
__device__ __forceinline__ float sinter_from_bfloat(bfloat16 x) {
  return sinter_bits<float>((unsigned)x.bits << 16);
}
)"},
    {"sinter_shorten", R"(
__device__ __forceinline__ unsigned short sinter_shorten(float x) {
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
)",
     true},
    {"sinter_to_bfloat", R"(
__device__ __forceinline__ bfloat16 sinter_to_bfloat(float x) {
  return bfloat16{sinter_shorten(x)};
}
)"},
    {"sinter_round_to_odd", R"(
// a double as a float that a second rounding, to a half type, takes to where one would have gone
__device__ __forceinline__ float sinter_round_to_odd(double x) {
  const float f = (float)x;
  const unsigned bits = sinter_bits<unsigned>(f);
  if (x != x || f == x || (bits & 0x7f800000) == 0x7f800000 || (bits & 1)) return f;
  return sinter_bits<float>(fabs((double)f) > fabs(x) ? bits - 1 : bits + 1);
}
)"},

    {"sinter_inverse", R"(
struct sinter_inverse { float near, rest; };
)"},
    {"sinter_reciprocal", R"(
// 1 / b as a sum of two, or NaN where quotients by b may leave the range that sinter_ratio is
// exact in
__device__ __forceinline__ sinter_inverse sinter_reciprocal(float b) {
  const unsigned exponent = sinter_bits<unsigned>(b) >> 23 & 0xff;
  const float near = exponent - 107 < 80 ? 1.0f / b : __int_as_float(0x7fffffff);
  return sinter_inverse{near, fmaf(-near, b, 1.0f) * near};
}
)"},
    {"sinter_divided", R"(
__device__ __noinline__ float sinter_divided(float a, float b) { return a / b; }
)"},
    {"sinter_ratio", R"(
// a / b, rounded once, given 1 / b. The product is off by less than its last bit; the remainder is
// exact while a is no smaller than 2^-100, and after it the quotient is the one (Markstein, IBM
// Journal of Research and Development 34, 1990)
__device__ __forceinline__ float sinter_ratio(float a, float b, sinter_inverse over_b) {
  const float near = fmaf(a, over_b.near, a * over_b.rest);
  const float quotient = fmaf(fmaf(-near, b, a), over_b.near, near);
  // 2^-80 to 2^48
  if ((sinter_bits<unsigned>(quotient) << 1) - 0x2f000000 < 0x80000000) return quotient;
  return sinter_divided(a, b);
}
)"},

    {"sinter_ratios", R"(
// x / b, of each as sinter_ratio has it, and one test for all
template <int n>
__device__ __forceinline__ void sinter_ratios(float (&x)[n], float b, sinter_inverse over_b) {
  float quotients[n];
  unsigned beyond = 0;
#pragma unroll
  for (int k = 0; k < n; ++k) {
    const float near = fmaf(x[k], over_b.near, x[k] * over_b.rest);
    quotients[k] = fmaf(fmaf(-near, b, x[k]), over_b.near, near);
    beyond |= (sinter_bits<unsigned>(quotients[k]) << 1) - 0x2f000000;
  }
  if (beyond >> 31) {
#pragma unroll
    for (int k = 0; k < n; ++k) {
      const bool is_zero = x[k] == 0 && over_b.near == over_b.near;
      quotients[k] = is_zero ? x[k] * over_b.near : sinter_divided(x[k], b);
    }
  }
#pragma unroll
  for (int k = 0; k < n; ++k) x[k] = quotients[k];
}
)"},

    // ---- integer arithmetic with a value for every operand

    {"sinter_quotient_far", R"(
template <class T> __device__ __forceinline__ T sinter_quotient_of(T a, T b) {
  if (b == 0) return 0;
  if ((T)-1 < (T)1 && b == (T)-1) return (T)(0 - (unsigned long long)a);
  return (T)(a / b);
}
template <class T> __device__ __noinline__ T sinter_quotient_far(T a, T b) {
  return sinter_quotient_of(a, b);
}
)"},
    {"sinter_quotient", R"(
// 64 bits are seldom needed, and take a hundred instructions
template <class T> __device__ __forceinline__ T sinter_quotient(T a, T b) {
  if (sizeof(T) < 8) return sinter_quotient_of(a, b);
  if (b != 0 && ((unsigned long long)(a | b) >> 32) == 0) return (T)((unsigned)a / (unsigned)b);
  return sinter_quotient_far(a, b);
}
)"},
    {"sinter_is_near", R"(
// is a the number that its lower 32 bits are
template <class T> __device__ __forceinline__ bool sinter_is_near(T a, int near) {
  return (unsigned long long)a == (unsigned long long)near && ((T)-1 < (T)1 || near >= 0);
}
)"},
    {"sinter_quotient_by", R"(
// by what all elements are divided by, for which `over_b` stands (see sinter_divide), if not 0
template <class T>
__device__ __forceinline__ T sinter_quotient_by(T a, T b, unsigned long long over_b) {
  const int near = (int)a, sign = near >> 31;
  const unsigned size = ((unsigned)near ^ (unsigned)sign) - (unsigned)sign;
  if (sinter_is_near(a, near) && (int)size >= 0 && over_b != 0) {
    return (T)(((int)sinter_divide(size, over_b) ^ sign) - sign);
  }
  return sinter_quotient_far(a, b);
}
)"},
    {"sinter_modulus_far", R"(
template <class T> __device__ __forceinline__ T sinter_modulus_of(T a, T b) {
  constexpr bool has_sign = (T)-1 < (T)1;
  if (b == 0 || (has_sign && b == (T)-1)) return 0;
  const T m = (T)(a % b);
  return has_sign && m != 0 && (m < (T)1) != (b < (T)1) ? (T)(m + b) : m;
}
template <class T> __device__ __noinline__ T sinter_modulus_far(T a, T b) {
  return sinter_modulus_of(a, b);
}
)"},
    {"sinter_modulus", R"(
template <class T> __device__ __forceinline__ T sinter_modulus(T a, T b) {
  if (sizeof(T) < 8) return sinter_modulus_of(a, b);
  if (b != 0 && ((unsigned long long)(a | b) >> 32) == 0) return (T)((unsigned)a % (unsigned)b);
  return sinter_modulus_far(a, b);
}
)"},
    {"sinter_modulus_by", R"(
// as sinter_quotient_by; ~n, which is -n - 1, has the quotient ~q
template <class T>
__device__ __forceinline__ T sinter_modulus_by(T a, T b, unsigned long long over_b) {
  const int near = (int)a, sign = near >> 31;
  if (sinter_is_near(a, near) && over_b != 0) {
    const unsigned floor = sinter_divide((unsigned)(near ^ sign), over_b) ^ (unsigned)sign;
    return (T)((unsigned)near - floor * (unsigned)b);
  }
  return sinter_modulus_far(a, b);
}
)"},
    {"sinter_power", R"(
template <class T> __device__ __noinline__ T sinter_power(T base, T exponent) {
  constexpr bool has_sign = (T)-1 < (T)1;
  if (has_sign && exponent < (T)1 && exponent != 0) {
    if (base == 1 || (base == (T)-1 && !(exponent & 1))) return 1;
    return base == (T)-1 ? (T)-1 : (T)0;
  }
  unsigned long long power = (unsigned long long)base, product = 1;
  for (unsigned long long rest = (unsigned long long)exponent; rest != 0; rest >>= 1) {
    if (rest & 1) product *= power;
    power *= power;
  }
  return (T)product;
}
)"},

    // ---- random numbers: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011)

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

    // ---- reductions

    {"sinter_best", R"(
// an extremum and where it stands
template <class T> struct sinter_best {
  T value;
  long long at;
};
)"},
    {"sinter_pick", R"(
// of two candidates the one that `extremum`, the op on their values, chose; the first of equals
template <class T>
__device__ __forceinline__ sinter_best<T> sinter_pick(sinter_best<T> a, sinter_best<T> b,
                                                      T extremum) {
  const bool is_nan = extremum != extremum;
  const bool is_a = a.value == extremum || (is_nan && a.value != a.value);
  const bool is_b = b.value == extremum || (is_nan && b.value != b.value);
  return is_a && !(is_b && b.at < a.at) ? a : b;
}
)"},
    {"sinter_take", R"(
// the same, for a candidate that stands behind what is already there
template <class T>
__device__ __forceinline__ sinter_best<T> sinter_take(sinter_best<T> a, sinter_best<T> b,
                                                      bool no_better) {
  return no_better || a.value != a.value ? a : b;
}
)"},
    {"sinter_across", R"(
// the value of the thread whose place in the warp differs by the bits of `distance`
template <class T> __device__ __forceinline__ T sinter_across(T value, int distance) {
  constexpr int count = (sizeof(T) + 3) / 4;
  union { T value; unsigned words[count]; } bits;
  if (sizeof(T) < 4) bits.words[0] = 0;
  bits.value = value;
  for (int w = 0; w < count; ++w) {
    bits.words[w] = __shfl_xor_sync(0xffffffffu, bits.words[w], distance);
  }
  return bits.value;
}
)"},

    // ---- extrema of what a thread has

    {"sinter_larger", R"(
__device__ __forceinline__ float sinter_larger(float a, float b) {
  float c;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b));
  return c;
}
)",
     true},
    {"sinter_largest", R"(
// the largest of all; a NaN if there is one, and of zeros and NaN any
template <int n> __device__ __forceinline__ float sinter_largest(const float (&x)[n]) {
  float best = x[0];
#pragma unroll
  for (int k = 1; k < n; ++k) best = sinter_larger(best, x[k]);
  return best;
}
)"},
    {"sinter_smaller", R"(
__device__ __forceinline__ float sinter_smaller(float a, float b) {
  float c;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b));
  return c;
}
)",
     true},
    {"sinter_smallest", R"(
// the smallest of all; a NaN if there is one, and of zeros and NaN any
template <int n> __device__ __forceinline__ float sinter_smallest(const float (&x)[n]) {
  float best = x[0];
#pragma unroll
  for (int k = 1; k < n; ++k) best = sinter_smaller(best, x[k]);
  return best;
}
)"},

    // ---- clusters: blocks that reach each other's shared memory

    {"sinter_cluster_arrive", R"(
// all threads of all blocks of the cluster come by here ...
__device__ __forceinline__ void sinter_cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
)",
     true},
    {"sinter_cluster_wait", R"(
// ... before any passes here, and sees what they wrote
__device__ __forceinline__ void sinter_cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
)",
     true},
    {"sinter_send", R"(
// writes to the same place in the shared memory of another block of the cluster
__device__ __forceinline__ void sinter_send(unsigned* place, unsigned word, unsigned block) {
  asm volatile(
      "{ .reg .u64 here; .reg .u32 own, there;\n"
      "cvta.to.shared.u64 here, %0;\n"
      "cvt.u32.u64 own, here;\n"
      "mapa.shared::cluster.u32 there, own, %2;\n"
      "st.shared::cluster.u32 [there], %1; }" ::"l"(place), "r"(word), "r"(block) : "memory");
}
)",
     true},
    {"sinter_give", R"(
template <class T>
__device__ __forceinline__ void sinter_give(unsigned* place, T value, unsigned block) {
  constexpr int count = (sizeof(T) + 3) / 4;
  union { T value; unsigned words[count]; } bits;
  if (sizeof(T) < 4) bits.words[0] = 0;
  bits.value = value;
  for (int w = 0; w < count; ++w) sinter_send(place + w, bits.words[w], block);
}
)"},
    {"sinter_given", R"(
template <class T> __device__ __forceinline__ T sinter_given(const unsigned* place) {
  constexpr int count = (sizeof(T) + 3) / 4;
  union { T value; unsigned words[count]; } bits;
  for (int w = 0; w < count; ++w) bits.words[w] = place[w];
  return bits.value;
}
)"},

    // ---- scatters: a value that other threads may change at the same time

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

    // ---- chained scans: a value travels in words of 64 bits, each with a mark that it is there

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

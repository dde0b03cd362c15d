#pragma once
// CUDA C++ for a host compiler: the keywords, types and functions that emitted kernels use.
// Operations between threads of a block are calls through `machine` to whoever runs them.
//
// Included before emitted text, and nowhere else. It includes no C++ header, so that a batch of
// kernels compiles sooner.

#include <math.h>
#include <string.h>

namespace cuda_on_host {

struct index {
  unsigned x;
};

/// Same layout as in tests/shim/grid_simulator.hpp.
struct machine {
  index thread, block, threads;
  void (*barrier)();                                   // __syncthreads
  void (*meet)(int threads);                           // barrier.sync of the first ones
  unsigned (*exchange)(unsigned value, int distance);  // __shfl_xor_sync by a whole warp
  void (*arrive)();                                    // barrier.cluster, its first half
  void (*await)();                                     // its second half
  void (*send)(unsigned* place, unsigned word, unsigned block);  // to that block's shared memory
};

static machine* current;

/// Reads arguments in order, one per slot.
struct argument {
  const unsigned long long* slot;
  template <class T> operator T() const {
    T value;
    memcpy(static_cast<void*>(&value), slot, sizeof value);
    return value;
  }
};

template <int... i> struct indices {};
template <int n, int... i> struct indices_to : indices_to<n - 1, n - 1, i...> {};
template <int... i> struct indices_to<0, i...> { typedef indices<i...> type; };

template <class... A, int... i>
void call(void (*kernel)(A...), const unsigned long long* slots, indices<i...>) {
  kernel(static_cast<A>(argument{slots + i})...);
}

template <class... A> void call(void (*kernel)(A...), const unsigned long long* slots) {
  call(kernel, slots, typename indices_to<sizeof...(A)>::type());
}

}  // namespace cuda_on_host

#define __global__
#define __device__
#define __forceinline__ inline
#define __noinline__    __attribute__((noinline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __shared__ static
#define threadIdx  (cuda_on_host::current->thread)
#define blockIdx   (cuda_on_host::current->block)
#define blockDim   (cuda_on_host::current->threads)

struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

inline void __syncthreads() {
  cuda_on_host::current->barrier();
}
inline unsigned __shfl_xor_sync(unsigned, unsigned value, int distance) {
  return cuda_on_host::current->exchange(value, distance);
}

inline void __syncwarp() {
  cuda_on_host::current->exchange(0, 1);  // all lanes of a warp wait for it
}

inline unsigned __byte_perm(unsigned a, unsigned b, unsigned which) {
  const unsigned long long bytes = (unsigned long long)b << 32 | a;
  unsigned picked = 0;
  for (int k = 0; k < 4; ++k) {
    picked |= (unsigned)(bytes >> 8 * (which >> 4 * k & 7) & 0xff) << 8 * k;
  }
  return picked;
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)((unsigned long long)a * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}

template <class T> inline T atomicAdd(T* to, T value) {
  const T before = *to;
  *to = before + value;
  return before;
}
template <class T> inline T atomicMax(T* to, T value) {
  const T before = *to;
  if (value > before) *to = value;
  return before;
}
template <class T> inline T atomicMin(T* to, T value) {
  const T before = *to;
  if (value < before) *to = value;
  return before;
}

inline int max(int a, int b) { return a < b ? b : a; }
inline int min(int a, int b) { return b < a ? b : a; }
inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
inline float __int_as_float(int bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
inline double __longlong_as_double(long long bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// The prelude's primitives, which are PTX on a GPU.

template <class word> inline void sinter_put(word* to, word value) { *to = value; }
inline void sinter_cluster_arrive() {
  cuda_on_host::current->arrive();
}
inline void sinter_cluster_wait() {
  cuda_on_host::current->await();
}
inline void sinter_cluster_meet() {
  cuda_on_host::current->arrive();
  cuda_on_host::current->await();
}
inline void sinter_meet(int threads) {
  cuda_on_host::current->meet(threads);
}
inline void sinter_expect(unsigned long long*, unsigned) {}
inline void sinter_send(unsigned* place, unsigned word, unsigned block, unsigned long long*) {
  cuda_on_host::current->send(place, word, block);
}
inline void sinter_arrived(unsigned long long*) {  // everything is sent once all have arrived
  cuda_on_host::current->arrive();
  cuda_on_host::current->await();
}

inline float sinter_larger(float a, float b) {
  if (a == b) return signbit(a) ? b : a;
  return a != a || b != b ? __int_as_float(0x7fffffff) : a < b ? b : a;
}
inline float sinter_smaller(float a, float b) {
  if (a == b) return signbit(a) ? a : b;
  return a != a || b != b ? __int_as_float(0x7fffffff) : a < b ? a : b;
}
inline double sinter_larger(double a, double b) { return a < b ? b : a; }
inline double sinter_smaller(double a, double b) { return a > b ? b : a; }

inline float sinter_widen(unsigned short half) {
  const unsigned sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31, mantissa = half & 0x3ff;
  if (exponent == 0) return (sign ? -1.0f : 1.0f) * (float)mantissa * 0x1p-24f;
  const unsigned wide = exponent == 31 ? 0x7f800000u : (exponent + 112) << 23;
  return __int_as_float((int)(sign | wide | mantissa << 13));
}

// As inaccurate as hardware, so that its correction is tested.
inline float sinter_rough_inverse(float b) { return 1 / b; }
inline double sinter_high_word(double x) {  // as accurate as the rough double operations
  unsigned long long bits;
  memcpy(&bits, &x, sizeof bits);
  bits &= ~0xffffffffull;
  memcpy(&x, &bits, sizeof bits);
  return x;
}
inline double sinter_rough_inverse(double b) { return sinter_high_word(1 / b); }
inline float sinter_rough_inverse_root(float x) { return 1 / sqrtf(x); }
inline double sinter_rough_inverse_root(double x) { return sinter_high_word(1 / sqrt(x)); }

template <class To, class From> inline To sinter_saturate(From x) {
  constexpr int width = 8 * (int)sizeof(To);
  constexpr bool has_sign = (To)-1 < (To)1;
  constexpr To highest = has_sign ? (To)(~0ull >> (65 - width)) : (To)~0ull;
  constexpr To lowest = (To)~highest;
  if (x != x) return 0;
  if (x <= (From)lowest) return lowest;
  if (x >= (From)highest) return highest;
  return (To)x;
}

inline bool sinter_either(bool a, bool b) { return a || b; }
inline unsigned short sinter_shorten(float x) {
  unsigned bits;
  memcpy(&bits, &x, sizeof bits);
  if (x != x) return 0x7fff;
  return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <class T> inline T sinter_exchange(T* place, T before, T after) {
  const T found = *place;
  if (found == before) *place = after;
  return found;
}

inline unsigned short sinter_narrow(float x) {
  const unsigned short sign = signbit(x) ? 0x8000 : 0;
  const float magnitude = fabsf(x);
  if (x != x) return 0x7fff;
  if (magnitude >= 65520) return sign | 0x7c00;
  // Subnormals have a spacing of 2^-24, like the smallest normals.
  int exponent;
  frexpf(magnitude, &exponent);
  if (exponent < -13 || magnitude == 0) exponent = -13;
  const float steps = rintf(ldexpf(magnitude, 11 - exponent));
  return (unsigned short)(sign + ((unsigned)(exponent + 13) << 10) + (unsigned)steps);
}

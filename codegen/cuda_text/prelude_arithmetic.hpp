#pragma once
// Indices, angles and divisions: where CUDA C++ leaves a result undefined, or takes more
// instructions than needed.

#include "codegen/cuda_text/prelude.hpp"

namespace sinter::codegen::cuda_text {

inline constexpr prelude_piece arithmetic_pieces[] = {

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

    // ---- angles

    {"sinter_sin", R"(
// Far from 0 the argument is reduced by a loop, out of line. Near it the function's own question
// whether it is far is answered already.
__device__ __noinline__ float sinter_far_sin(float x) { return sinf(x); }
__device__ __forceinline__ float sinter_sin(float x) {
  if (fabsf(x) >= 105615.0f) return sinter_far_sin(x);
  return sinf(x);
}
__device__ __forceinline__ double sinter_sin(double x) { return sin(x); }
)"},
    {"sinter_cos", R"(
__device__ __noinline__ float sinter_far_cos(float x) { return cosf(x); }
__device__ __forceinline__ float sinter_cos(float x) {
  if (fabsf(x) >= 105615.0f) return sinter_far_cos(x);
  return cosf(x);
}
__device__ __forceinline__ double sinter_cos(double x) { return cos(x); }
)"},
    {"sinter_tan", R"(
__device__ __noinline__ float sinter_far_tan(float x) { return tanf(x); }
__device__ __forceinline__ float sinter_tan(float x) {
  if (fabsf(x) >= 105615.0f) return sinter_far_tan(x);
  return tanf(x);
}
__device__ __forceinline__ double sinter_tan(double x) { return tan(x); }
)"},

    // ---- bits

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
    {"sinter_power_of_two", R"(
// 1 << k of a k that is passed: a product with it stays one (a compiler that sees the shift shifts)
__device__ __forceinline__ unsigned sinter_power_of_two(unsigned k) {
  unsigned power;
  asm("shl.b32 %0, 1, %1;" : "=r"(power) : "r"(k));
  return power;
}
)"},
    // ---- quotients by what many elements are divided by

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
    {"sinter_inverse_of", R"(
// the same, of what all elements are divided by: made where a launch is
__device__ __forceinline__ sinter_inverse sinter_inverse_of(float, unsigned long long over_b) {
  return sinter_inverse{sinter_bits<float>((unsigned)over_b),
                        sinter_bits<float>((unsigned)(over_b >> 32))};
}
)"},
    {"sinter_divided", R"(
template <class T> __device__ __noinline__ T sinter_divided(T a, T b) { return a / b; }
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
  if (a == 0 && over_b.near == over_b.near) return a * over_b.near;
  return sinter_divided(a, b);
}
)"},
    {"sinter_wide_inverse", R"(
struct sinter_wide_inverse { double near, rest; };
)"},
    {"sinter_wide_inverse_of", R"(
__device__ __forceinline__ sinter_wide_inverse sinter_wide_inverse_of(double b,
                                                                      unsigned long long over_b) {
  const double near = sinter_bits<double>(over_b);
  return sinter_wide_inverse{near, fma(-near, b, 1.0) * near};
}
// as of floats
__device__ __forceinline__ double sinter_ratio(double a, double b, sinter_wide_inverse over_b) {
  const double near = fma(a, over_b.near, a * over_b.rest);
  const double quotient = fma(fma(-near, b, a), over_b.near, near);
  // 2^-400 to 2^400
  const unsigned size = (unsigned)(sinter_bits<unsigned long long>(quotient) >> 31);
  if (size - 0x4de00000 < 0x64000000) return quotient;
  if (a == 0 && over_b.near == over_b.near) return a * over_b.near;
  return sinter_divided(a, b);
}
)"},

    {"sinter_ratios", R"(
// x / b, of each as sinter_ratio has it, and one test for all: large quotients need none, as what
// overflows on the way is a NaN, and the least of a NaN is NaN
template <int n>
__device__ __forceinline__ void sinter_ratios(float (&x)[n], float b, sinter_inverse over_b) {
  float quotients[n];
  float least = 1;
#pragma unroll
  for (int k = 0; k < n; ++k) {
    const float near = fmaf(x[k], over_b.near, x[k] * over_b.rest);
    quotients[k] = fmaf(fmaf(-near, b, x[k]), over_b.near, near);
    least = sinter_smaller(least, fabsf(quotients[k]));
  }
  if (!(least >= 0x1p-80f)) {
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

    {"sinter_brief_ratios", R"(
// y = x / b, rounded to float and then to bfloat16, if no half of `least` is under 3: the product
// with over_b.near is off by less than 1.5 of its last bit, so it is the float quotient or next to
// it, and these round alike unless one is a tie
template <int n>
__device__ __forceinline__ void sinter_brief_ratios(float (&x)[n], sinter_inverse over_b,
                                                    bfloat16 (&y)[n], unsigned& least) {
#pragma unroll
  for (int k = 0; k < n; k += 2) {
    const float a = x[k] * over_b.near, b = x[k + 1] * over_b.near;
    const unsigned low = __byte_perm(__float_as_uint(a), __float_as_uint(b), 0x5410);
#if __CUDA_ARCH__ >= 900
    asm("{ .reg .b32 above;\n"
        "add.u16x2 above, %1, %2;\n"
        "min.u16x2 %0, %0, above; }" : "+r"(least) : "r"(low), "r"(0x80018001));
#else
    const unsigned here = min((low + 0x8001) & 0xffff, ((low >> 16) + 0x8001) & 0xffff);
    least = min(least & 0xffff, here) | 0xffff0000;
#endif
    y[k] = sinter_to_bfloat(a);
    y[k + 1] = sinter_to_bfloat(b);
  }
}

__device__ __forceinline__ bool sinter_is_near_tie(unsigned least) {
  return min(least & 0xffff, least >> 16) < 3;
}
)"},

    // ---- integer arithmetic with a value for every operand

    {"sinter_narrowed", R"(
// the low bits of a sum, difference or product, which no compiler sees through: of a + b == 0
// it makes a == -b, and ptxas 13.0 negates 16 bits in 32, where -(short)-32768 is the int 32768
template <class T> __device__ __forceinline__ T sinter_narrowed(unsigned wide) {
  asm("" : "+r"(wide));
  return (T)wide;
}
)"},
    {"sinter_negative", R"(
template <class T> __device__ __forceinline__ T sinter_negative(T a) {
  if (sizeof(T) > 2) return (T)(0 - (unsigned long long)a);
  return sinter_narrowed<T>(0 - (unsigned)a);
}
)"},
    {"sinter_quotient_of", R"(
template <class T> __device__ __forceinline__ T sinter_quotient_of(T a, T b) {
  if (b == 0) return 0;
  if ((T)-1 < (T)1 && b == (T)-1) return sinter_negative(a);
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
    {"sinter_divide_wide", R"(
// n / b by 2^64 / b, rounded up, for b below 2^63: the product is the quotient, or one more; of 32
// bits it is the quotient
__device__ __forceinline__ unsigned long long sinter_divide_wide(unsigned long long n,
                                                                 unsigned long long b,
                                                                 unsigned long long over_b) {
  const unsigned long long q = __umul64hi(n, over_b);
  return (long long)(n - q * b) < 0 ? q - 1 : q;
}
__device__ __forceinline__ unsigned sinter_divide_wide(unsigned n, unsigned long long over_b) {
  const unsigned long long high = (unsigned long long)n * (unsigned)(over_b >> 32);
  return (unsigned)((high + __umulhi(n, (unsigned)over_b)) >> 32);
}
)"},
    {"sinter_near_over", R"(
// the quotient of 31 bits; of 64-bit integers by 2^64 / b
template <class T>
__device__ __forceinline__ unsigned sinter_near_over(unsigned size, unsigned long long over_b) {
  return sizeof(T) == 8 ? sinter_divide_wide(size, over_b) : sinter_divide(size, over_b);
}
)"},
    {"sinter_quotient_by", R"(
// by what all elements are divided by, for which `over_b` stands, if not 0; 64 bits are seldom
// needed, and out of line: without `over_b` where it `spares` registers, as scans have none left
template <class T>
__device__ __noinline__ T sinter_quotient_far_by(T a, T b, unsigned long long over_b) {
  if (sizeof(T) < 8 || over_b == 0) return b == 1 ? a : sinter_quotient_of(a, b);
  const unsigned long long sign = a < (T)0 ? ~0ull : 0;
  const unsigned long long size = ((unsigned long long)a ^ sign) - sign;
  return (T)((sinter_divide_wide(size, (unsigned long long)b, over_b) ^ sign) - sign);
}
template <bool spares = false, class T>
__device__ __forceinline__ T sinter_quotient_by(T a, T b, unsigned long long over_b) {
  const int near = (int)a, sign = near >> 31;
  const unsigned size = ((unsigned)near ^ (unsigned)sign) - (unsigned)sign;
  if (sinter_is_near(a, near) && (int)size >= 0 && over_b != 0) {
    return (T)(((int)sinter_near_over<T>(size, over_b) ^ sign) - sign);
  }
  return spares ? sinter_quotient_far(a, b) : sinter_quotient_far_by(a, b, over_b);
}
)"},
    {"sinter_floor_divide", R"(
template <class T> __device__ __forceinline__ T sinter_floor_divide(T a, T b) {
  const T q = sinter_quotient(a, b);
  if ((T)-1 > (T)1 || b == 0) return q;
  const T left = (T)((unsigned long long)a - (unsigned long long)q * (unsigned long long)b);
  return left != 0 && (T)(left ^ b) < (T)0 ? (T)(q - 1) : q;
}
template <class T> __device__ __noinline__ T sinter_floor_divide_far(T a, T b) {
  return sinter_floor_divide(a, b);
}
)"},
    {"sinter_floor_divide_by", R"(
// as sinter_quotient_by; ~n, which is -n - 1, has the quotient ~q
template <class T>
__device__ __noinline__ T sinter_floor_divide_far_by(T a, T b, unsigned long long over_b) {
  if (sizeof(T) < 8 || over_b == 0) return b == 1 ? a : sinter_floor_divide(a, b);
  const unsigned long long sign = a < (T)0 ? ~0ull : 0;
  const unsigned long long size = (unsigned long long)a ^ sign;
  return (T)(sinter_divide_wide(size, (unsigned long long)b, over_b) ^ sign);
}
template <bool spares = false, class T>
__device__ __forceinline__ T sinter_floor_divide_by(T a, T b, unsigned long long over_b) {
  const int near = (int)a, sign = near >> 31;
  if (sinter_is_near(a, near) && over_b != 0) {
    return (T)(int)(sinter_near_over<T>((unsigned)(near ^ sign), over_b) ^ (unsigned)sign);
  }
  return spares ? sinter_floor_divide_far(a, b) : sinter_floor_divide_far_by(a, b, over_b);
}
)"},
    {"sinter_modulus_of", R"(
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
template <class T>
__device__ __noinline__ T sinter_modulus_far_by(T a, T b, unsigned long long over_b) {
  if (sizeof(T) < 8 || over_b == 0) return b == 1 ? (T)0 : sinter_modulus_of(a, b);
  const unsigned long long sign = a < (T)0 ? ~0ull : 0, by = (unsigned long long)b;
  const unsigned long long size = (unsigned long long)a ^ sign;
  return (T)((unsigned long long)a - (sinter_divide_wide(size, by, over_b) ^ sign) * by);
}
template <bool spares = false, class T>
__device__ __forceinline__ T sinter_modulus_by(T a, T b, unsigned long long over_b) {
  const int near = (int)a, sign = near >> 31;
  const unsigned size = (unsigned)(near ^ sign), by = (unsigned)b;
  if (sizeof(T) == 8 && sinter_is_near(a, near) && over_b >> 33 != 0) {  // b is 2^31 at most
    // by the upper half the quotient is right, or one less
    const unsigned rest = size - __umulhi(size, (unsigned)(over_b >> 32)) * by;
    return (T)(((rest < by ? rest : rest - by) ^ (unsigned)sign) + ((unsigned)sign & by));
  }
  if (sizeof(T) < 8 && sinter_is_near(a, near) && over_b != 0) {
    const unsigned floor = sinter_near_over<T>(size, over_b) ^ (unsigned)sign;
    return (T)((unsigned)near - floor * by);
  }
  return spares ? sinter_modulus_far(a, b) : sinter_modulus_far_by(a, b, over_b);
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
};

}  // namespace sinter::codegen::cuda_text

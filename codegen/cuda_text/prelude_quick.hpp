#pragma once
// Quotients and roots without a branch (schedule::quick). They are correct if everything `least`
// and `lowest` tracked is at least 2^-50 in size (for doubles 2^-407): remainders are then exact,
// and overflow or an invalid operation gives NaN, which stays in `least`. `lowest` misses NaNs, and
// so only tracks values that are never negative (ir/quick_tests.hpp).

#include "codegen/cuda_text/prelude.hpp"

namespace sinter::codegen::cuda_text {

inline constexpr prelude_piece quick_pieces[] = {
    {"sinter_rough_inverse", R"(
__device__ __forceinline__ float sinter_rough_inverse(float b) {
  float inverse;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(b));
  return inverse;
}
__device__ __forceinline__ double sinter_rough_inverse(double b) {
  double inverse;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(b));
  return inverse;
}
)",
     true},
    {"sinter_rough_inverse_root", R"(
__device__ __forceinline__ float sinter_rough_inverse_root(float x) {
  float inverse;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
  return inverse;
}
__device__ __forceinline__ double sinter_rough_inverse_root(double x) {
  double inverse;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(x));
  return inverse;
}
)",
     true},
    {"sinter_see", R"(
// of a double the high word as a float, which orders doubles: 2^-407 is 2^-50, infinity NaN
__device__ __forceinline__ void sinter_see(float& least, float x) {
  least = sinter_smaller(least, fabsf(x));
}
__device__ __forceinline__ void sinter_see(float& least, double x) {
  sinter_see(least, sinter_bits<float>((unsigned)(sinter_bits<unsigned long long>(x) >> 32)));
}
__device__ __forceinline__ void sinter_see(unsigned& lowest, float x) {
  const unsigned bits = sinter_bits<unsigned>(x);
  lowest = bits < lowest ? bits : lowest;
}
__device__ __forceinline__ void sinter_see(unsigned& lowest, double x) {
  const unsigned bits = (unsigned)(sinter_bits<unsigned long long>(x) >> 32);
  lowest = bits < lowest ? bits : lowest;
}
)"},
    {"sinter_is_unusual", R"(
__device__ __forceinline__ bool sinter_is_unusual(float least, unsigned lowest) {
  return !(least >= 8.8817842e-16f) || lowest < 0x26800000u;
}
)"},
    {"sinter_quick_root", R"(
template <class Seen>
__device__ __forceinline__ float sinter_quick_root(float x, Seen& seen) {
  const float inverse = sinter_rough_inverse_root(x);
  const float near = x * fabsf(inverse);  // of negative subnormals inverse is -inf
  const float root = fmaf(fmaf(-near, near, x), inverse * 0.5f, near);
  sinter_see(seen, root);
  return root;
}
template <class Seen>
__device__ __forceinline__ double sinter_quick_root(double x, Seen& seen) {
  const double rough = sinter_rough_inverse_root(x);
  const double lacks = fma(x, -(rough * rough), 1.0);
  const double inverse = fma(fma(lacks, 0.375, 0.5), rough * lacks, rough);
  const double near = x * inverse;
  const double root = fma(fma(near, -near, x), inverse * 0.5, near);
  sinter_see(seen, root);
  return root;
}
)"},
    {"sinter_quick_inverse", R"(
// 1 / b as sinter_quick_ratio needs it
template <class Seen>
__device__ __forceinline__ float sinter_quick_inverse(float b, Seen& seen) {
  const float rough = sinter_rough_inverse(b);
  const float inverse = fmaf(rough, fmaf(-b, rough, 1.0f), rough);
  sinter_see(seen, b), sinter_see(seen, inverse);
  return inverse;
}
template <class Seen>
__device__ __forceinline__ double sinter_quick_inverse(double b, Seen& seen) {
  // not 1/2 of the number before 2, whose inverse would be rounded to 1/2 as well
  const double rough = sinter_bits<double>(
      sinter_bits<unsigned long long>(sinter_rough_inverse(b)) | 1);
  const double lacks = fma(-b, rough, 1.0);
  const double near = fma(rough, fma(lacks, lacks, lacks), rough);
  const double inverse = fma(near, fma(-b, near, 1.0), near);
  sinter_see(seen, b), sinter_see(seen, inverse);
  return inverse;
}
)"},
    {"sinter_corrected", R"(
// a / b, rounded once, given 1 / b and what is near, as the compiler's own way
__device__ __forceinline__ float sinter_corrected(float near, float a, float b, float over_b) {
  return fmaf(over_b, fmaf(-b, near, a), near);
}
__device__ __forceinline__ double sinter_corrected(double near, double a, double b, double over_b) {
  return fma(over_b, fma(-b, near, a), near);
}
template <class T>
__device__ __forceinline__ T sinter_corrected(T near, T a, T b, T over_b, float& least) {
  const T quotient = sinter_corrected(near, a, b, over_b);
  sinter_see(least, quotient);
  return quotient;
}
// a is never negative
template <class T>
__device__ __forceinline__ T sinter_corrected(T near, T a, T b, T over_b, unsigned& lowest) {
  sinter_see(lowest, a);
  return sinter_corrected(near, a, b, over_b);
}
)"},
    {"sinter_quick_ratio", R"(
template <class T, class Seen>
__device__ __forceinline__ T sinter_quick_ratio(T a, T b, T over_b, Seen& seen) {
  return sinter_corrected(a * over_b, a, b, over_b, seen);
}
)"},
    {"sinter_quick_ratio_of_difference", R"(
// the same of what is often 0: where an iteration has come to its end
template <class T>
__device__ __forceinline__ T sinter_quick_ratio_of_difference(T a, T b, T over_b, float& least) {
  const T near = a * over_b, quotient = sinter_corrected(near, a, b, over_b);
  sinter_see(least, a == (T)0 ? (T)1 : quotient);
  return a == (T)0 ? near : quotient;
}
)"},
    {"sinter_quick_ratio_by", R"(
// the same by what all elements are divided by
template <class Seen>
__device__ __forceinline__ float sinter_quick_ratio_by(float a, float b, sinter_inverse over_b,
                                                       Seen& seen) {
  return sinter_corrected(fmaf(a, over_b.near, a * over_b.rest), a, b, over_b.near, seen);
}
)"},
    {"sinter_quick_ratio_by", R"(
template <class Seen>
__device__ __forceinline__ double sinter_quick_ratio_by(double a, double b,
                                                        sinter_wide_inverse over_b,
                                                        Seen& seen) {
  return sinter_corrected(fma(a, over_b.near, a * over_b.rest), a, b, over_b.near, seen);
}
)"},
};

}  // namespace sinter::codegen::cuda_text

#pragma once
// Conversions that CUDA C++ lacks, leaves undefined, or does in a slow unit.

#include "codegen/cuda_text/prelude.hpp"

namespace sinter::codegen::cuda_text {

inline constexpr prelude_piece conversion_pieces[] = {
    {"sinter_saturate", R"(
// truncation; what does not fit becomes the nearest integer that does, NaN 0: cvt does all that,
// but for a NaN of 64 bits on either side
template <class To> __device__ __forceinline__ To sinter_saturate(float x) {
  constexpr bool has_sign = (To)-1 < (To)1;
  if constexpr (sizeof(To) == 8) {
    return x != x ? 0 : has_sign ? (To)__float2ll_rz(x) : (To)__float2ull_rz(x);
  } else {
    int r;
    if constexpr (sizeof(To) == 4 && has_sign) asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(r) : "f"(x));
    if constexpr (sizeof(To) == 4 && !has_sign) asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(r) : "f"(x));
    if constexpr (sizeof(To) == 2 && has_sign) asm("cvt.rzi.s16.f32 %0, %1;" : "=r"(r) : "f"(x));
    if constexpr (sizeof(To) == 2 && !has_sign) asm("cvt.rzi.u16.f32 %0, %1;" : "=r"(r) : "f"(x));
    if constexpr (sizeof(To) == 1 && has_sign) asm("cvt.rzi.s8.f32 %0, %1;" : "=r"(r) : "f"(x));
    if constexpr (sizeof(To) == 1 && !has_sign) asm("cvt.rzi.u8.f32 %0, %1;" : "=r"(r) : "f"(x));
    return (To)r;
  }
}
template <class To> __device__ __forceinline__ To sinter_saturate(double x) {
  constexpr bool has_sign = (To)-1 < (To)1;
  if constexpr (sizeof(To) == 8) {
    return x != x ? 0 : has_sign ? (To)__double2ll_rz(x) : (To)__double2ull_rz(x);
  } else {
    constexpr int unused = 32 - 8 * (int)sizeof(To);
    if constexpr (has_sign) {
      constexpr int highest = 0x7fffffff >> unused;
      const int r = x != x ? 0 : __double2int_rz(x);
      return (To)(r > highest ? highest : r < ~highest ? ~highest : r);
    } else {
      constexpr unsigned highest = 0xffffffffu >> unused;
      const unsigned r = x != x ? 0 : __double2uint_rz(x);
      return (To)(r > highest ? highest : r);
    }
  }
}
)",
     true},
    {"sinter_byte_float", R"(
// a byte as a float: its bits below those of 2^23, less that, as fast as a sum; the unit that
// converts is a quarter of that, and two of its conversions an element are more than a copy of
// bytes has time for
__device__ __forceinline__ float sinter_byte_float(unsigned char x) {
  return sinter_bits<float>(0x4b000000u | x) - 8388608.0f;
}
__device__ __forceinline__ float sinter_byte_float(signed char x) {
  return sinter_bits<float>(0x4b000000u | ((unsigned char)x ^ 0x80u)) - 8388736.0f;
}
)"},
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
};

}  // namespace sinter::codegen::cuda_text

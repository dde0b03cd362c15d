#include "runtime/cuda/product_types.hpp"

#include <complex>
#include <cstdint>

#include <cublas_v2.h>

namespace sinter::runtime {
namespace {

int computed_in(element type, compute_mode mode) {
  constexpr int of_floats[] = {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_TF32,
                               CUBLAS_COMPUTE_32F_FAST_16BF, CUBLAS_COMPUTE_32F_FAST_16F};
  switch (type) {
    case element::int8:
      return CUBLAS_COMPUTE_32I;
    case element::float16:
    case element::bfloat16:
      return CUBLAS_COMPUTE_32F;
    case element::float32:
    case element::complex64:
      return of_floats[static_cast<int>(mode)];
    case element::float64:
    case element::complex128:
      break;
  }
  return CUBLAS_COMPUTE_64F;
}

int stored_as(element type) {
  switch (type) {
    case element::int8:
      return CUDA_R_8I;
    case element::float16:
      return CUDA_R_16F;
    case element::bfloat16:
      return CUDA_R_16BF;
    case element::float32:
      return CUDA_R_32F;
    case element::float64:
      return CUDA_R_64F;
    case element::complex64:
      return CUDA_C_32F;
    case element::complex128:
      break;
  }
  return CUDA_C_64F;
}

}  // namespace

product_types types_of(const gemm_call& call) {
  const int stored = stored_as(call.type);
  const int given = call.type == element::int8 ? int{CUDA_R_32I}
                    : call.wide_result         ? int{CUDA_R_32F}
                                               : stored;
  return {stored, given, computed_in(call.type, call.mode)};
}

// The real part comes first, so a real type reads it too.
const void* product_factor(element type, bool one) {
  static constexpr std::complex<float> floats[2] = {0, 1};
  static constexpr std::complex<double> doubles[2] = {0, 1};
  static constexpr std::int32_t integers[2] = {0, 1};
  if (type == element::int8) return &integers[one];
  const bool wide = type == element::float64 || type == element::complex128;
  return wide ? static_cast<const void*>(&doubles[one]) : &floats[one];
}

}  // namespace sinter::runtime

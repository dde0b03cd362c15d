#pragma once
// The element types of products, as cuBLAS numbers them.

#include "runtime/blas.hpp"

namespace sinter::runtime {

/// cudaDataType_t of the operands and of the result, and cublasComputeType_t.
struct product_types {
  int stored, given, computed;
};

/// Sums are never in half types; a float product is IEEE unless another mode is requested.
product_types types_of(const gemm_call&);

/// 1 or 0 in the type that is computed in, as alpha and beta are.
const void* product_factor(element, bool one);

}  // namespace sinter::runtime

// cuBLAS without a GPU: counts products and computes none. For tests of the calls made to it.

#include <cublas_v2.h>
#include <cusolverDn.h>

#include "runtime/cuda/cusolver_functions.hpp"
#include "tests/fake_cuda/libraries.hpp"

namespace {

fake_library_counts counts;
int something;

/// Pointers to floats, of a batch.
template <class A, class B> cublasStatus_t note(A first, B second, int batch) {
  counts.first.assign(first, first + batch);
  counts.second.clear();
  if constexpr (!std::is_null_pointer_v<B>) counts.second.assign(second, second + batch);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

fake_library_counts* fake_cublas_counts() {
  return &counts;
}

cublasStatus_t cublasCreate(cublasHandle_t* h) {
  *h = reinterpret_cast<cublasHandle_t>(&something);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace(cublasHandle_t, void*, size_t) {
  ++counts.workspaces;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) {
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusString(cublasStatus_t) {
  return "a status";
}
cublasStatus_t cublasGemmEx_64(cublasHandle_t, cublasOperation_t, cublasOperation_t, int64_t,
                               int64_t, int64_t, const void*, const void*, cudaDataType, int64_t,
                               const void*, cudaDataType, int64_t, const void*, void*, cudaDataType,
                               int64_t, cublasComputeType_t, cublasGemmAlgo_t) {
  ++counts.products;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSgeam_64(cublasHandle_t, cublasOperation_t, cublasOperation_t, int64_t,
                              int64_t, const float*, const float*, int64_t, const float*,
                              const float*, int64_t, float*, int64_t) {
  ++counts.turned;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSgetrfBatched(cublasHandle_t, int, float* const a[], int, int*, int*, int n) {
  return note(a, nullptr, n);
}
cublasStatus_t cublasSmatinvBatched(cublasHandle_t, int, const float* const a[], int,
                                    float* const x[], int, int*, int n) {
  return note(a, x, n);
}
cublasStatus_t cublasSgetrsBatched(cublasHandle_t, cublasOperation_t, int, int,
                                   const float* const a[], int, const int*, float* const b[], int,
                                   int*, int n) {
  return note(a, b, n);
}

// Must be found, but the tests never call them.
#define SINTER_UNUSED(name)                                                                   \
  __attribute__((visibility("default"))) cublasStatus_t name##_() __asm__(SINTER_SYMBOL(name)); \
  cublasStatus_t name##_() {                                                                  \
    return CUBLAS_STATUS_NOT_SUPPORTED;                                                       \
  }
SINTER_UNUSED(cublasGemmStridedBatchedEx_64)
#define SINTER_WIDER(member, s, d, c, z) SINTER_UNUSED(d) SINTER_UNUSED(c) SINTER_UNUSED(z)
SINTER_CUBLAS_TYPED(SINTER_WIDER)
#undef SINTER_WIDER
SINTER_UNUSED(cublasSgeqrfBatched)
SINTER_UNUSED(cublasStrsm_64)
SINTER_UNUSED(cublasStrsmBatched_64)
SINTER_UNUSED(cublasSgemmStridedBatched_64)
SINTER_UNUSED(cublasScopy_64)
SINTER_UNUSED(cublasSsyrk_v2_64)
SINTER_UNUSED(cublasDsyrk_v2_64)
SINTER_UNUSED(cublasCsyrk_v2_64)
SINTER_UNUSED(cublasZsyrk_v2_64)
SINTER_UNUSED(cublasCherk_v2_64)
SINTER_UNUSED(cublasZherk_v2_64)
#undef SINTER_UNUSED

}  // extern "C"

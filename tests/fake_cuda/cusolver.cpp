// cuSOLVER without a GPU: it reports its arguments and computes nothing.

#include <cublas_v2.h>
#include <cusolverDn.h>

#include "runtime/cuda/cusolver_functions.hpp"
#include "tests/fake_cuda/libraries.hpp"

namespace {

fake_library_counts counts;
int something;

template <class H> cusolverStatus_t make(H* h) {
  *h = reinterpret_cast<H>(&something);
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

fake_library_counts* fake_cusolver_counts() {
  return &counts;
}

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* h) {
  return make(h);
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t) {
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t, cudaStream_t) {
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* p) {
  return make(p);
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t) {
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t* i) {
  return make(i);
}
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t) {
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t* i) {
  return make(i);
}
cusolverStatus_t cusolverDnDestroySyevjInfo(syevjInfo_t) {
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSpotrfBatched(cusolverDnHandle_t, cublasFillMode_t, int, float* a[], int,
                                         int*, int batch) {
  counts.first.assign(a, a + batch);
  return CUSOLVER_STATUS_SUCCESS;
}

// Must be found, but the tests never call them.
#define SINTER_UNUSED(name)                                                                     \
  __attribute__((visibility("default"))) cusolverStatus_t name##_() __asm__(SINTER_SYMBOL(name)); \
  cusolverStatus_t name##_() {                                                                  \
    return CUSOLVER_STATUS_NOT_SUPPORTED;                                                       \
  }
#define SINTER_WIDER(member, s, d, c, z) SINTER_UNUSED(d) SINTER_UNUSED(c) SINTER_UNUSED(z)
SINTER_CUSOLVER_TYPED(SINTER_WIDER)
#undef SINTER_WIDER
SINTER_UNUSED(cusolverDnXpotrf_bufferSize)
SINTER_UNUSED(cusolverDnXpotrf)
SINTER_UNUSED(cusolverDnXgetrf_bufferSize)
SINTER_UNUSED(cusolverDnXgetrf)
SINTER_UNUSED(cusolverDnXgetrs)
SINTER_UNUSED(cusolverDnXgeqrf_bufferSize)
SINTER_UNUSED(cusolverDnXgeqrf)
SINTER_UNUSED(cusolverDnXgesvd_bufferSize)
SINTER_UNUSED(cusolverDnXgesvd)
SINTER_UNUSED(cusolverDnXsyevd_bufferSize)
SINTER_UNUSED(cusolverDnXsyevd)
SINTER_UNUSED(cusolverDnSgetrf_bufferSize)
SINTER_UNUSED(cusolverDnSgetrf)
SINTER_UNUSED(cusolverDnSgetrs)
SINTER_UNUSED(cusolverDnSorgqr_bufferSize)
SINTER_UNUSED(cusolverDnSorgqr)
SINTER_UNUSED(cusolverDnSgesvdj_bufferSize)
SINTER_UNUSED(cusolverDnSgesvdj)
SINTER_UNUSED(cusolverDnSgesvdjBatched_bufferSize)
SINTER_UNUSED(cusolverDnSgesvdjBatched)
SINTER_UNUSED(cusolverDnSsyevjBatched_bufferSize)
SINTER_UNUSED(cusolverDnSsyevjBatched)
#undef SINTER_UNUSED

}  // extern "C"

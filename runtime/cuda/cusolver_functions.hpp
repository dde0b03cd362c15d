#pragma once
// The functions of cuSOLVER and cuBLAS that factorisations use, looked up at run time. For the .cpp
// files of this folder, which include <cublas_v2.h> and <cusolverDn.h> first: their macros map each
// function to the version that is declared.

#ifndef CUSOLVER_VERSION
#error include <cusolverDn.h> before this header
#endif

#include <string>

#include "runtime/library_table.hpp"

// Type-generic, with 64-bit sizes.
#define SINTER_CUSOLVER_FUNCTIONS(X) \
  X(cusolverDnCreate)                \
  X(cusolverDnDestroy)               \
  X(cusolverDnSetStream)             \
  X(cusolverDnCreateParams)          \
  X(cusolverDnDestroyParams)         \
  X(cusolverDnCreateGesvdjInfo)      \
  X(cusolverDnDestroyGesvdjInfo)     \
  X(cusolverDnCreateSyevjInfo)       \
  X(cusolverDnDestroySyevjInfo)      \
  X(cusolverDnXpotrf_bufferSize)     \
  X(cusolverDnXpotrf)                \
  X(cusolverDnXgetrf_bufferSize)     \
  X(cusolverDnXgetrf)                \
  X(cusolverDnXgetrs)                \
  X(cusolverDnXgeqrf_bufferSize)     \
  X(cusolverDnXgeqrf)                \
  X(cusolverDnXgesvd_bufferSize)     \
  X(cusolverDnXgesvd)                \
  X(cusolverDnXsyevd_bufferSize)     \
  X(cusolverDnXsyevd)

// Added in CUDA 12.6 and 12.8: may be missing from the headers or from the library.
#if CUSOLVER_VERSION >= 11702
#define SINTER_CUSOLVER_LATER_FUNCTIONS(X) \
  X(cusolverDnXsyevBatched_bufferSize)     \
  X(cusolverDnXsyevBatched)                \
  X(cusolverDnXgeev_bufferSize)            \
  X(cusolverDnXgeev)
#else
#define SINTER_CUSOLVER_LATER_FUNCTIONS(X)
#endif

#define SINTER_CUBLAS_HANDLE_FUNCTIONS(X) \
  X(cublasCreate)                         \
  X(cublasDestroy)                        \
  X(cublasSetStream)                      \
  X(cublasGetStatusString)                \
  X(cublasScopy_64)

// {member, function of a float, double, complex float, complex double}
#define SINTER_CUSOLVER_TYPED(X)                                                                   \
  X(potrf_batched, cusolverDnSpotrfBatched, cusolverDnDpotrfBatched, cusolverDnCpotrfBatched,      \
    cusolverDnZpotrfBatched)                                                                       \
  X(getrf_size, cusolverDnSgetrf_bufferSize, cusolverDnDgetrf_bufferSize,                          \
    cusolverDnCgetrf_bufferSize, cusolverDnZgetrf_bufferSize)                                      \
  X(getrf, cusolverDnSgetrf, cusolverDnDgetrf, cusolverDnCgetrf, cusolverDnZgetrf)                 \
  X(getrs, cusolverDnSgetrs, cusolverDnDgetrs, cusolverDnCgetrs, cusolverDnZgetrs)                 \
  X(orgqr_size, cusolverDnSorgqr_bufferSize, cusolverDnDorgqr_bufferSize,                          \
    cusolverDnCungqr_bufferSize, cusolverDnZungqr_bufferSize)                                      \
  X(orgqr, cusolverDnSorgqr, cusolverDnDorgqr, cusolverDnCungqr, cusolverDnZungqr)                 \
  X(gesvdj_size, cusolverDnSgesvdj_bufferSize, cusolverDnDgesvdj_bufferSize,                       \
    cusolverDnCgesvdj_bufferSize, cusolverDnZgesvdj_bufferSize)                                    \
  X(gesvdj, cusolverDnSgesvdj, cusolverDnDgesvdj, cusolverDnCgesvdj, cusolverDnZgesvdj)            \
  X(gesvdj_batched_size, cusolverDnSgesvdjBatched_bufferSize, cusolverDnDgesvdjBatched_bufferSize, \
    cusolverDnCgesvdjBatched_bufferSize, cusolverDnZgesvdjBatched_bufferSize)                      \
  X(gesvdj_batched, cusolverDnSgesvdjBatched, cusolverDnDgesvdjBatched, cusolverDnCgesvdjBatched,  \
    cusolverDnZgesvdjBatched)                                                                      \
  X(syevj_batched_size, cusolverDnSsyevjBatched_bufferSize, cusolverDnDsyevjBatched_bufferSize,    \
    cusolverDnCheevjBatched_bufferSize, cusolverDnZheevjBatched_bufferSize)                        \
  X(syevj_batched, cusolverDnSsyevjBatched, cusolverDnDsyevjBatched, cusolverDnCheevjBatched,      \
    cusolverDnZheevjBatched)

#define SINTER_CUBLAS_TYPED(X)                                                         \
  X(getrf_batched, cublasSgetrfBatched, cublasDgetrfBatched, cublasCgetrfBatched,      \
    cublasZgetrfBatched)                                                               \
  X(getrs_batched, cublasSgetrsBatched, cublasDgetrsBatched, cublasCgetrsBatched,      \
    cublasZgetrsBatched)                                                               \
  X(matinv_batched, cublasSmatinvBatched, cublasDmatinvBatched, cublasCmatinvBatched,  \
    cublasZmatinvBatched)                                                              \
  X(geqrf_batched, cublasSgeqrfBatched, cublasDgeqrfBatched, cublasCgeqrfBatched,      \
    cublasZgeqrfBatched)                                                               \
  X(geam, cublasSgeam_64, cublasDgeam_64, cublasCgeam_64, cublasZgeam_64)              \
  X(trsm, cublasStrsm_64, cublasDtrsm_64, cublasCtrsm_64, cublasZtrsm_64)              \
  X(trsm_batched, cublasStrsmBatched_64, cublasDtrsmBatched_64, cublasCtrsmBatched_64, \
    cublasZtrsmBatched_64)                                                             \
  X(gemm_batched, cublasSgemmStridedBatched_64, cublasDgemmStridedBatched_64,          \
    cublasCgemmStridedBatched_64, cublasZgemmStridedBatched_64)

namespace sinter::runtime {

template <class T> struct typed_functions;

#define SINTER_S(member, s, d, c, z) decltype(&::s) member = nullptr;
#define SINTER_D(member, s, d, c, z) decltype(&::d) member = nullptr;
#define SINTER_C(member, s, d, c, z) decltype(&::c) member = nullptr;
#define SINTER_Z(member, s, d, c, z) decltype(&::z) member = nullptr;
template <> struct typed_functions<float> {
  SINTER_CUSOLVER_TYPED(SINTER_S) SINTER_CUBLAS_TYPED(SINTER_S)
};
template <> struct typed_functions<double> {
  SINTER_CUSOLVER_TYPED(SINTER_D) SINTER_CUBLAS_TYPED(SINTER_D)
};
template <> struct typed_functions<cuComplex> {
  SINTER_CUSOLVER_TYPED(SINTER_C) SINTER_CUBLAS_TYPED(SINTER_C)
};
template <> struct typed_functions<cuDoubleComplex> {
  SINTER_CUSOLVER_TYPED(SINTER_Z) SINTER_CUBLAS_TYPED(SINTER_Z)
};
#undef SINTER_S
#undef SINTER_D
#undef SINTER_C
#undef SINTER_Z

struct cusolver_functions {
  SINTER_CUSOLVER_FUNCTIONS(SINTER_FUNCTION)
  SINTER_CUSOLVER_LATER_FUNCTIONS(SINTER_FUNCTION)
  SINTER_CUBLAS_HANDLE_FUNCTIONS(SINTER_FUNCTION)
  typed_functions<float> real32;
  typed_functions<double> real64;
  typed_functions<cuComplex> complex32;
  typed_functions<cuDoubleComplex> complex64;

  template <class T> const typed_functions<T>& of() const {
    if constexpr (std::is_same_v<T, float>) return real32;
    if constexpr (std::is_same_v<T, double>) return real64;
    if constexpr (std::is_same_v<T, cuComplex>) return complex32;
    if constexpr (std::is_same_v<T, cuDoubleComplex>) return complex64;
  }

  /// What is missing, in one line; empty if nothing is.
  std::string find(const dynamic_library& cusolver, const dynamic_library& cublas) {
    std::string problem = cusolver.problem().empty() ? cublas.problem() : cusolver.problem();
    const dynamic_library* from = &cusolver;
    const auto visit = [&](auto& function, const char* name) {
      require_function(*from, function, name, problem);
    };
#define SINTER_VISIT_TYPED(member, s, d, c, z) \
  visit(real32.member, SINTER_SYMBOL(s));      \
  visit(real64.member, SINTER_SYMBOL(d));      \
  visit(complex32.member, SINTER_SYMBOL(c));   \
  visit(complex64.member, SINTER_SYMBOL(z));
    SINTER_CUSOLVER_FUNCTIONS(SINTER_VISIT)
    SINTER_CUSOLVER_TYPED(SINTER_VISIT_TYPED)
    from = &cublas;
    SINTER_CUBLAS_HANDLE_FUNCTIONS(SINTER_VISIT)
    SINTER_CUBLAS_TYPED(SINTER_VISIT_TYPED)
#undef SINTER_VISIT_TYPED
#define SINTER_FIND_LATER(name) find_function(cusolver, name, SINTER_SYMBOL(name));
    SINTER_CUSOLVER_LATER_FUNCTIONS(SINTER_FIND_LATER)
#undef SINTER_FIND_LATER
    return problem;
  }
};

}  // namespace sinter::runtime

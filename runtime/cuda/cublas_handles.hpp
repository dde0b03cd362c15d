#pragma once
// cuBLAS, opened at its first use: its functions, and a handle for each thread's stream. For the
// .cpp files of this folder, which include <cublas_v2.h> first.

#ifndef CUBLAS_V2_H_
#error include <cublas_v2.h> before this header
#endif

#include <cstddef>
#include <map>
#include <mutex>

#include "runtime/cuda/context.hpp"
#include "runtime/cuda/streams.hpp"
#include "runtime/library_table.hpp"

// The ones with 64-bit sizes came with CUDA 12.
#define SINTER_CUBLAS_FUNCTIONS(X) \
  X(cublasCreate)                  \
  X(cublasDestroy)                 \
  X(cublasSetStream)               \
  X(cublasSetWorkspace)            \
  X(cublasSetMathMode)             \
  X(cublasGetStatusString)         \
  X(cublasGemmEx_64)               \
  X(cublasGemmStridedBatchedEx_64) \
  X(cublasSgeam_64)                \
  X(cublasCgeam_64)                \
  X(cublasZgeam_64)                \
  X(cublasSsyrk_64)                \
  X(cublasDsyrk_64)                \
  X(cublasCsyrk_64)                \
  X(cublasZsyrk_64)                \
  X(cublasCherk_64)                \
  X(cublasZherk_64)

namespace sinter::runtime {

struct cublas_functions {
  SINTER_LIBRARY_TABLE(SINTER_CUBLAS_FUNCTIONS)
};

/// The workspace of a product: what NVIDIA recommends on Hopper.
inline constexpr std::size_t workspace_bytes = 32u << 20;

/// Thread-safe. REQUIRES: the context outlives it; no work that used it is pending at destruction.
class cublas_handles {
 public:
  explicit cublas_handles(const cuda_context& context) : context_(context) {}
  ~cublas_handles();
  cublas_handles(const cublas_handles&) = delete;

  /// For the calling thread's products, with this workspace. Throws device_error if the library is
  /// missing or too old.
  cublasHandle_t of(const cuda_stream& on, void* workspace);
  /// REQUIRES: `of` was called.
  const cublas_functions& functions() const { return functions_; }
  /// Throws device_error or out_of_memory unless it is success.
  void require(cublasStatus_t status, const cuda_stream& on) const;

 private:
  struct handle {
    cublasHandle_t made = nullptr;
    // Its last settings.
    CUstream_st* stream = nullptr;
    const void* workspace = nullptr;
  };

  const cuda_context& context_;
  std::mutex mutex_;
  cublas_functions functions_;
  std::map<stream_id, handle> handles_;
};

}  // namespace sinter::runtime

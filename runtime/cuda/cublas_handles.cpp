#include <string>

#include <cublas_v2.h>
#include <cuda.h>

#include "runtime/cuda/cublas_handles.hpp"
#include "runtime/cuda/toolkit.hpp"

namespace sinter::runtime {

namespace {

/// Throws device_error if it is missing or too old.
cublas_functions open_cublas() {
  cublas_functions found;
  const std::string problem =
      find_functions(open_toolkit_library({"libcublas.so.13", "libcublas.so.12"}), found);
  if (problem.empty()) return found;
  throw device_error("[matmul] products on the GPU need cuBLAS 12 or later (" + problem +
                     "): install the CUDA toolkit's libcublas");
}

}  // namespace

cublas_handles::~cublas_handles() {
  context_.bind();
  for (const auto& [stream, held] : handles_) functions_.cublasDestroy(held.made);
}

cublasHandle_t cublas_handles::of(const cuda_stream& on, void* workspace) {
  std::lock_guard one(mutex_);
  if (!functions_.cublasCreate) functions_ = open_cublas();
  if (!handles_.contains(on.id())) on.not_recorded("a thread's first product");
  auto [it, is_new] = handles_.try_emplace(on.id());
  handle& held = it->second;
  if (is_new) {
    const cublasStatus_t made = functions_.cublasCreate(&held.made);
    if (made != CUBLAS_STATUS_SUCCESS) handles_.erase(it);
    require(made, on);
    constexpr int mode = CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
    require(functions_.cublasSetMathMode(held.made, static_cast<cublasMath_t>(mode)), on);
  }
  if (held.stream != on.handle()) {
    require(functions_.cublasSetStream(held.made, on.handle()), on);
    held.stream = on.handle();
    held.workspace = nullptr;  // cublasSetStream resets the workspace
  }
  // The pool returns the same block in every round of a loop, so this is rarely needed.
  if (held.workspace != workspace) {
    require(functions_.cublasSetWorkspace(held.made, workspace, workspace_bytes), on);
    held.workspace = workspace;
  }
  return held.made;
}

void cublas_handles::require(cublasStatus_t status, const cuda_stream& on) const {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const std::string text =
      std::string("[matmul] cuBLAS failed: ") + functions_.cublasGetStatusString(status);
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw out_of_memory(text, 0);
  throw device_error(text + on.recent());
}

}  // namespace sinter::runtime

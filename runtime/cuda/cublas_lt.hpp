#pragma once
// Products with an epilogue, through cuBLASLt, opened at the first of them.

#include <memory>

#include "runtime/blas.hpp"
#include "runtime/cuda/context.hpp"
#include "runtime/cuda/streams.hpp"

namespace sinter::runtime {

/// A column-major operand, as the library takes it.
struct lt_operand {
  int operation;  // a cublasOperation_t
  const void* data;
  std::int64_t leading;
  std::int64_t batch_stride;
};

struct lt_workspace {
  void* data;
  std::size_t bytes;
};

/// Thread-safe. The library's choice for a product (its shape, types, layouts, alignment and
/// epilogue) is cached, for up to 256 products, LRU.
class cublas_lt {
 public:
  /// `context` outlives it.
  explicit cublas_lt(const cuda_context& context);
  ~cublas_lt();

  /// c = act(alpha first second + beta addend + bias), all column-major: c is call.n x call.m.
  /// `stored` is the operands' cudaDataType_t, `computed` a cublasComputeType_t. False, and nothing
  /// is queued, if the library has no such product, which is remembered. Throws device_error if the
  /// library is missing.
  bool multiply(const gemm_call& call, const lt_operand& first, const lt_operand& second,
                int stored, int computed, const lt_workspace& workspace, const cuda_stream& on);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace sinter::runtime

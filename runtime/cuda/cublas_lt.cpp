#include "runtime/cuda/cublas_lt.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <mutex>
#include <string>

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda.h>

#include "runtime/cuda/toolkit.hpp"
#include "runtime/library_table.hpp"
#include "runtime/recent_cache.hpp"

#define SINTER_CUBLASLT_FUNCTIONS(X)  \
  X(cublasLtCreate)                   \
  X(cublasLtDestroy)                  \
  X(cublasLtGetStatusString)          \
  X(cublasLtMatmul)                   \
  X(cublasLtMatmulAlgoGetHeuristic)   \
  X(cublasLtMatmulDescCreate)         \
  X(cublasLtMatmulDescDestroy)        \
  X(cublasLtMatmulDescSetAttribute)   \
  X(cublasLtMatrixLayoutCreate)       \
  X(cublasLtMatrixLayoutDestroy)      \
  X(cublasLtMatrixLayoutSetAttribute) \
  X(cublasLtMatmulPreferenceCreate)   \
  X(cublasLtMatmulPreferenceDestroy)  \
  X(cublasLtMatmulPreferenceSetAttribute)

namespace sinter::runtime {
namespace {

struct lt_functions {
  SINTER_LIBRARY_TABLE(SINTER_CUBLASLT_FUNCTIONS)
};

/// Throws device_error if it is missing or too old.
lt_functions open_cublas_lt() {
  lt_functions found;
  const std::string problem =
      find_functions(open_toolkit_library({"libcublasLt.so.13", "libcublasLt.so.12"}), found);
  if (problem.empty()) return found;
  throw device_error("[matmul] products with an epilogue need cuBLASLt 12 or later (" + problem +
                     "): install the CUDA toolkit's libcublas, or set SINTER_FUSION=off");
}

/// Owns an object of the library.
template <class Handle> class owned {
 public:
  owned(Handle handle, cublasStatus_t (*destroy)(Handle)) : handle_(handle), destroy_(destroy) {}
  owned(const owned&) = delete;
  ~owned() { destroy_(handle_); }
  operator Handle() const { return handle_; }

 private:
  Handle handle_;
  cublasStatus_t (*destroy_)(Handle);
};

using description = owned<cublasLtMatmulDesc_t>;
using layout = owned<cublasLtMatrixLayout_t>;

/// A product's description, and the algorithm that the library chose for it.
struct chosen {
  std::unique_ptr<description> product;
  std::unique_ptr<layout> first, second, result;
  cublasLtMatmulAlgo_t algorithm;
  bool exists = false;  // false: the library has no algorithm for it
};

/// Equal keys describe the same product, except for addresses.
using key = std::array<std::int64_t, 16>;

/// The alignment of an address, up to the 256 bytes of an allocation.
int alignment(const void* p) {
  return p ? std::min(8, std::countr_zero(reinterpret_cast<std::uintptr_t>(p))) : 9;
}

key key_of(const gemm_call& c, const lt_operand& a, const lt_operand& b, int computed) {
  const gemm_epilogue& e = c.epilogue;
  const bool adds = e.addend != nullptr, in_place = e.addend == c.c;
  return {c.m,
          c.n,
          c.k,
          c.batch,
          c.c_leading,
          c.c_batch_stride,
          a.leading,
          a.batch_stride,
          b.leading,
          b.batch_stride,
          static_cast<std::int64_t>(a.operation) << 8 | b.operation,
          static_cast<std::int64_t>(c.type) << 8 | c.wide_result,
          computed,
          static_cast<std::int64_t>(e.act) << 8 | in_place << 1 | adds,
          alignment(a.data) << 8 | alignment(b.data),
          alignment(c.c) << 16 | alignment(e.addend) << 8 | alignment(e.bias)};
}

cublasLtEpilogue_t epilogue_of(const gemm_epilogue& e) {
  switch (e.act) {
    case activation::relu:
      return e.bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    case activation::gelu:
      return e.bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    case activation::none:
      break;
  }
  return e.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

/// The type of alpha and beta.
cudaDataType_t scale_of(element type) {
  switch (type) {
    case element::float64:
      return CUDA_R_64F;
    case element::complex64:
      return CUDA_C_32F;
    case element::complex128:
      return CUDA_C_64F;
    default:
      return CUDA_R_32F;
  }
}

/// A scale factor in the type that the library reads.
class scale {
 public:
  scale(std::complex<double> x, element type) : wide_(x), narrow_(x) {
    single_ = type != element::float64 && type != element::complex128;
  }
  const void* data() const { return single_ ? static_cast<const void*>(&narrow_) : &wide_; }

 private:
  std::complex<double> wide_;
  std::complex<float> narrow_;
  bool single_;
};

}  // namespace

struct cublas_lt::state {
  explicit state(const cuda_context& c) : context(c) {}

  ~state() {
    context.bind();
    if (handle) f.cublasLtDestroy(handle);
  }

  void require(cublasStatus_t status, const cuda_stream& on) const {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    const std::string text =
        std::string("[matmul] cuBLASLt failed: ") + f.cublasLtGetStatusString(status);
    if (status == CUBLAS_STATUS_ALLOC_FAILED) throw out_of_memory(text, 0);
    throw device_error(text + on.recent());
  }

  void open(const cuda_stream& on) {
    if (!f.cublasLtCreate) f = open_cublas_lt();
    if (!handle) require(f.cublasLtCreate(&handle), on);
  }

  template <class T>
  void set(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t what, const T& value,
           const cuda_stream& on) const {
    require(f.cublasLtMatmulDescSetAttribute(d, what, &value, sizeof value), on);
  }

  std::unique_ptr<layout> make_layout(int type, std::int64_t rows, std::int64_t columns,
                                      std::int64_t leading, std::int64_t batch, std::int64_t stride,
                                      const cuda_stream& on) const {
    cublasLtMatrixLayout_t made = nullptr;
    require(f.cublasLtMatrixLayoutCreate(&made, static_cast<cudaDataType_t>(type),
                                         static_cast<std::uint64_t>(rows),
                                         static_cast<std::uint64_t>(columns), leading),
            on);
    auto held = std::make_unique<layout>(made, f.cublasLtMatrixLayoutDestroy);
    if (batch == 1) return held;
    const auto count = static_cast<std::int32_t>(batch);
    require(f.cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                               sizeof count),
            on);
    require(f.cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                               &stride, sizeof stride),
            on);
    return held;
  }

  std::unique_ptr<layout> operand_layout(const lt_operand& x, int type, std::int64_t rows,
                                         std::int64_t columns, std::int64_t batch,
                                         const cuda_stream& on) const {
    if (x.operation != CUBLAS_OP_N) std::swap(rows, columns);
    return make_layout(type, rows, columns, x.leading, batch, x.batch_stride, on);
  }

  std::shared_ptr<chosen> choose(const gemm_call& call, const lt_operand& first,
                                 const lt_operand& second, int stored, int computed,
                                 std::size_t room, const cuda_stream& on) const {
    auto made = std::make_shared<chosen>();
    cublasLtMatmulDesc_t d = nullptr;
    require(f.cublasLtMatmulDescCreate(&d, static_cast<cublasComputeType_t>(computed),
                                       scale_of(call.type)),
            on);
    made->product = std::make_unique<description>(d, f.cublasLtMatmulDescDestroy);
    set(d, CUBLASLT_MATMUL_DESC_TRANSA, first.operation, on);
    set(d, CUBLASLT_MATMUL_DESC_TRANSB, second.operation, on);
    set(d, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(call.epilogue), on);
    if (call.epilogue.bias) set(d, CUBLASLT_MATMUL_DESC_BIAS_POINTER, call.epilogue.bias, on);
    const int given = call.wide_result ? static_cast<int>(CUDA_R_32F) : stored;
    made->first = operand_layout(first, stored, call.n, call.k, call.batch, on);
    made->second = operand_layout(second, stored, call.k, call.m, call.batch, on);
    made->result =
        make_layout(given, call.n, call.m, call.c_leading, call.batch, call.c_batch_stride, on);
    cublasLtMatmulPreference_t p = nullptr;
    require(f.cublasLtMatmulPreferenceCreate(&p), on);
    const owned<cublasLtMatmulPreference_t> preference(p, f.cublasLtMatmulPreferenceDestroy);
    prefer(p, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, room, on);
    // Split-K parts are added in the compute type.
    prefer(p, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
           static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE), on);
    const gemm_epilogue& e = call.epilogue;
    aligned(p, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, first.data, on);
    aligned(p, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, second.data, on);
    aligned(p, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, e.addend ? e.addend : call.c, on);
    aligned(p, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, call.c, on);
    cublasLtMatmulHeuristicResult_t best{};
    int found = 0;
    const cublasStatus_t status = f.cublasLtMatmulAlgoGetHeuristic(
        handle, d, *made->first, *made->second, *made->result, *made->result, p, 1, &best, &found);
    made->exists = status != CUBLAS_STATUS_NOT_SUPPORTED && found > 0;
    if (status != CUBLAS_STATUS_NOT_SUPPORTED) require(status, on);
    made->algorithm = best.algo;
    return made;
  }

  template <class T>
  void prefer(cublasLtMatmulPreference_t p, cublasLtMatmulPreferenceAttributes_t what,
              const T& value, const cuda_stream& on) const {
    require(f.cublasLtMatmulPreferenceSetAttribute(p, what, &value, sizeof value), on);
  }
  void aligned(cublasLtMatmulPreference_t p, cublasLtMatmulPreferenceAttributes_t what,
               const void* address, const cuda_stream& on) const {
    prefer(p, what, std::uint32_t{1} << alignment(address), on);
  }

  const cuda_context& context;
  std::mutex mutex;
  lt_functions f;
  cublasLtHandle_t handle = nullptr;
  recent_cache<key, chosen> products{256, std::size_t{1} << 20};
};

cublas_lt::cublas_lt(const cuda_context& context) : state_(std::make_unique<state>(context)) {}
cublas_lt::~cublas_lt() = default;

bool cublas_lt::multiply(const gemm_call& call, const lt_operand& first, const lt_operand& second,
                         int stored, int computed, const lt_workspace& workspace,
                         const cuda_stream& on) {
  state& s = *state_;
  const std::lock_guard one(s.mutex);
  s.open(on);
  const key k = key_of(call, first, second, computed);
  auto product = s.products.find(k);
  const gemm_epilogue& e = call.epilogue;
  if (!product) {
    product = s.choose(call, first, second, stored, computed, workspace.bytes, on);
    s.products.add(k, product, sizeof(chosen));
  } else if (e.bias) {
    s.set(*product->product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, e.bias, on);
  }
  if (!product->exists) return false;
  const scale alpha(e.alpha, call.type);
  const scale beta(e.addend ? e.beta : std::complex<double>(0), call.type);
  s.require(
      s.f.cublasLtMatmul(s.handle, *product->product, alpha.data(), first.data, *product->first,
                         second.data, *product->second, beta.data(), e.addend ? e.addend : call.c,
                         *product->result, call.c, *product->result, &product->algorithm,
                         workspace.data, workspace.bytes, on.handle()),
      on);
  return true;
}

}  // namespace sinter::runtime

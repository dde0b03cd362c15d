#include "runtime/cuda/cublas.hpp"

#include <algorithm>
#include <complex>
#include <optional>
#include <utility>

#include <cublas_v2.h>
#include <cuda.h>

#include "runtime/cuda/cublas_handles.hpp"
#include "runtime/cuda/cublas_lt.hpp"
#include "runtime/cuda/driver_functions.hpp"
#include "runtime/cuda/product_types.hpp"
#include "runtime/cuda/scratch.hpp"

namespace sinter::runtime {

namespace {

/// An operand in the library's column-major terms, where a row-major matrix appears transposed.
struct view {
  cublasOperation_t operation;
  const void* data;
  std::int64_t leading;
  std::int64_t batch_stride;
};

constexpr std::size_t vector_of_bytes = 16;

class cublas final : public blas {
 public:
  cublas(const cuda_context& context, cuda_streams& streams, memory_pool& pool)
      : context_(context), streams_(streams), pool_(pool), handles_(context), fused_(context) {}

  // Tensor cores that multiply bytes without conversion came with compute capability 8.0.
  bool supports(element type) const override {
    return type != element::int8 || major_capability() >= 8;
  }
  // Tensor cores with TF32 and bfloat16 came with compute capability 8.0.
  bool has(compute_mode mode) const override {
    return mode == compute_mode::ieee || major_capability() >= 8;
  }

  bool gemm(const gemm_call& asked) override {
    if (asked.batch <= 0 || asked.m <= 0 || asked.n <= 0) return true;
    cuda_stream& on = streams_.current();
    if (asked.k <= 0) {
      fill_zeros(asked, on);
      return true;
    }
    const scratch workspace(pool_, workspace_bytes, on);
    const cublasHandle_t handle = handles_.of(on, workspace.data());
    if (asked.lower_only && asked.batch == 1 && bytes_of(asked.type) > 2) {
      multiply_by_itself(asked, handle, on);
      on.queued();
      return true;
    }
    std::optional<scratch> room[2];
    std::optional<gemm_call> other = turned_along(asked, handle, on, room[0]);
    if (asked.type == element::int8) other = aligned(asked, on, room);
    const gemm_call& call = other ? *other : asked;
    std::optional<scratch> conjugates[2];
    const view a = view_of(call.a, call.m, call.k, call, handle, on, conjugates[0]);
    const view b = view_of(call.b, call.k, call.n, call, handle, on, conjugates[1]);
    bool done = true;
    if (call.epilogue.any()) {
      const product_types types = types_of(call);
      done = fused_.multiply(call, {b.operation, b.data, b.leading, b.batch_stride},
                             {a.operation, a.data, a.leading, a.batch_stride}, types.stored,
                             types.computed, {workspace.data(), workspace_bytes}, on);
    } else {
      multiply(call, a, b, handle, on);
    }
    on.queued();
    return done;
  }

 private:
  /// The library sees the triangle below the diagonal as the one above it.
  void multiply_by_itself(const gemm_call& call, cublasHandle_t handle,
                          const cuda_stream& on) const {
    const auto run = [&]<class T, class Factor>(auto function, cublasOperation_t turned, const T*,
                                                const Factor* factors) {
      require(function(handle, CUBLAS_FILL_MODE_UPPER, call.a.transpose ? CUBLAS_OP_N : turned,
                       call.m, call.k, factors, static_cast<const T*>(call.a.data), call.a.leading,
                       factors + 1, static_cast<T*>(call.c), call.c_leading),
              on);
    };
    constexpr float floats[] = {1, 0};
    constexpr double doubles[] = {1, 0};
    constexpr cuComplex complex_floats[] = {{1, 0}, {0, 0}};
    constexpr cuDoubleComplex complex_doubles[] = {{1, 0}, {0, 0}};
    const bool hermitian = call.a.conjugate || call.b.conjugate;
    const cublas_functions& f = handles_.functions();
    switch (call.type) {
      case element::float32:
        return run(f.cublasSsyrk_64, CUBLAS_OP_T, static_cast<float*>(nullptr), floats);
      case element::float64:
        return run(f.cublasDsyrk_64, CUBLAS_OP_T, static_cast<double*>(nullptr), doubles);
      case element::complex64:
        if (hermitian) {
          return run(f.cublasCherk_64, CUBLAS_OP_C, static_cast<cuComplex*>(nullptr), floats);
        }
        return run(f.cublasCsyrk_64, CUBLAS_OP_T, static_cast<cuComplex*>(nullptr), complex_floats);
      default:
        if (hermitian) {
          return run(f.cublasZherk_64, CUBLAS_OP_C, static_cast<cuDoubleComplex*>(nullptr),
                     doubles);
        }
        return run(f.cublasZsyrk_64, CUBLAS_OP_T, static_cast<cuDoubleComplex*>(nullptr),
                   complex_doubles);
    }
  }

  // c' = b' a': the library sees the transpose of each row-major matrix.
  void multiply(const gemm_call& call, const view& a, const view& b, cublasHandle_t handle,
                const cuda_stream& on) const {
    const product_types types = types_of(call);
    const auto stored = static_cast<cudaDataType_t>(types.stored),
               given = static_cast<cudaDataType_t>(types.given);
    const auto computed = static_cast<cublasComputeType_t>(types.computed);
    const void* one = product_factor(call.type, true);
    const void* zero = product_factor(call.type, false);
    const std::int64_t c_leading = call.m == 1 ? call.n : call.c_leading;
    const std::size_t size = bytes_of(call.type), c_size = call.wide_result ? 4 : size;
    const auto alone = [&](std::int64_t i) {
      require(handles_.functions().cublasGemmEx_64(
                  handle, b.operation, a.operation, call.n, call.m, call.k, one,
                  moved(b.data, i * b.batch_stride, size), stored, b.leading,
                  moved(a.data, i * a.batch_stride, size), stored, a.leading, zero,
                  moved(call.c, i * call.c_batch_stride, c_size), given, c_leading, computed,
                  CUBLAS_GEMM_DEFAULT),
              on);
    };
    if (call.batch == 1 || is_deep(call)) {
      for (std::int64_t i = 0; i < call.batch; ++i) alone(i);
      return;
    }
    const cublasStatus_t status = handles_.functions().cublasGemmStridedBatchedEx_64(
        handle, b.operation, a.operation, call.n, call.m, call.k, one, b.data, stored, b.leading,
        b.batch_stride, a.data, stored, a.leading, a.batch_stride, zero, call.c, given, c_leading,
        call.c_batch_stride, call.batch, computed, CUBLAS_GEMM_DEFAULT);
    if (status != CUBLAS_STATUS_NOT_SUPPORTED) return require(status, on);
    // Seen with complex64 matrices three elements apart, a distance that no vector width of its
    // kernels divides.
    for (std::int64_t i = 0; i < call.batch; ++i) alone(i);
  }

  /// Few small results of long sums. The library gives each result an SM, which takes 25 ns per
  /// step of the sum for floats and 10 for halves; a single product it spreads over all SMs: 10 us.
  /// 8 x (5 x 16413) (16413 x 64) floats took 416 us as one batch (H200).
  static bool is_deep(const gemm_call& call) {
    constexpr std::int64_t tile = 128, most_tiles = 64;
    const std::int64_t tiles = (call.m + tile - 1) / tile * ((call.n + tile - 1) / tile);
    const std::int64_t least = bytes_of(call.type) > 2 ? 800 : 2000;
    return tiles * call.batch <= most_tiles && call.k > least * call.batch;
  }

  template <class Pointer>
  static Pointer moved(Pointer from, std::int64_t elements, std::size_t size) {
    using bytes = std::conditional_t<std::is_same_v<Pointer, void*>, std::byte, const std::byte>;
    return static_cast<bytes*>(from) + elements * static_cast<std::int64_t>(size);
  }

  view view_of(const gemm_operand& operand, std::int64_t rows, std::int64_t columns,
               const gemm_call& call, cublasHandle_t handle, const cuda_stream& on,
               std::optional<scratch>& conjugated) {
    if (operand.transpose) std::swap(rows, columns);
    const std::int64_t leading = rows <= 1 ? columns : operand.leading;
    const bool conjugate = operand.conjugate && is_complex(call.type);
    if (!conjugate || operand.transpose) {
      const auto operation = !operand.transpose ? CUBLAS_OP_N
                             : conjugate        ? CUBLAS_OP_C
                                                : CUBLAS_OP_T;
      return {operation, operand.data, leading, operand.batch_stride};
    }
    // The library conjugates only what it transposes, so a transposing copy comes first.
    const std::int64_t matrices = operand.batch_stride == 0 ? 1 : call.batch;
    const std::int64_t size = rows * columns;
    const std::size_t bytes = static_cast<std::size_t>(matrices * size) * bytes_of(call.type);
    conjugated.emplace(pool_, bytes, on);
    for (std::int64_t i = 0; i < matrices; ++i) {
      adjoint(call.type, operand.data, i * operand.batch_stride, leading, rows, columns,
              conjugated->data(), i * size, handle, on);
    }
    return {CUBLAS_OP_T, conjugated->data(), rows, operand.batch_stride == 0 ? 0 : size};
  }

  int major_capability() const {
    int major = 0;
    the_driver().cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                      context_.device());
    return major;
  }

  /// Hopper's tensor cores read 32-bit numbers along the summed axis. With both operands strided
  /// along it, the library takes 1.6 to 1.8 times as long as with one of them contiguous (4096^3 in
  /// TF32 0.584 ms and 0.357, H200), and transposing the smaller one first takes a tenth. A step of
  /// a sum saves 3.1 fs and an element is transposed in 2.7 ps, so a transposed element must be
  /// used in at least 900 sums, plus those that pay for the launch, 4 us.
  std::optional<gemm_call> turned_along(const gemm_call& asked, cublasHandle_t handle,
                                        const cuda_stream& on, std::optional<scratch>& room) {
    const bool across = asked.mode != compute_mode::ieee && asked.type == element::float32 &&
                        asked.batch == 1 && asked.a.transpose && !asked.b.transpose;
    const std::int64_t less = std::min(asked.m, asked.n), more = std::max(asked.m, asked.n);
    const double steps = static_cast<double>(less * asked.k) * static_cast<double>(more - 900);
    constexpr double steps_of_launch = 1.3e9;
    if (!across || steps < steps_of_launch || major_capability() != 9) return {};
    gemm_call call = asked;
    gemm_operand& x = asked.m <= asked.n ? call.a : call.b;
    room.emplace(pool_, static_cast<std::size_t>(less * asked.k) * sizeof(float), on);
    adjoint(asked.type, x.data, 0, x.leading, asked.k, less, room->data(), 0, handle, on);
    x.data = room->data();
    x.leading = asked.k;
    x.transpose = !x.transpose;
    return call;
  }

  /// Byte operands must start at a vector boundary; an adopted array may start anywhere.
  gemm_call aligned(const gemm_call& asked, cuda_stream& on, std::optional<scratch> (&room)[2]) {
    gemm_call call = asked;
    const auto place = [&](gemm_operand& x, std::int64_t rows, std::int64_t columns,
                           std::optional<scratch>& to) {
      if (reinterpret_cast<std::uintptr_t>(x.data) % vector_of_bytes == 0) return;
      if (x.transpose) std::swap(rows, columns);
      const std::int64_t reach = (rows - 1) * x.leading + columns;
      const std::int64_t bytes = (asked.batch - 1) * x.batch_stride + reach;
      to.emplace(pool_, static_cast<std::size_t>(bytes), on);
      const CUresult done = the_driver().cuMemcpyDtoDAsync(
          reinterpret_cast<CUdeviceptr>(to->data()), reinterpret_cast<CUdeviceptr>(x.data),
          static_cast<std::size_t>(bytes), on.handle());
      if (done != CUDA_SUCCESS) on.fail(done, "aligning an operand of a product");
      x.data = to->data();
    };
    place(call.a, call.m, call.k, room[0]);
    place(call.b, call.k, call.n, room[1]);
    return call;
  }

  /// to = the conjugate transpose of a row-major matrix, rows x columns.
  void adjoint(element type, const void* from, std::int64_t from_offset, std::int64_t leading,
               std::int64_t rows, std::int64_t columns, void* to, std::int64_t to_offset,
               cublasHandle_t handle, const cuda_stream& on) const {
    const auto copy = [&]<typename T>(auto function, const T* source, T* target) {
      const auto* one = static_cast<const T*>(product_factor(type, true));
      const auto* zero = static_cast<const T*>(product_factor(type, false));
      target += to_offset;
      require(function(handle, is_complex(type) ? CUBLAS_OP_C : CUBLAS_OP_T, CUBLAS_OP_N, rows,
                       columns, one, source + from_offset, leading, zero, target, rows, target,
                       rows),
              on);
    };
    const cublas_functions& f = handles_.functions();
    if (type == element::float32) {
      copy(f.cublasSgeam_64, static_cast<const float*>(from), static_cast<float*>(to));
    } else if (type == element::complex64) {
      copy(f.cublasCgeam_64, static_cast<const cuComplex*>(from),
           static_cast<cuComplex*>(to));
    } else {
      copy(f.cublasZgeam_64, static_cast<const cuDoubleComplex*>(from),
           static_cast<cuDoubleComplex*>(to));
    }
  }

  void fill_zeros(const gemm_call& call, cuda_stream& on) const {
    const std::size_t size = call.wide_result ? 4 : bytes_of(call.type);
    const auto width = static_cast<std::size_t>(call.n) * size;
    const auto pitch = call.m == 1 ? width : static_cast<std::size_t>(call.c_leading) * size;
    for (std::int64_t i = 0; i < call.batch; ++i) {
      const CUdeviceptr to = reinterpret_cast<CUdeviceptr>(call.c) +
                             static_cast<std::size_t>(i * call.c_batch_stride) * size;
      const CUresult result = the_driver().cuMemsetD2D8Async(
          to, pitch, 0, width, static_cast<std::size_t>(call.m), on.handle());
      if (result != CUDA_SUCCESS) on.fail(result, "filling a product with zeros");
    }
    on.queued();
  }

  void require(cublasStatus_t status, const cuda_stream& on) const {
    handles_.require(status, on);
  }

  const cuda_context& context_;
  cuda_streams& streams_;
  memory_pool& pool_;
  cublas_handles handles_;
  cublas_lt fused_;
};

}  // namespace

std::unique_ptr<blas> make_cublas(const cuda_context& context, cuda_streams& streams,
                                  memory_pool& pool) {
  return std::make_unique<cublas>(context, streams, pool);
}

}  // namespace sinter::runtime

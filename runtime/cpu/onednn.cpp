#include "runtime/cpu/onednn.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <utility>

#include "runtime/dynamic_library.hpp"

namespace sinter::runtime {

namespace {

// The functions of oneapi/dnnl/dnnl.h, so that the build does not need it: row-major, 0 for
// success.
using bfloat16_function = int(char transa, char transb, std::int64_t m, std::int64_t n,
                              std::int64_t k, float alpha, const void* a, std::int64_t lda,
                              const void* b, std::int64_t ldb, float beta, void* c,
                              std::int64_t ldc);
using int8_function = int(char transa, char transb, char offset, std::int64_t m, std::int64_t n,
                          std::int64_t k, float alpha, const void* a, std::int64_t lda,
                          std::int8_t a_offset, const void* b, std::int64_t ldb,
                          std::int8_t b_offset, float beta, void* c, std::int64_t ldc,
                          const std::int32_t* c_offset);

struct onednn_library {
  bfloat16_function* bfloat16 = nullptr;
  int8_function* int8 = nullptr;
  int (*threads)() = nullptr;
  void (*use_threads)(int) = nullptr;
};

onednn_library open_onednn() {
  const auto library = dynamic_library::open({"libdnnl.so.3", "libdnnl.so.2"});
  onednn_library found;
  found.threads = library.function<int()>("omp_get_max_threads");
  found.use_threads = library.function<void(int)>("omp_set_num_threads");
  // A build on another thread runtime than OpenMP would start its threads inside the pool's.
  if (!found.threads || !found.use_threads) return found;
  found.bfloat16 = library.function<bfloat16_function>("dnnl_gemm_bf16bf16f32");
  found.int8 = library.function<int8_function>("dnnl_gemm_s8s8s32");
  return found;
}

/// Without these instructions the library converts bfloat16 element by element, and adds products
/// of bytes in 16 bits, which saturate.
bool multiplies(element type) {
#if defined(__x86_64__)
  if (type == element::bfloat16) return __builtin_cpu_supports("avx512bf16") != 0;
  if (type == element::int8) return __builtin_cpu_supports("avx512vnni") != 0;
#endif
  (void)type;
  return false;
}

/// For its lifetime, OpenMP uses one thread for the calling thread's calls.
class single_thread {
 public:
  explicit single_thread(const onednn_library& library)
      : library_(library), before_(library.threads()) {
    if (before_ != 1) library_.use_threads(1);
  }
  single_thread(const single_thread&) = delete;
  single_thread& operator=(const single_thread&) = delete;
  ~single_thread() {
    if (before_ != 1) library_.use_threads(before_);
  }

 private:
  const onednn_library& library_;
  int before_;
};

constexpr std::size_t size_of_sum = 4;  // float32 and int32
// Products of less work than this are not worth a second thread.
constexpr double small_narrow = 1e6;
// Parts have multiples of this many rows and columns: the library's full tiles.
constexpr std::int64_t tile = 16;

/// Elements [first, second) of a side.
using range = std::pair<std::int64_t, std::int64_t>;

template <typename Byte> Byte* moved(Byte* data, std::int64_t elements, std::size_t size) {
  using byte = std::conditional_t<std::is_const_v<Byte>, const char, char>;
  return static_cast<byte*>(data) + elements * static_cast<std::int64_t>(size);
}

/// The part of product number `batch` with these rows and columns.
gemm_call part_of(const gemm_call& call, std::int64_t batch, range rows, range columns) {
  const std::size_t size = bytes_of(call.type);
  const std::int64_t a = rows.first * (call.a.transpose ? 1 : call.a.leading);
  const std::int64_t b = columns.first * (call.b.transpose ? call.b.leading : 1);
  gemm_call part = call;
  part.batch = 1;
  part.m = rows.second - rows.first;
  part.n = columns.second - columns.first;
  part.a.data = moved(call.a.data, batch * call.a.batch_stride + a, size);
  part.b.data = moved(call.b.data, batch * call.b.batch_stride + b, size);
  const std::int64_t c = rows.first * call.c_leading + columns.first;
  part.c = moved(call.c, batch * call.c_batch_stride + c, size_of_sum);
  return part;
}

/// Part `i` of `parts` of [0, size), in full tiles.
range piece_of(std::int64_t size, std::int64_t i, std::int64_t parts) {
  const std::int64_t tiles = (size + tile - 1) / tile;
  const auto border = [&](std::int64_t p) { return std::min(size, tiles * p / parts * tile); };
  return {border(i), border(i + 1)};
}

class onednn final : public blas {
 public:
  onednn(thread_pool& threads, std::unique_ptr<blas> rest)
      : threads_(threads), rest_(std::move(rest)) {}

  bool supports(element type) const override {
    if (type != element::bfloat16 && type != element::int8) return rest_->supports(type);
    if (!multiplies(type)) return false;
    return type == element::int8 ? opened().int8 != nullptr : opened().bfloat16 != nullptr;
  }

  std::string_view lacks(element type) const override {
    return multiplies(type) && !supports(type) ? "oneDNN (libdnnl2)" : "";
  }

  bool has(compute_mode mode) const override { return rest_->has(mode); }

  bool gemm(const gemm_call& call) override {
    const bool mine = call.type == element::int8 || call.type == element::bfloat16;
    if (!mine || !supports(call.type)) return rest_->gemm(call);
    if (call.type == element::bfloat16 && !call.wide_result) {
      throw device_error("[matmul] oneDNN stores products of bfloat16 as float32: ask for these");
    }
    if (call.epilogue.any()) return false;
    if (call.batch > 0 && call.m > 0 && call.n > 0) multiply_all(call);
    return true;
  }

 private:
  const onednn_library& opened() const {
    std::call_once(once_, [&] { library_ = open_onednn(); });
    return library_;
  }

  void multiply_all(const gemm_call& call) const {
    const double work =
        static_cast<double>(call.m) * static_cast<double>(call.n) * static_cast<double>(call.k);
    const bool small = work < small_narrow;
    if (call.batch == 1 || (!small && call.batch < threads_.size())) {
      for (std::int64_t i = 0; i < call.batch; ++i) multiply_one(call, i, small);
      return;
    }
    const auto grain =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(small_narrow / std::max(work, 1.0)));
    threads_.parallel_for(
        call.batch,
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            run(part_of(call, i, {0, call.m}, {0, call.n}));
          }
        },
        grain);
  }

  /// Splits the result into parts of similar proportions, one per thread: the library's own threads
  /// would keep spinning.
  void multiply_one(const gemm_call& call, std::int64_t batch, bool small) const {
    const std::int64_t threads = small ? 1 : threads_.size();
    const double shape = static_cast<double>(call.m) / static_cast<double>(call.n);
    const auto high = std::clamp<std::int64_t>(
        std::llround(std::sqrt(static_cast<double>(threads) * shape)), 1, threads);
    const std::int64_t wide = threads / high;
    threads_.parallel_for(high * wide, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        run(part_of(call, batch, piece_of(call.m, i / wide, high),
                    piece_of(call.n, i % wide, wide)));
      }
    });
  }

  void run(const gemm_call& call) const {
    if (call.m == 0 || call.n == 0) return;
    if (call.k <= 0) return fill_zeros(call);
    const onednn_library& library = opened();
    const single_thread alone(library);
    const auto flag = [](const gemm_operand& x) { return x.transpose ? 'T' : 'N'; };
    // The library requires strides no smaller than a row, even for a single row.
    const auto step = [](const gemm_operand& x, std::int64_t rows, std::int64_t columns) {
      if (x.transpose) std::swap(rows, columns);
      return rows <= 1 ? columns : x.leading;
    };
    const std::int64_t lda = step(call.a, call.m, call.k), ldb = step(call.b, call.k, call.n);
    const std::int64_t ldc = call.m <= 1 ? call.n : call.c_leading;
    const std::int32_t none = 0;
    const int status =
        call.type == element::int8
            ? library.int8(flag(call.a), flag(call.b), 'F', call.m, call.n, call.k, 1, call.a.data,
                           lda, 0, call.b.data, ldb, 0, 0, call.c, ldc, &none)
            : library.bfloat16(flag(call.a), flag(call.b), call.m, call.n, call.k, 1, call.a.data,
                               lda, call.b.data, ldb, 0, call.c, ldc);
    if (status == 0) return;
    throw device_error("[matmul] oneDNN failed with status " + std::to_string(status));
  }

  static void fill_zeros(const gemm_call& call) {
    for (std::int64_t row = 0; row < call.m; ++row) {
      std::memset(moved(call.c, row * call.c_leading, size_of_sum), 0,
                  static_cast<std::size_t>(call.n) * size_of_sum);
    }
  }

  thread_pool& threads_;
  std::unique_ptr<blas> rest_;
  mutable std::once_flag once_;
  mutable onednn_library library_;
};

}  // namespace

std::unique_ptr<blas> make_onednn(thread_pool& threads, std::unique_ptr<blas> rest) {
  return std::make_unique<onednn>(threads, std::move(rest));
}

}  // namespace sinter::runtime

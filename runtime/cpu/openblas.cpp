#include "runtime/cpu/openblas.hpp"

#include <algorithm>
#include <cassert>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

#include "runtime/cpu/openblas_library.hpp"

namespace sinter::runtime {

namespace {

// The values of cblas.h, so that the build does not need it.
enum layout : int { row_major = 101 };
enum transposition : int { plain = 111, transposed = 112, adjoint = 113, conjugated = 114 };
enum triangle : int { upper = 121, lower = 122 };

transposition flag(bool transpose, bool conjugate, bool complex) {
  if (!complex || !conjugate) return transpose ? transposed : plain;
  return transpose ? adjoint : conjugated;
}

// Real routines take alpha and beta by value, complex ones by address.
template <typename T> struct routines {
  static constexpr bool complex = !std::is_floating_point_v<T>;
  using factor = std::conditional_t<complex, const void*, T>;
  using pointer = std::conditional_t<complex, const void*, const T*>;
  using result = std::conditional_t<complex, void*, T*>;
  using gemm_function = void(layout, transposition, transposition, int m, int n, int k, factor,
                             pointer a, int lda, pointer b, int ldb, factor, result c, int ldc);
  using gemv_function = void(layout, transposition, int rows, int columns, factor, pointer a,
                             int lda, pointer x, int incx, factor, result y, int incy);

  using real = decltype(std::abs(T{}));
  using syrk_function = void(layout, triangle, transposition, int n, int k, factor, pointer a,
                             int lda, factor, result c, int ldc);
  using herk_function = void(layout, triangle, transposition, int n, int k, real, pointer a,
                             int lda, real, result c, int ldc);

  gemm_function* gemm = nullptr;
  gemv_function* gemv = nullptr;
  syrk_function* syrk = nullptr;
  herk_function* herk = nullptr;  // syrk for reals

  static factor scale(const T& value) {
    if constexpr (complex) {
      return &value;
    } else {
      return value;
    }
  }
};

struct openblas_library {
  explicit openblas_library(const dynamic_library& from) : library(from) {
    const auto find = [&](auto& routine, const std::string& type, const char* herk) {
      const auto get = [&]<class Function>(Function*& to, const std::string& name) {
        to = library.function<Function>((type + name).c_str());
        complete = complete && to;
      };
      get(routine.gemm, "gemm");
      get(routine.gemv, "gemv");
      get(routine.syrk, "syrk");
      get(routine.herk, herk);
    };
    find(real32, "cblas_s", "syrk");
    find(real64, "cblas_d", "syrk");
    find(complex32, "cblas_c", "herk");
    find(complex64, "cblas_z", "herk");
    set_threads = library.function<void(int)>("openblas_set_num_threads");
  }

  dynamic_library library;
  routines<float> real32;
  routines<double> real64;
  routines<std::complex<float>> complex32;
  routines<std::complex<double>> complex64;
  void (*set_threads)(int) = nullptr;
  bool complete = true;
};

constexpr std::int64_t int_limit = std::numeric_limits<int>::max();
constexpr std::int64_t longest_panel = std::int64_t{1} << 30;
// Products of less work than this are not worth more threads.
constexpr double small_product = 1e6;
// Up to this many threads compute a part of the result each, as single-threaded calls. The
// library's own threads wait for each other at every panel they pack; tall or thin products consist
// of panels, and any other program on the machine stretches a wait to time slices of milliseconds.
// Two cores of a shared EPYC, floats, least and median of 40 in turn, by parts and by the library,
// ms: 100,000 x 12 x 12 0.39 and 0.41, 1.30 and 1.38; 4096 x 32 x 4096 8.7 and 9.7, 18 and 29;
// 20,000 x 256 x 256 14 and 15, 20 and 31; 2048^3 85 and 88, 159 and 171. More threads were not
// measured, and are left to the library.
constexpr int most_parts = 4;
// The least rows or columns of a part: below this the library packs more than it multiplies.
constexpr std::int64_t least_part = 16;

const void* offset(const void* data, std::int64_t elements, std::size_t size) {
  return static_cast<const char*>(data) + elements * static_cast<std::int64_t>(size);
}

void* offset(void* data, std::int64_t elements, std::size_t size) {
  return static_cast<char*>(data) + elements * static_cast<std::int64_t>(size);
}

/// Product number `batch` of a batched call, as a single call.
void advance(gemm_call& one, std::int64_t batches) {
  const std::size_t size = bytes_of(one.type);
  one.a.data = offset(one.a.data, batches * one.a.batch_stride, size);
  one.b.data = offset(one.b.data, batches * one.b.batch_stride, size);
  one.c = offset(one.c, batches * one.c_batch_stride, size);
}

gemm_call one_of(const gemm_call& call, std::int64_t batch) {
  gemm_call one = call;
  one.batch = 1;
  advance(one, batch);
  return one;
}

/// Rows [begin, end) of a product.
gemm_call rows_of(const gemm_call& call, std::int64_t begin, std::int64_t end) {
  const std::size_t size = bytes_of(call.type);
  gemm_call part = call;
  part.m = end - begin;
  part.a.data = offset(call.a.data, begin * (call.a.transpose ? 1 : call.a.leading), size);
  part.c = offset(call.c, begin * call.c_leading, size);
  return part;
}

/// Columns [begin, end) of a product.
gemm_call columns_of(const gemm_call& call, std::int64_t begin, std::int64_t end) {
  const std::size_t size = bytes_of(call.type);
  gemm_call part = call;
  part.n = end - begin;
  part.b.data = offset(call.b.data, begin * (call.b.transpose ? call.b.leading : 1), size);
  part.c = offset(call.c, begin, size);
  return part;
}

void fill_zeros(const gemm_call& call) {
  const std::size_t size = bytes_of(call.type);
  for (std::int64_t row = 0; row < call.m; ++row) {
    std::memset(offset(call.c, row * call.c_leading, size), 0,
                static_cast<std::size_t>(call.n) * size);
  }
}

/// The library requires strides no smaller than a row, even for a single row.
int leading(const gemm_operand& matrix, std::int64_t rows, std::int64_t columns) {
  if (matrix.transpose) std::swap(rows, columns);
  return static_cast<int>(rows <= 1 ? columns : matrix.leading);
}

template <typename T> void multiply_by_vector(const routines<T>& routine, const gemm_call& call) {
  using pointer = typename routines<T>::pointer;
  using result = typename routines<T>::result;
  const T one{1};
  const T zero{0};
  const bool vector_is_a = call.n != 1;
  const gemm_operand& matrix = vector_is_a ? call.b : call.a;
  const gemm_operand& vector = vector_is_a ? call.a : call.b;
  // c' = b' a', so an operand on the right is used transposed.
  const bool transpose = matrix.transpose != vector_is_a;
  const std::int64_t length = vector_is_a ? call.n : call.m;
  const std::int64_t rows = transpose ? call.k : length;
  const std::int64_t columns = transpose ? length : call.k;
  const bool consecutive = vector_is_a != vector.transpose;
  const std::int64_t step = call.k == 1 ? 1 : consecutive ? 1 : vector.leading;
  const std::int64_t result_step = vector_is_a || call.m == 1 ? 1 : call.c_leading;
  // Some releases multiply the result's old contents by zero, which keeps NaNs.
  fill_zeros(call);
  routine.gemv(row_major, flag(transpose, matrix.conjugate, routines<T>::complex),
               static_cast<int>(rows), static_cast<int>(columns), routines<T>::scale(one),
               static_cast<pointer>(matrix.data),
               static_cast<int>(rows <= 1 ? columns : matrix.leading),
               static_cast<pointer>(vector.data), static_cast<int>(step), routines<T>::scale(zero),
               static_cast<result>(call.c), static_cast<int>(result_step));
}

/// Computes the elements on and below the diagonal.
template <typename T> void multiply_by_itself(const routines<T>& routine, const gemm_call& call) {
  using pointer = typename routines<T>::pointer;
  using result = typename routines<T>::result;
  using real = typename routines<T>::real;
  const T one{1};
  const T zero{0};
  const int n = static_cast<int>(call.m), k = static_cast<int>(call.k);
  const bool turned = call.a.transpose;
  const int step = leading(call.a, call.m, call.k), c_step = static_cast<int>(call.c_leading);
  const auto from = static_cast<pointer>(call.a.data);
  const auto to = static_cast<result>(call.c);
  if (routines<T>::complex && (call.a.conjugate || call.b.conjugate)) {
    return routine.herk(row_major, lower, turned ? adjoint : plain, n, k, real{1}, from, step,
                        real{0}, to, c_step);
  }
  routine.syrk(row_major, lower, turned ? transposed : plain, n, k, routines<T>::scale(one), from,
               step, routines<T>::scale(zero), to, c_step);
}

template <typename T> void multiply(const routines<T>& routine, const gemm_call& call) {
  using pointer = typename routines<T>::pointer;
  using result = typename routines<T>::result;
  if (call.lower_only) return multiply_by_itself(routine, call);
  const bool conjugated_vector =
      routines<T>::complex && (call.n == 1 ? call.b.conjugate : call.a.conjugate);
  if ((call.n == 1 || call.m == 1) && !conjugated_vector) return multiply_by_vector(routine, call);
  const T one{1};
  const T zero{0};
  routine.gemm(
      row_major, flag(call.a.transpose, call.a.conjugate, routines<T>::complex),
      flag(call.b.transpose, call.b.conjugate, routines<T>::complex), static_cast<int>(call.m),
      static_cast<int>(call.n), static_cast<int>(call.k), routines<T>::scale(one),
      static_cast<pointer>(call.a.data), leading(call.a, call.m, call.k),
      static_cast<pointer>(call.b.data), leading(call.b, call.k, call.n), routines<T>::scale(zero),
      static_cast<result>(call.c), static_cast<int>(call.m <= 1 ? call.n : call.c_leading));
}

class openblas final : public blas {
 public:
  openblas(thread_pool& threads, std::shared_ptr<openblas_turn> turn)
      : threads_(threads), turn_(std::move(turn)) {}

  bool supports(element type) const override {
    return type != element::float16 && type != element::bfloat16 && type != element::int8;
  }

  bool has(compute_mode mode) const override { return mode == compute_mode::ieee; }

  // OpenBLAS stores products without an epilogue.
  bool gemm(const gemm_call& call) override {
    if (!supports(call.type)) {
      throw device_error("[matmul] OpenBLAS multiplies no halves and no bytes: convert them first");
    }
    if (call.epilogue.any()) return false;
    if (call.batch > 0 && call.m > 0 && call.n > 0) multiply_all(call);
    return true;
  }

 private:
  void multiply_all(const gemm_call& call) {
    check_sizes(call);
    const std::lock_guard one(turn_->mutex);
    const openblas_library& library = opened();
    const double work =
        static_cast<double>(call.m) * static_cast<double>(call.n) * static_cast<double>(call.k);
    const bool small = work < small_product;
    if (call.batch == 1 || (!small && call.batch < threads_.size())) {
      for (std::int64_t i = 0; i < call.batch; ++i) multiply_one(library, one_of(call, i), small);
      return;
    }
    turn_->use(1, library.set_threads);
    const auto grain = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(small_product / 16 / std::max(work, 1.0)));
    threads_.parallel_for(
        call.batch,
        [&](std::int64_t begin, std::int64_t end) {
          gemm_call one = one_of(call, begin);
          for (std::int64_t i = begin; i < end; ++i, advance(one, 1)) run(library, one);
        },
        grain);
  }

  void multiply_one(const openblas_library& library, const gemm_call& call, bool small) {
    const int threads = threads_.size();
    const bool parts = !small && threads > 1 && threads <= most_parts && !call.lower_only;
    turn_->use(small || parts ? 1 : threads, library.set_threads);
    if (!parts) return run(library, call);
    const bool by_rows = call.m >= call.n;
    const auto part = by_rows ? rows_of : columns_of;
    // Splits at full vectors of the result, so that parts have no edges that the product lacks.
    const std::int64_t units = ((by_rows ? call.m : call.n) + least_part - 1) / least_part;
    const std::int64_t most = by_rows ? call.m : call.n;
    threads_.parallel_for(
        units,
        [&](std::int64_t begin, std::int64_t end) {
          run(library, part(call, begin * least_part, std::min(end * least_part, most)));
        },
        (units + threads - 1) / threads);
  }

  // A tall `a` may have any number of rows; all other sizes are ints of the library.
  static void check_sizes(const gemm_call& call) {
    const bool rows_fit = call.m <= int_limit || !call.a.transpose;
    if (rows_fit && call.n <= int_limit && call.k <= int_limit && call.a.leading <= int_limit &&
        call.b.leading <= int_limit && call.c_leading <= int_limit) {
      return;
    }
    throw device_error("[matmul] OpenBLAS takes no side or row stride beyond 2147483647: (" +
                       std::to_string(call.m) + ", " + std::to_string(call.k) + ") times (" +
                       std::to_string(call.k) + ", " + std::to_string(call.n) + ")");
  }

  static void run(const openblas_library& library, const gemm_call& call) {
    if (call.k <= 0) return fill_zeros(call);
    if (call.m <= longest_panel || call.a.transpose) return dispatch(library, call);
    const std::size_t size = bytes_of(call.type);
    for (std::int64_t row = 0; row < call.m; row += longest_panel) {
      gemm_call panel = call;
      panel.m = std::min(longest_panel, call.m - row);
      panel.a.data = offset(call.a.data, row * call.a.leading, size);
      panel.c = offset(call.c, row * call.c_leading, size);
      dispatch(library, panel);
    }
  }

  static void dispatch(const openblas_library& library, const gemm_call& call) {
    switch (call.type) {
      case element::float32:
        return multiply(library.real32, call);
      case element::float64:
        return multiply(library.real64, call);
      case element::complex64:
        return multiply(library.complex32, call);
      case element::complex128:
        return multiply(library.complex64, call);
      case element::float16:
      case element::bfloat16:
      case element::int8:
        break;
    }
  }

  const openblas_library& opened() {
    if (!library_) {
      library_ = std::make_unique<openblas_library>(open_openblas());
    }
    if (!library_->library || !library_->complete) {
      const std::string why =
          library_->library ? "it lacks the CBLAS interface" : library_->library.problem();
      library_.reset();  // finds a library that is installed later
      throw device_error("[matmul] products on the CPU need OpenBLAS (" + why +
                         "): install libopenblas0 or openblas");
    }
    return *library_;
  }

  thread_pool& threads_;
  std::shared_ptr<openblas_turn> turn_;
  std::unique_ptr<openblas_library> library_;
};

}  // namespace

std::unique_ptr<blas> make_openblas(thread_pool& threads, std::shared_ptr<openblas_turn> turn) {
  return std::make_unique<openblas>(threads, std::move(turn));
}

}  // namespace sinter::runtime

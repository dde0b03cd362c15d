#pragma once
// Dense products, from whichever vendor library the device has.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/device.hpp"

namespace sinter::runtime {

enum class element : std::uint8_t {
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
  int8
};

/// How products of float32 are computed: in IEEE arithmetic, or from operands rounded to TF32,
/// bfloat16 or float16, where the device can.
enum class compute_mode : std::uint8_t { ieee, tf32, bfloat16, float16 };

constexpr std::size_t bytes_of(element type) {
  switch (type) {
    case element::int8:
      return 1;
    case element::float16:
    case element::bfloat16:
      return 2;
    case element::float32:
      return 4;
    case element::float64:
    case element::complex64:
      return 8;
    case element::complex128:
      break;
  }
  return 16;
}

constexpr bool is_complex(element type) {
  return type == element::complex64 || type == element::complex128;
}

/// A matrix of a product, or a batch of them. Row-major: element (i, j) of matrix b is data[b *
/// batch_stride + i * leading + j] as it is stored, before `transpose`.
struct gemm_operand {
  const void* data = nullptr;
  std::int64_t leading = 0;       // elements from row to row; >= columns of a row, >= 1
  std::int64_t batch_stride = 0;  // elements; 0: every product reads the same matrix
  bool transpose = false;
  bool conjugate = false;  // with or without transpose; ignored for real elements
};

/// gelu is the one by tanh.
enum class activation : std::uint8_t { none, relu, gelu };

/// What is applied to the accumulators before they are stored: act(alpha sum + beta addend + bias).
struct gemm_epilogue {
  const void* bias = nullptr;    // n elements of c's type, added to every row; not for doubles or
                                 // complex
  const void* addend = nullptr;  // laid out like c, of its type; it may be c
  std::complex<double> alpha{1}, beta{1};  // rounded to the type that is computed in
  activation act = activation::none;       // not for doubles or complex numbers

  bool any() const { return bias || addend || alpha != 1.0 || act != activation::none; }
};

/// c[b] = op(a[b]) op(b[b]), op(a) m x k, op(b) k x n, c m x n. k == 0 gives zeros. Halves are
/// accumulated in float, floats in IEEE float, bytes in int32, which is then c's type: REQUIRES k <
/// 2^17 for bytes, and no epilogue. `c` overlaps neither operand, and its batches do not overlap.
struct gemm_call {
  element type = element::float32;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;
  gemm_operand a = {};
  gemm_operand b = {};
  void* c = nullptr;
  std::int64_t c_leading = 0;
  std::int64_t c_batch_stride = 0;
  bool wide_result = false;  // narrow results are stored in the type they were accumulated in
  compute_mode mode = compute_mode::ieee;
  gemm_epilogue epilogue = {};  // REQUIRES: k > 0, if there is one
  /// c is symmetric, or Hermitian (b is a conjugated): elements above its diagonal may be left
  /// unwritten. REQUIRES: m == n; a and b are one matrix, transposed in one of them; no epilogue.
  bool lower_only = false;
};

/// Thread-safe. The library is opened at the first product.
class blas {
 public:
  virtual ~blas() = default;
  /// Whether `gemm` takes this element; if not, the caller converts.
  virtual bool supports(element) const = 0;
  /// What to install so that an unsupported element becomes supported, if that is all it takes;
  /// else "".
  virtual std::string_view lacks(element) const { return {}; }
  /// Whether products of float32 have this mode; without it they are computed in IEEE arithmetic.
  virtual bool has(compute_mode) const = 0;
  /// Queues the product on the calling thread's stream. False, and nothing is queued, if the
  /// library has no product with this epilogue; without one it is always true. Throws device_error:
  /// for a missing library, naming what to install; for sizes or elements it does not take.
  virtual bool gemm(const gemm_call&) = 0;
};

}  // namespace sinter::runtime

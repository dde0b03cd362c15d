#pragma once
// Discrete Fourier transforms, from whichever vendor library the device has.

#include <array>
#include <cstdint>

#include "runtime/blas.hpp"
#include "runtime/device.hpp"

namespace sinter::runtime {

enum class fft_kind : std::uint8_t { complex, real_to_complex, complex_to_real };

/// The layout of one side of a transform in memory, in elements of that side (a complex number is
/// one). Element (i0, i1, i2) of transform b of block o is at
///   o * outer_distance + b * distance + ((i0 * embed[1] + i1) * embed[2] + i2) * stride
/// for three axes, and likewise for fewer: embed[0] is never used.
struct fft_layout {
  std::array<std::int64_t, 3> embed = {};
  std::int64_t stride = 1;
  std::int64_t distance = 0;
  std::int64_t outer_distance = 0;
};

/// out = sum over x of in[x] exp(-+ 2 pi i k x / n), without normalisation, over one to three axes.
/// The complex side of a real transform has only the first n / 2 + 1 elements of the last axis; the
/// rest follows from symmetry. A transform to real numbers has only one axis, and imaginary parts
/// that symmetry makes zero (of element 0, and of element n / 2 for even n) are ignored. `in` and
/// `out` do not overlap.
struct fft_call {
  element type = element::float32;  // of the parts: a half, float32 or float64
  fft_kind kind = fft_kind::complex;
  bool inverse = false;  // the sign of the exponent is +; for complex only: to real it always is
  int rank = 1;
  std::array<std::int64_t, 3> length = {1, 1, 1};  // of the whole axes, on the real side; >= 1
  std::int64_t batch = 1;
  /// Blocks of batches; on a GPU a block of the real side is an even number of elements.
  std::int64_t outer = 1;
  const void* in = nullptr;
  fft_layout in_layout = {};
  void* out = nullptr;
  fft_layout out_layout = {};
};

struct fft_statistics {
  std::size_t plans = 0;
  std::size_t bytes = 0;  // an estimate of what the plans occupy
};

/// Thread-safe. The library is opened at the first transform. The most recently used plans are
/// kept, up to a number and an estimate of bytes.
class fft {
 public:
  virtual ~fft() = default;
  /// Whether `transform` takes this element at these lengths; if not, the caller converts.
  virtual bool supports(element, std::int64_t length) const = 0;
  /// Queues the transform on the calling thread's stream; `in` is not modified. Throws
  /// device_error: for a missing library, naming what to install; for calls it does not take.
  virtual void transform(const fft_call&) = 0;
  virtual fft_statistics statistics() const = 0;
};

}  // namespace sinter::runtime

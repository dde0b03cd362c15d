#pragma once
// The routine "fft": discrete Fourier transforms over adjacent axes.

#include <vector>

#include "ir/graph.hpp"
#include "ir/interpreter.hpp"

namespace sinter::ir {

enum class fourier_kind : std::int64_t { complex, real_to_complex, complex_to_real };

/// For real halves: whether the transform may be done in half precision, and whether it is; the
/// output is then pairs of halves along one more axis.
enum class half_transform : std::int64_t { none, asked, done };

/// The attributes of an "fft" call. It transforms the axes [first, last) of its input, without
/// normalisation: one to three whose extent is not 1, one if the result is real. The output has the
/// input's shape, except that the complex side of a real transform has n / 2 + 1 elements along the
/// last of these axes, n being `length`.
struct fourier_attributes {
  fourier_kind kind = fourier_kind::complex;
  bool inverse = false;
  std::size_t first = 0;
  std::size_t last = 1;
  extent length = 0;  // the full extent of axis last - 1
  half_transform halves = half_transform::none;

  std::vector<std::int64_t> pack() const {
    std::vector<std::int64_t> all{static_cast<std::int64_t>(kind), inverse ? 1 : 0,
                                  static_cast<std::int64_t>(first), static_cast<std::int64_t>(last),
                                  length};
    if (halves != half_transform::none) all.push_back(static_cast<std::int64_t>(halves));
    return all;
  }
  template <class List> static fourier_attributes unpack(const List& a) {
    const auto number = [&](std::size_t i) { return static_cast<std::int64_t>(a[i]); };
    return {static_cast<fourier_kind>(number(0)),
            number(1) != 0,
            static_cast<std::size_t>(number(2)),
            static_cast<std::size_t>(number(3)),
            a[4],
            a.size() > 5 ? static_cast<half_transform>(number(5)) : half_transform::none};
  }
  bool from_real() const { return kind == fourier_kind::real_to_complex; }
  bool to_real() const { return kind == fourier_kind::complex_to_real; }

  /// The shape of one side as [before, axes..., behind], without axes of extent 1 except the last.
  shape_t merged(const shape_t& shape) const {
    shape_t m{1};
    for (std::size_t d = 0; d < first; ++d) m[0] *= shape[d];
    for (std::size_t d = first; d < last; ++d) {
      if (shape[d] != 1 || d + 1 == last) m.push_back(shape[d]);
    }
    m.push_back(1);
    for (std::size_t d = last; d < shape.size(); ++d) m.back() *= shape[d];
    return m;
  }
};

/// By the definition, in double for every element type: quadratic in each axis.
void fourier_routine(const routine_call&);

}  // namespace sinter::ir

#pragma once
// Test transforms, and expected results: by the definition, summed in double.

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "runtime/fft.hpp"

namespace sinter::runtime {

using complexes = std::vector<std::complex<double>>;

/// The roots of unity exp(+- 2 pi i k / n).
inline complexes unit_roots(std::size_t n, bool inverse) {
  complexes roots(n);
  for (std::size_t k = 0; k < n; ++k) {
    const double turn = static_cast<double>(k) / static_cast<double>(n);
    roots[k] = std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * turn);
  }
  return roots;
}

/// Transforms one axis by the definition. The angle is reduced before rounding.
inline complexes slow_transform(const complexes& in, const complexes& roots) {
  const auto n = in.size();
  complexes out(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::complex<double> sum = 0;
    for (std::size_t x = 0, turn = 0; x < n; ++x) {
      const std::complex<double> r = roots[turn];  // by parts: operator* checks for NaN
      sum += std::complex(in[x].real() * r.real() - in[x].imag() * r.imag(),
                          in[x].real() * r.imag() + in[x].imag() * r.real());
      turn += k;
      if (turn >= n) turn -= n;
    }
    out[k] = sum;
  }
  return out;
}

/// Transforms up to three axes in turn.
inline complexes slow_transform(complexes x, const std::array<std::int64_t, 3>& n, bool inverse) {
  const std::int64_t steps[3] = {n[1] * n[2], n[2], 1};
  const auto size = static_cast<std::int64_t>(x.size());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const complexes roots = unit_roots(static_cast<std::size_t>(n[axis]), inverse);
    for (std::int64_t i = 0; i < size; ++i) {
      if (i / steps[axis] % n[axis] != 0) continue;
      complexes line;
      for (std::int64_t j = 0; j < n[axis]; ++j) {
        line.push_back(x[static_cast<std::size_t>(i + j * steps[axis])]);
      }
      line = slow_transform(line, roots);
      for (std::int64_t j = 0; j < n[axis]; ++j) {
        x[static_cast<std::size_t>(i + j * steps[axis])] = line[static_cast<std::size_t>(j)];
      }
    }
  }
  return x;
}

enum class fft_order { rows, columns, gaps };  // batch in front; batch behind; rows with gaps

/// Input, result and expected result of one call, on the host, as parts of type T.
template <typename T> struct fft_case {
  static constexpr T untouched = T(-7e20);

  fft_call call;
  std::vector<T> in, out, expected;

  fft_case(fft_kind kind, bool inverse, std::vector<std::int64_t> lengths, std::int64_t batch,
           std::int64_t outer, fft_order order, unsigned seed) {
    call.type = sizeof(T) == 4 ? element::float32 : element::float64;
    call.kind = kind;
    call.inverse = inverse;
    call.rank = static_cast<int>(lengths.size());
    for (std::size_t d = 0; d < lengths.size(); ++d) call.length[d] = lengths[d];
    call.batch = batch;
    call.outer = outer;
    const auto in_size = place(call.in_layout, kind == fft_kind::complex_to_real, order);
    const auto out_size = place(call.out_layout, kind == fft_kind::real_to_complex, order);
    in.assign(in_size * (kind == fft_kind::real_to_complex ? 1 : 2), T{-3});
    expected.assign(out_size * (kind == fft_kind::complex_to_real ? 1 : 2), untouched);
    out = expected;
    fill(seed);
  }

  std::string text() const {
    std::string t = call.kind == fft_kind::complex           ? "complex "
                    : call.kind == fft_kind::real_to_complex ? "to complex "
                                                             : "to real ";
    for (int d = 0; d < call.rank; ++d) {
      t += std::to_string(call.length[static_cast<std::size_t>(d)]) + " ";
    }
    return t + "batch " + std::to_string(call.batch) + " x " + std::to_string(call.outer) +
           " stride " + std::to_string(call.in_layout.stride) + (call.inverse ? " inverse" : "");
  }

  /// The norm of the difference in roundings of a sum of log n terms; infinite if memory between
  /// the elements was written.
  double error() const {
    double difference = 0, whole = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (expected[i] == untouched && out[i] != untouched) return 1e300;
      const double d = static_cast<double>(out[i]) - static_cast<double>(expected[i]);
      difference += d * d;
      whole += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
    }
    const double steps = 1 + std::log2(static_cast<double>(points()));
    const double one = static_cast<double>(std::numeric_limits<T>::epsilon()) * std::sqrt(whole);
    return std::sqrt(difference) / (one * steps + 1e-300);
  }

 private:
  std::int64_t points() const { return call.length[0] * call.length[1] * call.length[2]; }

  std::int64_t stored(int axis, bool half) const {
    const std::int64_t n = call.length[static_cast<std::size_t>(axis)];
    return half && axis == call.rank - 1 ? n / 2 + 1 : n;
  }

  /// Fills in a layout; returns its number of elements.
  std::size_t place(fft_layout& layout, bool half, fft_order order) const {
    const std::int64_t gap = order == fft_order::gaps ? 2 : 0;
    std::int64_t size = 1;
    for (int d = 0; d < call.rank; ++d) {
      layout.embed[static_cast<std::size_t>(d)] = stored(d, half) + (d > 0 ? gap : 0);
      size *= stored(d, half) + (d > 0 ? gap : 0);
    }
    layout.stride = order == fft_order::columns ? call.batch : 1;
    layout.distance = order == fft_order::columns ? 1 : size + gap;
    const std::int64_t block =
        order == fft_order::columns ? size * call.batch : layout.distance * call.batch;
    layout.outer_distance = block + 2 * gap;
    return static_cast<std::size_t>(layout.outer_distance * call.outer);
  }

  /// Calls each(element of the layout, coordinates) for the stored elements of one transform.
  template <typename Each>
  void visit(const fft_layout& layout, bool half, std::int64_t b, std::int64_t o,
             Each&& each) const {
    std::int64_t extent[3] = {1, 1, 1}, embed[3] = {1, 1, 1};
    for (int d = 0; d < call.rank; ++d) {
      extent[d] = stored(d, half);
      embed[d] = layout.embed[static_cast<std::size_t>(d)];
    }
    const std::int64_t base = o * layout.outer_distance + b * layout.distance;
    for (std::int64_t i = 0; i < extent[0]; ++i) {
      for (std::int64_t j = 0; j < extent[1]; ++j) {
        for (std::int64_t k = 0; k < extent[2]; ++k) {
          const std::int64_t at = (i * embed[1] + j) * embed[2] + k;
          const std::int64_t point = (i * call.length[1] + j) * call.length[2] + k;
          each(static_cast<std::size_t>(base + at * layout.stride),
               static_cast<std::size_t>(point));
        }
      }
    }
  }

  static void put(std::vector<T>& to, std::size_t at, bool real, std::complex<double> value) {
    if (real) {
      to[at] = static_cast<T>(value.real());
    } else {
      to[2 * at] = static_cast<T>(value.real());
      to[2 * at + 1] = static_cast<T>(value.imag());
    }
  }

  void fill(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> values(-1, 1);
    const bool from_real = call.kind == fft_kind::real_to_complex;
    const bool to_real = call.kind == fft_kind::complex_to_real;
    for (std::int64_t o = 0; o < call.outer; ++o) {
      for (std::int64_t b = 0; b < call.batch; ++b) {
        complexes source(static_cast<std::size_t>(points()));
        for (auto& v : source) {
          v = static_cast<T>(values(random));
          if (call.kind == fft_kind::complex) v.imag(static_cast<T>(values(random)));
        }
        complexes result = slow_transform(source, call.length, call.inverse);
        if (to_real) {
          std::swap(source, result);
          for (auto& v : result) v *= static_cast<double>(points());
        }
        // Parts that symmetry makes zero are ignored.
        const auto half = static_cast<std::size_t>(call.length[0] / 2);
        if (to_real) source[0].imag(0.5);
        if (to_real && call.length[0] % 2 == 0) source[half].imag(-3);
        visit(call.in_layout, to_real, b, o,
              [&](std::size_t at, std::size_t p) { put(in, at, from_real, source[p]); });
        visit(call.out_layout, from_real, b, o,
              [&](std::size_t at, std::size_t p) { put(expected, at, to_real, result[p]); });
      }
    }
  }
};

/// Calls check(case) for transforms of all kinds, ranks and layouts.
template <typename T, typename Check> void for_each_fft_case(Check&& check) {
  const std::vector<std::vector<std::int64_t>> shapes = {
      {2},   {3},    {4},    {5},    {7},    {16},     {30},      {97},      {128},    {210},
      {251}, {1024}, {4, 6}, {5, 3}, {1, 8}, {16, 16}, {2, 3, 4}, {5, 4, 7}, {8, 8, 8}};
  unsigned seed = 1;
  for (const auto& lengths : shapes) {
    for (const auto kind :
         {fft_kind::complex, fft_kind::real_to_complex, fft_kind::complex_to_real}) {
      const bool complex = kind == fft_kind::complex;
      if (kind == fft_kind::complex_to_real && lengths.size() > 1) continue;
      for (const std::int64_t batch : {1, 3, 17}) {
        for (const auto order : {fft_order::rows, fft_order::columns, fft_order::gaps}) {
          const std::int64_t outer = complex && batch == 3 ? 2 : 1;
          fft_case<T> one(kind, kind == fft_kind::complex && seed % 2, lengths, batch, outer, order,
                          seed);
          ++seed;
          check(one);
        }
      }
    }
  }
}

}  // namespace sinter::runtime

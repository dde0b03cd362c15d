#pragma once
// Test products, and expected results: summed in double, with operands as described by
// gemm_call.

#include <complex>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "ir/dtype.hpp"
#include "runtime/blas.hpp"

namespace sinter::runtime {

template <typename T> constexpr element element_of() {
  if constexpr (std::is_same_v<T, bfloat16>) return element::bfloat16;
  if constexpr (std::is_same_v<T, std::int8_t>) return element::int8;
  if constexpr (std::is_same_v<T, float>) return element::float32;
  if constexpr (std::is_same_v<T, double>) return element::float64;
  if constexpr (std::is_same_v<T, std::complex<float>>) return element::complex64;
  return element::complex128;
}

/// The accumulator and result type: 32 bits for narrow elements.
template <typename T>
using sum_of = std::conditional_t<std::is_same_v<T, bfloat16>, float,
                                  std::conditional_t<std::is_same_v<T, std::int8_t>, int, T>>;

template <typename T> constexpr bool is_complex_v = is_complex(element_of<T>());

template <typename T> T random_value(std::mt19937& random) {
  std::uniform_real_distribution<double> values(-1, 1);
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(random());
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(values(random));
  } else if constexpr (!is_complex_v<T>) {
    return T(static_cast<float>(values(random)));
  } else {
    using real = typename T::value_type;
    const auto first = static_cast<real>(values(random));
    return {first, static_cast<real>(values(random))};
  }
}

/// The operands and the result of a product, on the host. `gap`: unused elements between rows and
/// between matrices; those of the result must not be written.
template <typename T> struct gemm_case {
  using sum = sum_of<T>;
  gemm_call call;
  std::vector<T> a, b;
  std::vector<sum> c, expected;

  gemm_case(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch, int flags,
            std::int64_t gap, unsigned seed) {
    std::mt19937 random(seed);
    call = {.type = element_of<T>(), .m = m, .n = n, .k = k, .batch = batch};
    call.wide_result = !std::is_same_v<T, sum>;
    place(call.a, a, flags & 1, flags & 2, m, k, batch, gap, random);
    place(call.b, b, flags & 4, flags & 8, k, n, batch, gap, random);
    if (flags & 16) call.b.batch_stride = 0;
    call.c_leading = n + gap;
    call.c_batch_stride = m * (n + gap) + gap;
    c.assign(static_cast<std::size_t>(batch * call.c_batch_stride), sum{-7});
    expected = c;
    fill_expected();
  }

  std::string text() const {
    const auto flags = [](const gemm_operand& x) {
      return std::string(x.transpose ? "T" : "N") + (x.conjugate ? "*" : "");
    };
    return std::to_string(call.m) + "x" + std::to_string(call.n) + "x" + std::to_string(call.k) +
           " batch " + std::to_string(call.batch) + " " + flags(call.a) + flags(call.b);
  }

  /// The largest difference, in roundings of a sum of k terms; unscaled for integers.
  double error() const {
    double worst = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const double difference = std::abs(c[i] - expected[i]);
      if (!(difference <= worst)) worst = difference;
    }
    if constexpr (std::is_integral_v<T>) return worst;
    using real = decltype(std::abs(sum{}));
    return worst / static_cast<double>(std::numeric_limits<real>::epsilon()) /
           static_cast<double>(call.k + 1);
  }

 private:
  static void place(gemm_operand& operand, std::vector<T>& data, bool transpose, bool conjugate,
                    std::int64_t rows, std::int64_t columns, std::int64_t batch, std::int64_t gap,
                    std::mt19937& random) {
    if (transpose) std::swap(rows, columns);
    operand.transpose = transpose;
    operand.conjugate = conjugate;
    operand.leading = columns + gap;
    operand.batch_stride = rows * operand.leading + gap;
    data.resize(static_cast<std::size_t>(batch * operand.batch_stride + 1));
    for (T& value : data) value = random_value<T>(random);
  }

  static T at(const gemm_operand& operand, const std::vector<T>& data, std::int64_t batch,
              std::int64_t i, std::int64_t j) {
    if (operand.transpose) std::swap(i, j);
    const T value =
        data[static_cast<std::size_t>(batch * operand.batch_stride + i * operand.leading + j)];
    if constexpr (is_complex_v<T>) {
      if (operand.conjugate) return std::conj(value);
    }
    return value;
  }

  void fill_expected() {
    using wide = std::conditional_t<is_complex_v<T>, std::complex<double>, double>;
    for (std::int64_t x = 0; x < call.batch; ++x) {
      for (std::int64_t i = 0; i < call.m; ++i) {
        for (std::int64_t j = 0; j < call.n; ++j) {
          wide total{};
          for (std::int64_t p = 0; p < call.k; ++p) {
            total += wide(at(call.a, a, x, i, p)) * wide(at(call.b, b, x, p, j));
          }
          expected[static_cast<std::size_t>(x * call.c_batch_stride + i * call.c_leading + j)] =
              static_cast<sum>(total);
        }
      }
    }
  }
};

/// Runs it by a library that works in host memory.
template <typename T> void run_on_host(blas& library, gemm_case<T>& product) {
  product.call.a.data = product.a.data();
  product.call.b.data = product.b.data();
  product.call.c = product.c.data();
  library.gemm(product.call);
}

/// Calls check(case) for products of all shapes and flags.
template <typename T, typename Check> void for_each_gemm_case(Check&& check) {
  struct shape {
    std::int64_t m, n, k, batch;
  };
  const shape shapes[] = {{1, 1, 1, 1},  {3, 5, 4, 1},    {1, 7, 9, 1},    {7, 1, 9, 1},
                          {1, 1, 50, 1}, {4, 6, 0, 2},    {64, 48, 80, 1}, {130, 70, 150, 1},
                          {5, 4, 3, 17}, {1, 6, 4, 3},    {6, 1, 4, 3},    {8, 1, 1, 1},
                          {1, 8, 1, 1},  {40, 30, 20, 5}, {0, 3, 4, 1},    {120, 110, 130, 2}};
  const bool complex = is_complex_v<T>;
  unsigned seed = 1;
  for (const shape& s : shapes) {
    for (int flags = 0; flags < 32; ++flags) {
      if (!complex && (flags & 10)) continue;
      for (const std::int64_t gap : {0, 3}) {
        gemm_case<T> product(s.m, s.n, s.k, s.batch, flags, gap, seed++);
        check(product);
      }
    }
  }
}

}  // namespace sinter::runtime

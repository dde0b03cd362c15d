#pragma once
// Host matrices for solvers.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "gemm_cases.hpp"

namespace sinter::runtime {

template <class T> struct wide_of { using type = double; };
template <class R> struct wide_of<std::complex<R>> { using type = std::complex<double>; };

/// A batch of column-major matrices on the host.
template <class T> struct host_batch {
  using wide = typename wide_of<T>::type;
  std::int64_t rows, columns, batch;
  std::vector<T> data;

  host_batch(std::int64_t m, std::int64_t n, std::int64_t count)
      : rows(m), columns(n), batch(count), data(static_cast<std::size_t>(m * n * count)) {}

  T& operator()(std::int64_t b, std::int64_t i, std::int64_t j) {
    return data[static_cast<std::size_t>((b * columns + j) * rows + i)];
  }
  wide at(std::int64_t b, std::int64_t i, std::int64_t j) const {
    return wide(data[static_cast<std::size_t>((b * columns + j) * rows + i)]);
  }

  static host_batch random(std::int64_t m, std::int64_t n, std::int64_t count, unsigned seed) {
    host_batch x(m, n, count);
    std::mt19937 random(seed);
    for (T& e : x.data) e = random_value<T>(random);
    return x;
  }

  /// Exchanges rows by the pivots of LU factors, counted from 1, in order.
  void swap_rows(const std::vector<std::int32_t>& pivots) {
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t i = 0; i < rows; ++i) {
        const std::int64_t other = pivots[static_cast<std::size_t>(b * rows + i)] - 1;
        for (std::int64_t j = 0; j < columns; ++j) {
          std::swap((*this)(b, i, j), (*this)(b, other, j));
        }
      }
    }
  }
};

/// The largest element of a x - 1, of matrix b.
template <class T>
double off_identity(const host_batch<T>& a, const host_batch<T>& x, std::int64_t b) {
  double largest = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < a.rows; ++j) {
      typename host_batch<T>::wide s = i == j ? -1 : 0;
      for (std::int64_t k = 0; k < a.rows; ++k) s += a.at(b, i, k) * x.at(b, k, j);
      largest = std::max(largest, std::abs(s));
    }
  }
  return largest;
}

}  // namespace sinter::runtime

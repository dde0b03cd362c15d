#pragma once
// Test matrices, and errors of results in units of n times epsilon.

#include <complex>
#include <limits>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

#define SINTER_LINALG_TYPES float, double, std::complex<float>, std::complex<double>

namespace linalg_tests {

namespace sn = sinter;
namespace la = sinter::linalg;
using extents = std::vector<std::int64_t>;

template <class T> using real_of = sn::element_of<sn::real_of(sn::dtype_of<T>)>;
template <class T> inline constexpr double epsilon = std::numeric_limits<real_of<T>>::epsilon();

/// Normally distributed elements.
template <class T> sn::array<T> sample(const extents& shape, std::uint64_t seed = 7) {
  using R = real_of<T>;
  const sn::array<R> re = sn::random::normal<R>(shape, {.seed = seed});
  if constexpr (std::is_same_v<T, R>) {
    return re;
  } else {
    const sn::array<R> im = sn::random::normal<R>(shape, {.seed = seed + 1000});
    return sn::astype<T>(re) + sn::astype<T>(im) * T(0, 1);
  }
}

template <class T> sn::array<T> adjoint(const sn::array<T>& x) {
  const sn::array<T> turned = sn::swapaxes(x, -1, -2);
  if constexpr (std::is_same_v<T, real_of<T>>) {
    return turned;
  } else {
    return sn::conj(turned);
  }
}

/// Hermitian, with eigenvalues of at least 1.
template <class T> sn::array<T> positive(const extents& shape, std::uint64_t seed = 7) {
  const sn::array<T> a = sample<T>(shape, seed);
  return sn::matmul(a, adjoint(a)) / T(static_cast<real_of<T>>(shape.back())) +
         sn::eye<T>(shape.back());
}

template <class X> double largest(const X& x) {
  using T = typename X::value_type;
  const sn::array<T> a = x;
  if (a.size() == 0) return 0;
  const sn::array<real_of<T>> size = sn::abs(a);
  return static_cast<double>(sn::max(size).item());
}

/// max |a - b| over n epsilon max(1, |b|).
template <class T> double error(const sn::array<T>& a, const sn::array<T>& b, std::int64_t n) {
  REQUIRE(a.shape() == b.shape());
  const double scale =
      std::max(1.0, largest(b)) * static_cast<double>(std::max<std::int64_t>(n, 1));
  return largest(sn::array<T>(a - b)) / (scale * epsilon<T>);
}

/// The distance of columns from orthonormality.
template <class T> double skew(const sn::array<T>& q) {
  const std::int64_t n = q.shape(-1);
  const sn::array<T> product = sn::matmul(adjoint(q), q);
  return error<T>(product, sn::broadcast_to(sn::eye<T>(n), product.shape()),
                  std::max(n, q.shape(-2)));
}

/// The same elements with strides: every second one of an array twice as large.
template <class T> sn::array<T> scattered(const sn::array<T>& x) {
  const extents small = x.shape();
  extents large = small;
  large[large.size() - 1] *= 2;
  large[large.size() - 2] *= 2;
  sn::array<T> all = sn::zeros<T>(large);
  const auto every = sn::slice(sn::slice::unset, sn::slice::unset, 2);
  all(sn::ellipsis, every, every) = x;
  sn::eval(all);
  return all(sn::ellipsis, every, every);
}

inline const std::vector<extents>& squares() {
  static const std::vector<extents> shapes = {{1, 1},   {2, 2},    {5, 5},       {33, 33},
                                              {70, 70}, {3, 4, 4}, {2, 3, 9, 9}, {40, 3, 3},
                                              {0, 0},   {2, 0, 0}, {0, 3, 3}};
  return shapes;
}

inline const std::vector<extents>& oblongs() {
  static const std::vector<extents> shapes = {{1, 1},     {7, 3}, {3, 7}, {40, 20},  {20, 40},
                                              {64, 64},   {1, 5}, {5, 1}, {3, 6, 4}, {3, 4, 6},
                                              {40, 4, 2}, {0, 3}, {3, 0}, {2, 0, 3}, {0, 4, 3}};
  return shapes;
}

constexpr double bound = 20;

}  // namespace linalg_tests

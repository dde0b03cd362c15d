// Products with few outputs or few columns, which a GPU sums by its own kernels, for every layout
// of the operands.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace slender_products_test {

namespace sn = sinter;

namespace {

struct sizes {
  std::int64_t rows, depth, columns;
};

template <class T> sn::array<T> drawn(std::int64_t rows, std::int64_t columns, unsigned seed) {
  const sn::array<T> x = sn::astype<T>(
      sn::random::uniform<float>({rows, columns}, {.seed = seed, .low = -1, .high = 1}));
  sn::eval(x);
  return x;
}

/// The same elements in column-major memory.
template <class T> sn::array<T> by_columns(const sn::array<T>& x) {
  const sn::array<T> turned = x.T() * T(1);
  sn::eval(turned);
  return turned.T();
}

template <class T>
std::vector<double> by_hand(const sn::array<T>& a, const sn::array<T>& b, const sizes& s) {
  const auto x = sn::array<double>(sn::astype<double>(a)).to_host();
  const auto y = sn::array<double>(sn::astype<double>(b)).to_host();
  std::vector<double> sums(static_cast<std::size_t>(s.rows * s.columns));
  for (std::int64_t i = 0; i < s.rows; ++i) {
    for (std::int64_t k = 0; k < s.depth; ++k) {
      const double left = x[static_cast<std::size_t>(i * s.depth + k)];
      for (std::int64_t j = 0; j < s.columns; ++j) {
        sums[static_cast<std::size_t>(i * s.columns + j)] +=
            left * y[static_cast<std::size_t>(k * s.columns + j)];
      }
    }
  }
  return sums;
}

/// The largest error relative to its bound: sums are in the wider type, where an addition rounds by
/// `rounds`, and the result is rounded once to `unit` of its size.
template <class T>
double worst(const sn::array<T>& got, const std::vector<double>& want, const sizes& s,
             double rounds, double unit) {
  const auto values = sn::array<double>(sn::astype<double>(got)).to_host();
  REQUIRE(values.size() == want.size());
  double most = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double allowed =
        rounds * static_cast<double>(s.depth) + unit * (1 + std::abs(want[i]));
    most = std::max(most, std::abs(values[i] - want[i]) / allowed);
  }
  return most;
}

template <class T> void multiply(const sizes& s, double rounds, double unit = 0) {
  const sn::array<T> a = drawn<T>(s.rows, s.depth, 1), b = drawn<T>(s.depth, s.columns, 2);
  const auto want = by_hand(a, b, s);
  for (const bool left : {false, true}) {
    for (const bool right : {false, true}) {
      const sn::array<T> x = left ? by_columns(a) : a, y = right ? by_columns(b) : b;
      INFO(s.rows << " x " << s.depth << " x " << s.columns << (left ? " left" : "")
                  << (right ? " right" : ""));
      CHECK(worst<T>(sn::matmul(x, y), want, s, rounds, unit) < 1);
      // Fused with the operands' producers and with the product's consumer.
      const sn::array<T> fused = sn::matmul(x * T(2), y) + T(1);
      std::vector<double> twice = want;
      for (double& v : twice) v = 2 * v + 1;
      CHECK(worst<T>(fused, twice, s, 2 * rounds, 2 * unit) < 1);
    }
  }
}

}  // namespace

TEST_CASE("few outputs of a long sum") {
  for (const sizes& s : {sizes{16, 20000, 16}, {2, 70000, 3}, {5, 1025, 7}, {1, 3000, 2},
                         {200, 5000, 1}, {9, 40000, 28}}) {
    multiply<float>(s, 1.2e-7);
  }
  for (const sizes& s : {sizes{8, 20000, 8}, {3, 5001, 2}}) multiply<double>(s, 2.3e-16);
  for (const sizes& s : {sizes{8, 4000, 8}, {2, 9000, 3}}) {
    multiply<sn::bfloat16>(s, 1.2e-7, 1.0 / 256);
  }
}

TEST_CASE("few columns, and few rows") {
  for (const sizes& s : {sizes{2000, 3000, 3}, {3, 3000, 2000}, {100000, 16, 8}, {8, 13, 100000},
                         {90000, 40, 2}, {2, 64, 50000}}) {
    multiply<float>(s, 1.2e-7);
  }
  for (const sizes& s : {sizes{120000, 16, 2}, {2, 11, 120000}}) multiply<double>(s, 2.3e-16);
}

TEST_CASE("a matrix times itself, transposed, with weights between") {
  const std::int64_t n = 30000, d = 12;
  const sn::array<float> x = drawn<float>(n, d, 3), w = sn::abs(drawn<float>(n, 1, 4));
  const sn::array<float> weighted = sn::matmul(x.T() * sn::ravel(w), x);
  const auto got = weighted.to_host();
  const auto want = by_hand<float>(sn::array<float>((x * w).T()), x, {d, n, d});
  const double near = 2 * 1.2e-7 * static_cast<double>(n);
  for (std::size_t i = 0; i < want.size(); ++i) CHECK(std::abs(got[i] - want[i]) < near);
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = 0; j < i; ++j) CHECK(std::abs(got[i * 12 + j] - got[j * 12 + i]) < near);
  }
}

}  // namespace slender_products_test

// Stacks of matrices with two to four rows, whose factors are computed by maps.
#include "samples.hpp"

namespace tiny_test {

using namespace linalg_tests;

namespace {

/// Large where rows must be swapped.
template <class T> sn::array<T> turned(const extents& shape) {
  return sample<T>(shape) + sn::flip(sn::eye<T>(shape.back()), {0}) * T(6);
}

template <class T> sn::array<T> unit(const extents& shape) {
  return sn::broadcast_to(sn::eye<T>(shape.back()), shape);
}

/// Does it fail, and how?
template <class F> std::string failure(F f) {
  try {
    f();
  } catch (const sn::linalg_error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEMPLATE_TEST_CASE("stacks of a few rows are solved, inverted and factorised", "", float, double) {
  using T = TestType;
  for (const extents& s : {extents{16, 2, 2}, extents{3, 7, 2, 2}, extents{1000, 2, 2},
                           extents{16, 3, 3}, extents{5, 4, 3, 3}, extents{900, 4, 4}}) {
    const std::int64_t n = s.back();
    const sn::array<T> a = turned<T>(s), wide = sample<T>(s, 9) + sn::eye<T>(n) * T(6);
    extents right = s;
    right.back() = 3;
    const sn::array<T> b = sample<T>(right, 3);
    for (const sn::array<T>& m : {a, wide}) {
      CHECK(error<T>(sn::matmul(m, la::inv(m)), unit<T>(s), 2) < 20);
      CHECK(error<T>(sn::matmul(m, la::solve(m, b)), b, 2) < 20);
      const auto [lu, pivots] = la::lu_factor(m);
      CHECK(error<T>(sn::matmul(m, la::lu_solve(lu, pivots, b)), b, 2) < 20);
      const auto [p, l, u] = la::lu(m);
      CHECK(error<T>(sn::matmul(p, sn::matmul(l, u)), m, 2) < 5);
      CHECK(largest(l) <= 1);
    }
    const sn::array<T> one = sample<T>({n, n}, 5) + sn::eye<T>(n) * T(6);
    CHECK(error<T>(sn::matmul(one, la::solve(one, b)), b, 2) < 20);
  }
}

TEMPLATE_TEST_CASE("determinants of two rows", "", float, double) {
  using T = TestType;
  const sn::array<T> a = turned<T>({100, 2, 2}), det = la::det(a);
  const auto at = [&](int i, int j) { return sn::array<T>(a(sn::_, i, j)); };
  const sn::array<T> by_hand = at(0, 0) * at(1, 1) - at(0, 1) * at(1, 0);
  CHECK(error<T>(det, by_hand, 2) < 10);
  const auto [sign, logarithm] = la::slogdet(a);
  CHECK(error<T>(sn::array<T>(sign * sn::exp(logarithm)), by_hand, 2) < 30);
}

TEST_CASE("a stack's factors are those of its matrices") {
  const std::int64_t n = GENERATE(2, 3, 4);
  const sn::array<double> a = sample<double>({40, n, n});
  const auto [lu, pivots] = la::lu_factor(a);
  for (int i : {0, 1, 17, 39}) {
    const auto [one, swaps] = la::lu_factor(sn::array<double>(a(i)));
    CHECK(error<double>(sn::array<double>(lu(i)), one, n) < 100);
    CHECK(sn::array<std::int32_t>(pivots(i)).to_host() == swaps.to_host());
  }
}

TEST_CASE("singular matrices of two rows say which pivot, and have no determinant") {
  std::vector<float> v(20 * 4);
  for (std::size_t i = 0; i < 20; ++i) v[4 * i] = v[4 * i + 3] = 2;
  const auto stack = [&] { return sn::asarray(v).reshape({20, 2, 2}); };
  v[4 * 5 + 3] = 0;
  CHECK(failure([&] {
          la::inv(stack()).to_host();
        }).find("matrix 5 of the batch is singular: pivot 2 is zero") != std::string::npos);
  v[4 * 3] = 0;
  const sn::array<float> b = sn::ones<float>({20, 2, 1});
  CHECK(failure([&] {
          la::solve(stack(), b).to_host();
        }).find("matrix 3 of the batch is singular: pivot 1 is zero") != std::string::npos);
  const auto det = la::det(stack()).to_host();
  CHECK(det[3] == 0);
  CHECK(det[5] == 0);
  CHECK(det[6] == 4);
}

TEST_CASE("what is not a number stays in its matrix") {
  std::vector<double> v(20 * 4);
  for (std::size_t i = 0; i < 20; ++i) v[4 * i + 1] = v[4 * i + 2] = 1;
  v[4 * 7] = std::nan("");
  const auto x = la::inv(sn::asarray(v).reshape({20, 2, 2})).to_host();
  for (std::size_t i = 0; i < 20; ++i) CHECK(std::isnan(x[4 * i + 1]) == (i == 7));
  CHECK(x[1] == 1);
}

}  // namespace tiny_test

// Solvers, inverses, determinants, least squares.
#include "samples.hpp"

namespace solvers_test {

using namespace linalg_tests;

TEMPLATE_TEST_CASE("solutions satisfy their equations", "", SINTER_LINALG_TYPES) {
  using T = TestType;
  for (const extents& s : squares()) {
    INFO(sn::to_string(sn::asarray(s)));
    const std::int64_t n = s.back();
    const sn::array<T> a = sample<T>(s) + sn::eye<T>(n) * T(3);
    extents right = s;
    right.back() = 3;
    const sn::array<T> b = sample<T>(right, 3), x = la::solve(a, b);
    CHECK(error<T>(sn::matmul(a, x), b, n) < 100 * bound);
    CHECK(error<T>(la::solve(scattered(a), scattered(b)), x, 1) == 0);
    const sn::array<T> v = sample<T>({n}, 4), y = la::solve(a, v);
    const sn::array<T> back = sn::matmul(a, sn::expand_dims(y, {-1}));
    CHECK(error<T>(sn::squeeze(back, {-1}),
                   sn::array<T>(sn::broadcast_to(v, y.shape())),
                   n) < 100 * bound);
    const auto [lu, pivots] = la::lu_factor(a);
    CHECK(error<T>(la::lu_solve(lu, pivots, b), x, n) < bound);
    const sn::array<T> inverse = la::inv(a), product = sn::matmul(a, inverse);
    CHECK(error<T>(product, sn::array<T>(sn::broadcast_to(sn::eye<T>(n), s)), n) < 100 * bound);
  }
}

TEST_CASE("the axes in front of matrix and right side broadcast") {
  const sn::array<double> a = sample<double>({3, 1, 4, 4}), b = sample<double>({2, 4, 2}, 3);
  const sn::array<double> x = la::solve(a, b);
  CHECK(x.shape() == extents{3, 2, 4, 2});
  const sn::array<double> wide = sn::broadcast_to(b, {3, 2, 4, 2});
  CHECK(error<double>(sn::matmul(a, x), wide, 4) < 1000);
  const sn::array<double> one = sample<double>({4, 4}), y = la::solve(one, b);
  CHECK(error<double>(sn::matmul(one, y), b, 4) < 1000);
}

TEMPLATE_TEST_CASE("triangles are solved by the triangle that is named", "", SINTER_LINALG_TYPES) {
  using T = TestType;
  using options = la::triangular_options;
  for (const extents& s : squares()) {
    const std::int64_t n = s.back();
    const sn::array<T> a = sample<T>(s) / T(static_cast<real_of<T>>(n + 1)) + sn::eye<T>(n) * T(2);
    const sn::array<T> b = sample<T>(s, 5);
    const sn::array<int> i = sn::arange<int>(n);
    for (bool lower : {false, true}) {
      for (bool unit : {false, true}) {
        for (auto trans : {options::transposition::none, options::transposition::transpose,
                           options::transposition::adjoint}) {
          const sn::array<bool> mask = lower ? sn::array<bool>(sn::expand_dims(i, {1}) >= i)
                                             : sn::array<bool>(sn::expand_dims(i, {1}) <= i);
          sn::array<T> t = sn::where(sn::broadcast_to(mask, s), a, T(0));
          if (unit)
            t = sn::where(sn::broadcast_to(sn::array<bool>(sn::expand_dims(i, {1}) == i), s), T(1),
                          t);
          if (trans == options::transposition::transpose) t = sn::swapaxes(t, -1, -2);
          if (trans == options::transposition::adjoint) t = adjoint(t);
          const sn::array<T> x =
              la::solve_triangular(a, b, {.lower = lower, .trans = trans, .unit_diagonal = unit});
          CHECK(error<T>(sn::matmul(t, x), b, n) < 10 * bound);
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("determinants", "", SINTER_LINALG_TYPES) {
  using T = TestType;
  using R = real_of<T>;
  for (const extents& s : squares()) {
    if (s.back() > 40) continue;  // exceeds a float
    INFO(sn::to_string(sn::asarray(s)));
    const sn::array<T> a = sample<T>(s);
    const auto [sign, logabsdet] = la::slogdet(a);
    const sn::array<T> det = la::det(a), again = sign * sn::astype<T>(sn::exp(logabsdet));
    const double scale = std::max(1.0, largest(det));
    CHECK(largest(sn::array<T>(det - again)) / scale <
          1000 * epsilon<T> * static_cast<double>(s.back() + 1));
    const sn::array<R> size = sn::abs(sign);
    if (a.size() > 0) CHECK(error<R>(size, sn::ones_like(size), s.back()) < bound);
    const sn::array<T> w = sn::array<T>(la::det(sn::swapaxes(a, -1, -2)));
    CHECK(largest(sn::array<T>(det - w)) / scale <
          1000 * epsilon<T> * static_cast<double>(s.back() + 1));
  }
}

TEST_CASE("determinants that are known") {
  CHECK(la::det(sn::array<double>{{0, 1}, {1, 0}}).item() == -1);
  CHECK(la::det(sn::array<double>{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}).item() == 1);
  CHECK(la::det(sn::zeros<double>({3, 3})).item() == 0);
  const auto [sign, logabsdet] = la::slogdet(sn::zeros<double>({2, 2}));
  CHECK(sign.item() == 0);
  CHECK(logabsdet.item() == -la::inf);
  CHECK(la::det(sn::zeros<double>({2, 0, 0})).to_host() == std::vector<double>{1, 1});
  CHECK(std::isnan(la::det(sn::array<double>{{std::nan(""), 1}, {1, 1}}).item()));
}

TEST_CASE("a singular stack of integers has determinants of rounding errors at most") {
  const sn::array<std::int64_t> i = sn::arange<std::int64_t>(27);
  const sn::array<double> det = la::det(sn::reshape(i, {3, 3, 3}));
  CHECK(largest(det) < 1e-12);
}

TEMPLATE_TEST_CASE("least squares", "", SINTER_LINALG_TYPES) {
  using T = TestType;
  for (const extents& s : oblongs()) {
    INFO(sn::to_string(sn::asarray(s)));
    const sn::array<T> a = sample<T>(s);
    const std::int64_t m = a.shape(-2), n = a.shape(-1);
    extents right = s;
    right.back() = 2;
    const sn::array<T> b = sample<T>(right, 9);
    const auto [x, residuals, rank, values] = la::lstsq(a, b);
    CHECK(x.shape(-2) == n);
    const sn::array<T> off = b - sn::matmul(a, x);
    // The rounding errors of b - a x, multiplied by a once more.
    const double size = largest(values), most = size * (size * largest(x) + largest(b));
    CHECK(error<T>(sn::matmul(adjoint(a), off), sn::zeros_like(x), std::max(m, n)) <
          bound * std::max(1.0, most));
    CHECK(residuals.shape(-1) == (m > n ? 2 : 0));
    if (a.size() > 0) CHECK(sn::min(rank).item() == std::min(m, n));
    const sn::array<T> p = la::pinv(a);
    CHECK(error<T>(sn::matmul(sn::matmul(a, p), a), a, std::max(m, n)) < 5 * bound);
    CHECK(error<T>(sn::matmul(p, b), x, std::max(m, n)) < 20 * bound);
  }
}

TEST_CASE("least squares without full rank gives the shortest solution") {
  const sn::array<double> a{{1, 1}, {1, 1}, {1, 1}}, b{1, 2, 3};
  const auto [x, residuals, rank, s] = la::lstsq(a, b);
  CHECK(rank.item() == 1);
  CHECK(x.to_host()[0] == Approx(1));
  CHECK(x.to_host()[1] == Approx(1));
  CHECK(residuals.to_host()[0] == Approx(2));
}

TEST_CASE("null spaces") {
  const sn::array<double> x = sample<double>({5, 2}), a = sn::matmul(x, sn::transpose(x));
  const sn::array<double> z = la::null_space(a);
  CHECK(z.shape(-1) == 3);
  CHECK(skew(z) < bound);
  CHECK(largest(sn::array<double>(sn::matmul(a, z))) < 1e-13);
  CHECK(la::null_space(sn::eye<double>(3)).shape(-1) == 0);
}

TEST_CASE("ill-conditioned systems are solved with small residuals") {
  constexpr std::int64_t n = 12;
  const sn::array<double> i = sn::arange<double>(n), row = sn::expand_dims(i, {0}),
                          hilbert = 1.0 / (row + sn::expand_dims(i, {1}) + 1.0);
  const sn::array<double> b = sample<double>({n, 3});
  const auto residual = [&](const sn::array<double>& a) {
    const sn::array<double> x = la::solve(a, b), r = sn::matmul(a, x) - b;
    return largest(r) / (largest(a) * largest(x) * n * epsilon<double>);
  };
  CHECK(la::cond(hilbert).item() > 1e15);
  CHECK(residual(hilbert) < bound);
  CHECK(residual(1e200 * hilbert) < bound);
  CHECK(residual(1e-200 * hilbert) < bound);
  const sn::array<double> steep = hilbert * sn::exp2(20 * row);  // columns of very different size
  CHECK(residual(steep) < bound);
}

TEMPLATE_TEST_CASE("matrices are solved and inverted wherever their elements lie", "",
                   SINTER_LINALG_TYPES) {
  using T = TestType;
  for (const extents& s : {extents{6, 6}, extents{70, 70}, extents{5, 4, 4}}) {
    const sn::array<T> a = sample<T>(s), b = sample<T>(s, 9);
    const sn::array<T> turned = sn::swapaxes(sn::array<T>(sn::swapaxes(a, -1, -2) + T(0)), -1, -2);
    const sn::array<T> back = sn::flip(sn::array<T>(sn::flip(a, -1) + T(0)), -1);
    sn::eval(a, b);
    for (const sn::array<T>& x : {scattered(a), turned, back}) {
      CHECK(error<T>(la::inv(x), la::inv(a), 1) == 0);
      CHECK(error<T>(la::solve(x, b), la::solve(a, b), 1) == 0);
      CHECK(error<T>(la::solve(a, scattered(b)), la::solve(a, b), 1) == 0);
      if (s.back() < 10) CHECK(error<T>(la::det(x), la::det(a), 1) == 0);  // others overflow
    }
    const std::int64_t n = s.back();
    const sn::array<T> one = sn::broadcast_to(sn::eye<T>(n), s);
    const double size = std::max(1.0, largest(la::inv(a)));
    CHECK(error<T>(sn::matmul(la::inv(a), a), one, n) < bound * size);
    CHECK(error<T>(sn::matmul(a, la::inv(a)), one, n) < bound * size);
  }
}

TEST_CASE("determinants whose factors leave the range on the way") {
  using numbers = std::vector<double>;
  for (const auto& [diagonal, wanted] : std::vector<std::pair<numbers, double>>{
           {{0x1p600, 0x1p600, 0, 0x1p600, 0x1p600}, 0},
           {{0x1p600, 0x1p-600, 0x1p600, 0x1p-600, -0x1p600}, -0x1p600},
           {{0x1p-600, 0x1p-600, 0x1p600, 0x1p600}, 1},
           {{0x1p-600, 0x1p-460, 0x1p100}, 0x1p-960},
           {{0x1p600, 0x1p600}, la::inf},
           {{0x1p-600, 0x1p-600}, 0}}) {
    const sn::array<double> d = sn::asarray(diagonal);
    const std::int64_t n = d.size();
    CHECK(la::det(sn::diag(d)).item() == wanted);
    const sn::array<double> stack = sn::broadcast_to(sn::diag(d), {20, n, n});
    CHECK(sn::all(la::det(stack) == wanted).item());
    if (std::isinf(wanted)) continue;
    CHECK(la::det(sn::diag(sn::astype<std::complex<double>>(d))).item() == wanted);
  }
  CHECK(la::det(sn::array<double>{{1, 2}, {3, 4}}).item() == Approx(-2).epsilon(1e-15));
}

TEST_CASE("a zero matrix is singular in every norm") {
  for (const double p : {2.0, -2.0, 1.0}) {
    CHECK(la::cond(sn::zeros<double>({2, 2}), p).item() == la::inf);
  }
}

TEST_CASE("plain arguments in NumPy's places") {
  const sn::array<double> a = sample<double>({6, 4}), cut = a * sn::array<double>{1, 1, 1, 1e-9};
  CHECK(la::svd(a, false).u.shape() == std::vector<std::int64_t>{6, 4});
  CHECK(la::matrix_rank(cut, 1e-6).item() == 3);
  CHECK(sn::array_equal(la::pinv(cut, 1e-6), la::pinv(cut, {.rtol = 1e-6})));
  const std::vector<sn::array<double>> chain = {a, sample<double>({4, 5}), sample<double>({5, 2})};
  CHECK(sn::array_equal(la::multi_dot(chain), la::multi_dot({chain[0], chain[1], chain[2]})));
}

TEST_CASE("one NaN is in all that depends on it") {
  sn::array<double> a = sample<double>({4, 4});
  a(1, 2) = std::nan("");
  CHECK(sn::any(sn::isnan(la::inv(a))).item());
  CHECK(sn::any(sn::isnan(la::qr(a).r)).item());
  CHECK(sn::any(sn::isnan(la::solve(a, sn::ones<double>({4})))).item());
  CHECK(std::isnan(la::slogdet(a).logabsdet.item()));
  CHECK(sn::all(sn::isnan(la::expm(a))).item());
}

}  // namespace solvers_test

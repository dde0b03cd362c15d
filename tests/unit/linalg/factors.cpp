// Factorisations reproduce their input, and have the documented form.
#include "samples.hpp"

namespace factors_test {

using namespace linalg_tests;

TEMPLATE_TEST_CASE("Cholesky factors", "", SINTER_LINALG_TYPES) {
  using T = TestType;
  for (const extents& s : squares()) {
    INFO(sn::to_string(sn::asarray(s)));
    const sn::array<T> a = positive<T>(s);
    const sn::array<T> l = la::cholesky(a), r = la::cholesky(a, {.upper = true});
    CHECK(error<T>(sn::matmul(l, adjoint(l)), a, s.back()) < bound);
    CHECK(error<T>(sn::matmul(adjoint(r), r), a, s.back()) < bound);
    CHECK(error<T>(l, adjoint(r), s.back()) < bound);
    CHECK(error<T>(la::cholesky(scattered(a)), l, 1) == 0);
  }
}

TEST_CASE("a Cholesky factor is made from one triangle") {
  const sn::array<double> a{{4, 99}, {2, 3}};
  const sn::array<double> l = la::cholesky(a);
  CHECK(error<double>(l, sn::array<double>{{2, 0}, {1, std::sqrt(2.0)}}, 1) < bound);
  const sn::array<double> b{{4, 2}, {99, 3}};
  const sn::array<double> u = la::cholesky(b, {.upper = true});
  CHECK(error<double>(u, sn::array<double>{{2, 1}, {0, std::sqrt(2.0)}}, 1) < bound);
}

TEMPLATE_TEST_CASE("the factor of a large matrix is made from one triangle", "",
                   SINTER_LINALG_TYPES) {
  using T = TestType;
  const std::int64_t n = 300;
  const sn::array<T> a = positive<T>({n, n});
  const sn::array<T> half = sn::tril(a) + sn::triu(sn::full<T>({n, n}, T(99)), 1);
  const sn::array<T> l = la::cholesky(half);
  const sn::array<T> u = la::cholesky(sn::array<T>(adjoint(half)), {.upper = true});
  CHECK(error<T>(sn::matmul(l, adjoint(l)), a, n) < bound);
  CHECK(error<T>(l, adjoint(u), n) < bound);
  CHECK(largest(sn::array<T>(sn::triu(l, 1))) == 0);
}

TEMPLATE_TEST_CASE("LU factors", "", SINTER_LINALG_TYPES) {
  using T = TestType;
  for (const extents& s : oblongs()) {
    INFO(sn::to_string(sn::asarray(s)));
    const sn::array<T> a = sample<T>(s);
    const auto [p, l, u] = la::lu(a);
    const std::int64_t m = a.shape(-2), n = a.shape(-1);
    CHECK(error<T>(sn::matmul(p, sn::matmul(l, u)), a, std::max(m, n)) < bound);
    CHECK(largest(l) <= 1.01 * (m > 0 && n > 0 ? std::sqrt(2.0) : 1));  // partial pivoting
    const auto [packed, pivots] = la::lu_factor(a);
    CHECK(pivots.shape(-1) == std::min(m, n));
    CHECK(packed.shape(-1) == n);
  }
}

TEMPLATE_TEST_CASE("QR factors", "", SINTER_LINALG_TYPES) {
  using T = TestType;
  for (const extents& s : oblongs()) {
    INFO(sn::to_string(sn::asarray(s)));
    const sn::array<T> a = sample<T>(s);
    const std::int64_t m = a.shape(-2), n = a.shape(-1), k = std::min(m, n);
    const auto [q, r] = la::qr(a);
    CHECK(q.shape(-1) == k);
    CHECK(error<T>(sn::matmul(q, r), a, std::max(m, n)) < bound);
    CHECK(skew(q) < bound);
    const auto [whole, tall] = la::qr(a, {.mode = la::qr_mode::complete});
    CHECK(whole.shape(-1) == m);
    CHECK(error<T>(sn::matmul(whole, tall), a, std::max(m, n)) < bound);
    CHECK(skew(whole) < bound);
    const auto alone = la::qr(a, {.mode = la::qr_mode::r});
    CHECK_FALSE(alone.q.valid());
    CHECK(error<T>(alone.r, r, 1) == 0);
  }
}

TEMPLATE_TEST_CASE("singular values and vectors", "", SINTER_LINALG_TYPES) {
  using T = TestType;
  using R = real_of<T>;
  for (const extents& s : oblongs()) {
    INFO(sn::to_string(sn::asarray(s)));
    const sn::array<T> a = sample<T>(s);
    const std::int64_t m = a.shape(-2), n = a.shape(-1), k = std::min(m, n);
    const auto [u, values, vh] = la::svd(a, {.full_matrices = false});
    const sn::array<T> row = sn::expand_dims(sn::array<T>(sn::astype<T>(values)), {-2});
    CHECK(error<T>(sn::matmul(sn::array<T>(u * row), vh), a, std::max(m, n)) < bound);
    CHECK(skew(u) < bound);
    CHECK(skew(adjoint(vh)) < bound);
    const auto [all, again, right] = la::svd(a);
    CHECK(all.shape(-1) == m);
    CHECK(right.shape(-2) == n);
    CHECK(skew(all) < bound);
    CHECK(skew(adjoint(right)) < bound);
    CHECK(error<R>(la::svdvals(a), values, std::max(m, n)) < bound);
    if (k > 1 && a.size() > 0) {
      const sn::array<R> drop =
          values(sn::ellipsis, sn::slice(0, k - 1)) - values(sn::ellipsis, sn::slice(1, k));
      CHECK(sn::min(drop).item() >= 0);
    }
  }
}

TEMPLATE_TEST_CASE("Hermitian eigenvalues and vectors", "", SINTER_LINALG_TYPES) {
  using T = TestType;
  using R = real_of<T>;
  for (const extents& s : squares()) {
    INFO(sn::to_string(sn::asarray(s)));
    const sn::array<T> x = sample<T>(s), a = x + adjoint(x);
    const auto [w, v] = la::eigh(a);
    const sn::array<T> row = sn::expand_dims(sn::array<T>(sn::astype<T>(w)), {-2});
    CHECK(error<T>(sn::matmul(sn::array<T>(v * row), adjoint(v)), a, s.back()) < bound);
    CHECK(skew(v) < bound);
    CHECK(error<R>(la::eigvalsh(a), w, s.back()) < bound);
    const sn::array<T> junk = sample<T>(s, 99);
    const sn::array<T> lower = sn::where(
        sn::array<bool>(sn::broadcast_to(
            sn::expand_dims(sn::arange<int>(s.back()), {1}) >= sn::arange<int>(s.back()), s)),
        a, junk);
    CHECK(error<R>(la::eigvalsh(lower), w, s.back()) < bound);
    CHECK(error<R>(la::eigvalsh(adjoint(lower), {.upper = true}), w, s.back()) < bound);
  }
}

TEMPLATE_TEST_CASE("eigenvalues and vectors of any matrix", "", SINTER_LINALG_TYPES) {
  using T = TestType;
  using C = std::complex<real_of<T>>;
  for (const extents& s : squares()) {
    INFO(sn::to_string(sn::asarray(s)));
    const sn::array<T> a = sample<T>(s);
    const sn::array<C> wide = sn::astype<C>(a);
    const auto [w, v] = la::eig(a);
    const sn::array<C> scaled = v * sn::expand_dims(w, {-2});
    CHECK(error<C>(sn::matmul(wide, v), scaled, s.back()) < bound);
    const sn::array<real_of<T>> lengths = la::vector_norm(v, {.axis = -2});
    CHECK(error<real_of<T>>(lengths, sn::ones_like(lengths), s.back()) < bound);
    CHECK(la::eigvals(a).size() == w.size());
    if (a.size() > 0) {
      const sn::array<C> sum = sn::sum(w, {.axis = -1}), trace = sn::astype<C>(la::trace(a));
      CHECK(error<C>(sum, trace, s.back()) < bound);
    }
  }
}

TEST_CASE("factors of rank-deficient and ill-conditioned matrices") {
  const sn::array<double> x = sample<double>({20, 3}), low = sn::matmul(x, sn::transpose(x));
  const auto [q, r] = la::qr(low);
  CHECK(error<double>(sn::matmul(q, r), low, 20) < bound);
  CHECK(skew(q) < bound);
  const auto [u, s, vh] = la::svd(low);
  CHECK(skew(u) < bound);
  CHECK(s(3).item() < 1e-12 * s(0).item());
  CHECK(la::matrix_rank(low).item() == 3);
  const sn::array<double> i = sn::arange<double>(12);
  const sn::array<double> hilbert = 1.0 / (sn::expand_dims(i, {1}) + i + 1.0);
  const auto [w, v] = la::eigh(hilbert);
  CHECK(error<double>(sn::matmul(sn::array<double>(v * w), sn::transpose(v)), hilbert, 12) < bound);
  CHECK(la::cond(hilbert).item() > 1e15);
}

TEST_CASE("integers are factorised as doubles") {
  const sn::array<int> a{{2, 1}, {1, 2}};
  static_assert(std::is_same_v<decltype(la::cholesky(a)), sn::array<double>>);
  CHECK(la::det(a).item() == Approx(3));
  CHECK(la::eigvalsh(a).to_host()[1] == Approx(3));
}

}  // namespace factors_test

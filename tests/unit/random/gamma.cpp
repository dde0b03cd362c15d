// Gamma variables and those based on them, compared with their CDFs.

#include "samples.hpp"

namespace gamma_test {

using namespace random_tests;
namespace rnd = sinter::random;

namespace {

/// The regularised lower incomplete gamma function: its series, or its continued fraction (Lentz).
double gamma_cdf(double a, double x) {
  if (x <= 0) return 0;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int n = 1; n < 10000 && term > sum * 1e-16; ++n) sum += term *= x / (a + n);
    return std::min(1.0, sum * front);
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int n = 1; n < 10000; ++n) {
    const double an = -n * (n - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return std::max(0.0, 1 - front * h);
}

/// The regularised incomplete beta function by its continued fraction (Lentz).
double beta_cdf(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - beta_cdf(b, a, 1 - x);
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x)) /
                       a;
  double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;
  for (int m = 1; m < 10000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    h *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    h *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return front * h;
}

}  // namespace

TEMPLATE_TEST_CASE("gamma variables of small and large shapes", "", float, double) {
  std::uint64_t seed = 1;
  for (double a : {0.1, 0.5, 1.0, 2.5, 30.0, 1000.0}) {
    INFO(a);
    const auto x = rnd::gamma<TestType>({many}, {.seed = seed++, .shape = a, .scale = 2});
    check_ks(x, [=](double v) { return gamma_cdf(a, v / 2); });
    check_moments(x, 2 * a, 4 * a);
  }
  // Far below a float's range, logarithms are exponential variables.
  check_ks(sn::log(rnd::standard_gamma({many}, {.seed = 9, .shape = 0.01})),
           [](double l) { return std::min(1.0, std::exp(0.01 * l - std::lgamma(1.01))); });
  CHECK(sn::all(rnd::gamma({100}, {.seed = 1, .shape = 0}) == 0).item());
  check_moments(rnd::gamma({many}, {.seed = 2, .shape = 1e12}), 1e12, 1e12);
}

TEMPLATE_TEST_CASE("beta variables", "", float, double) {
  std::uint64_t seed = 11;
  for (const auto& [a, b] :
       {std::pair{1.0, 1.0}, {0.5, 0.5}, {2.0, 5.0}, {30.0, 0.7}, {200.0, 300.0}}) {
    INFO(a << ", " << b);
    check_ks(rnd::beta<TestType>({many}, {.seed = seed++, .a = a, .b = b}),
             [a = a, b = b](double v) { return beta_cdf(a, b, v); });
  }
  // With tiny parameters nearly all mass is at both ends, and nothing is NaN.
  const auto x = rnd::beta<TestType>({many}, {.seed = 19, .a = 1e-3, .b = 3e-3});
  CHECK(sn::all(x >= 0 && x <= 1).item());
  CHECK(sn::mean(sn::astype<double>(x)).item() == Approx(0.25).margin(0.01));
}

TEMPLATE_TEST_CASE("chi-square, F and Student's t", "", float, double) {
  using T = TestType;
  check_ks(rnd::chisquare<T>({many}, {.seed = 21, .df = 3}),
           [](double v) { return gamma_cdf(1.5, v / 2); });
  check_ks(rnd::standard_t<T>({many}, {.seed = 22, .df = 4}), [](double v) {
    const double tail = beta_cdf(2, 0.5, 4 / (4 + v * v)) / 2;
    return v > 0 ? 1 - tail : tail;
  });
  check_ks(rnd::standard_t<T>({many}, {.seed = 23, .df = 1}),
           [](double v) { return 0.5 + std::atan(v) / std::numbers::pi; });
  check_ks(rnd::f<T>({many}, {.seed = 24, .dfnum = 5, .dfden = 7}),
           [](double v) { return beta_cdf(2.5, 3.5, 5 * v / (5 * v + 7)); });
  check_moments(rnd::noncentral_chisquare<T>({many}, {.seed = 25, .df = 3, .nonc = 2}), 5, 14);
  // One degree of freedom: the square of a normal variable shifted by the root of nonc.
  check_ks(rnd::noncentral_chisquare<T>({many}, {.seed = 26, .df = 1, .nonc = 4}),
           [](double v) { return normal_cdf(std::sqrt(v) - 2) - normal_cdf(-std::sqrt(v) - 2); });
}

TEMPLATE_TEST_CASE("Dirichlet vectors", "", float, double) {
  using T = TestType;
  const sn::array<T> alpha = {T(0.5), T(2), T(5)};
  const auto x = rnd::dirichlet<T>(alpha, {.seed = 31, .shape = many});
  CHECK(sn::max(sn::abs(sn::sum(x, {.axis = 1}) - 1)).item() < 1e-6);
  // Each part is a beta variable.
  check_ks(x(sn::_, 0), [](double v) { return beta_cdf(0.5, 7, v); });
  check_ks(x(sn::_, 1), [](double v) { return beta_cdf(2, 5.5, v); });
  check_ks(x(sn::_, 2), [](double v) { return beta_cdf(5, 2.5, v); });
  const auto tiny = rnd::dirichlet<T>(alpha * T(1e-4), {.seed = 32, .shape = 1000});
  CHECK(sn::all(sn::isfinite(tiny)).item());
  CHECK(sn::max(sn::abs(sn::sum(tiny, {.axis = 1}) - 1)).item() < 1e-6);
}

TEST_CASE("shapes may be arrays, and what is none gives NaN") {
  const sn::array<double> shape = {0.5, -1.0, 40.0, NAN, INFINITY, 3.0};
  const auto x = rnd::gamma({many, 6}, {.seed = 41, .shape = shape});
  check_ks(x(sn::_, 0), [](double v) { return gamma_cdf(0.5, v); });
  check_ks(x(sn::_, 2), [](double v) { return gamma_cdf(40, v); });
  check_ks(x(sn::_, 5), [](double v) { return gamma_cdf(3, v); });
  for (int bad : {1, 3, 4}) CHECK(sn::all(sn::isnan(x(sn::_, bad))).item());
  CHECK(sn::all(sn::isnan(rnd::beta({6}, {.seed = 1, .a = shape, .b = 1})) ==
                (sn::isnan(shape) || shape <= 0 || shape == INFINITY))
            .item());
}

}  // namespace gamma_test

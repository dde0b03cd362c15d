// Poisson and binomial counts and related distributions, compared with their probabilities.

#include "samples.hpp"

namespace counts_test {

using namespace random_tests;
namespace rnd = sinter::random;

namespace {

double poisson_pmf(double mean, double k) {
  return std::exp(k * std::log(mean) - mean - std::lgamma(k + 1));
}

double binomial_pmf(double n, double p, double k) {
  if (k > n) return 0;
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                  k * std::log(p) + (n - k) * std::log1p(-p));
}

}  // namespace

TEST_CASE("Poisson counts of small and large means") {
  std::uint64_t seed = 1;
  for (double mean : {0.01, 1.0, 9.99, 10.0, 12.5, 40.0, 1000.0}) {
    INFO(mean);
    const auto x = rnd::poisson({many}, {.seed = seed++, .lam = mean});
    check_counts(x, [=](std::int64_t k) { return poisson_pmf(mean, static_cast<double>(k)); });
    check_moments(x, mean, mean);
  }
  CHECK(sn::all(rnd::poisson({100}, {.seed = 1, .lam = 0}) == 0).item());
  // Where the normal distribution is nearly exact, and the steps are fine.
  const auto far = rnd::poisson({many}, {.seed = 9, .lam = 1e10});
  check_ks(far, [](double k) { return normal_cdf((k + 0.5 - 1e10) / 1e5); });
  CHECK(sn::max(rnd::poisson<std::int8_t>({many}, {.seed = 8, .lam = 1000})).item() == 127);
}

TEST_CASE("binomial counts, likely and unlikely, few and many") {
  std::uint64_t seed = 11;
  const std::pair<double, double> cases[] = {{1, 0.3},     {10, 0.5},   {19, 0.5},      {21, 0.5},
                                             {25, 0.4},    {100, 0.1},  {100, 0.95},    {1000, 0.3},
                                             {1000, 1e-3}, {1e6, 5e-6}, {1e6, 1 - 2e-5}};
  for (const auto& [n, p] : cases) {
    INFO(n << ", " << p);
    const auto x = rnd::binomial({many}, {.seed = seed++, .n = n, .p = p});
    const bool turned = p > 0.9;
    const sn::array<std::int64_t> few =
        turned ? sn::array<std::int64_t>(static_cast<std::int64_t>(n) - x) : x;
    check_counts(few, [=, n = n, p = p](std::int64_t k) {
      return binomial_pmf(n, turned ? 1 - p : p, static_cast<double>(k));
    });
    check_moments(x, n * p, n * p * (1 - p));
  }
  CHECK(sn::all(rnd::binomial({100}, {.seed = 1, .n = 7, .p = 0}) == 0).item());
  CHECK(sn::all(rnd::binomial({100}, {.seed = 1, .n = 7, .p = 1}) == 7).item());
  CHECK(sn::all(rnd::binomial({100}, {.seed = 1, .n = 0, .p = 0.5}) == 0).item());
  check_ks(rnd::binomial({many}, {.seed = 2, .n = 1e12, .p = 0.25}),
           [](double k) { return normal_cdf((k + 0.5 - 0.25e12) / std::sqrt(0.1875e12)); });
}

TEST_CASE("counts of parameters that are arrays, and what is none gives -1") {
  const sn::array<double> mean = {0.5, 50.0, -1.0, NAN, 5.0};
  const auto x = rnd::poisson({many, 5}, {.seed = 31, .lam = mean});
  check_counts(x(sn::_, 0),
               [](std::int64_t k) { return poisson_pmf(0.5, static_cast<double>(k)); });
  check_counts(x(sn::_, 1), [](std::int64_t k) { return poisson_pmf(50, static_cast<double>(k)); });
  check_counts(x(sn::_, 4), [](std::int64_t k) { return poisson_pmf(5, static_cast<double>(k)); });
  CHECK(sn::all(x(sn::_, sn::slice(2, 4)) == -1).item());
  const sn::array<double> n = {100.0, 4.0, -1.0, 2.5, 100.0};
  const sn::array<double> p = {0.3, 0.3, 0.3, 0.3, 1.5};
  const auto y = rnd::binomial({many, 5}, {.seed = 32, .n = n, .p = p});
  check_counts(y(sn::_, 0),
               [](std::int64_t k) { return binomial_pmf(100, 0.3, static_cast<double>(k)); });
  check_counts(y(sn::_, 1),
               [](std::int64_t k) { return binomial_pmf(4, 0.3, static_cast<double>(k)); });
  CHECK(sn::all(y(sn::_, sn::slice(2, 5)) == -1).item());
}

TEST_CASE("negative binomial and logarithmic counts") {
  std::uint64_t seed = 41;
  for (const auto& [n, p] : {std::pair{1.0, 0.3}, {0.5, 0.1}, {20.0, 0.6}}) {
    INFO(n << ", " << p);
    check_counts(rnd::negative_binomial({many}, {.seed = seed++, .n = n, .p = p}),
                 [n = n, p = p](std::int64_t count) {
                   const auto k = static_cast<double>(count);
                   return std::exp(std::lgamma(n + k) - std::lgamma(k + 1) - std::lgamma(n) +
                                   n * std::log(p) + k * std::log1p(-p));
                 });
  }
  for (double p : {0.05, 0.6, 0.99}) {
    INFO(p);
    check_counts(rnd::logseries({many}, {.seed = seed++, .p = p}), [=](std::int64_t count) {
      const auto k = static_cast<double>(count);
      return count == 0 ? 0 : -std::pow(p, k) / (k * std::log1p(-p));
    });
  }
  CHECK(sn::all(rnd::negative_binomial({100}, {.seed = 1, .p = 1}) == 0).item());
}

TEST_CASE("multinomial counts") {
  const std::vector<double> p = {0.1, 0.0, 0.6, 0.3};
  const auto x = rnd::multinomial(50, p, {.seed = 51, .shape = many});
  CHECK(sn::all(sn::sum(x, {.axis = 1}) == 50).item());
  for (int i = 0; i < 4; ++i) {
    const double q = p[static_cast<std::size_t>(i)];
    if (q == 0)
      CHECK(sn::all(x(sn::_, i) == 0).item());
    else
      check_counts(x(sn::_, i),
                   [=](std::int64_t k) { return binomial_pmf(50, q, static_cast<double>(k)); });
  }
  const auto c = values(sn::cov(x, {.rowvar = false}));
  CHECK(c[2] == Approx(-50 * 0.1 * 0.6).epsilon(0.1));
  // The same probabilities as an array, and numbers of trials as an array.
  CHECK(values(rnd::multinomial(50, sn::asarray(p), {.seed = 51, .shape = 100})) ==
        values(rnd::multinomial(50, p, {.seed = 51, .shape = 100})));
  const sn::array<int> n = {0, 1, 1000};
  const auto y = rnd::multinomial(n, p, {.seed = 52});
  CHECK(values(sn::sum(y, {.axis = 1})) == values(n));
}

}  // namespace counts_test

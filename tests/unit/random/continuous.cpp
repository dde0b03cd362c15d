// Continuous distributions, compared with their CDFs.

#include "samples.hpp"

namespace continuous_test {

using namespace random_tests;
namespace rnd = sinter::random;

TEMPLATE_TEST_CASE("exponentials and what they give", "", float, double) {
  using T = TestType;
  check_ks(rnd::exponential<T>({many}, {.seed = 1, .scale = 3}),
           [](double x) { return -std::expm1(-x / 3); });
  check_ks(rnd::standard_exponential<T>({many}, {.seed = 2}),
           [](double x) { return -std::expm1(-x); });
  check_ks(rnd::weibull<T>({many}, {.seed = 3, .a = 1.5}),
           [](double x) { return -std::expm1(-std::pow(x, 1.5)); });
  check_ks(rnd::weibull<T>({many}, {.seed = 4, .a = 0.25}),
           [](double x) { return -std::expm1(-std::pow(x, 0.25)); });
  check_ks(rnd::pareto<T>({many}, {.seed = 5, .a = 3}),
           [](double x) { return -std::expm1(-3 * std::log1p(x)); });
  check_ks(rnd::pareto<T>({many}, {.seed = 6, .a = 1e5}),
           [](double x) { return -std::expm1(-1e5 * std::log1p(x)); });
  check_ks(rnd::power<T>({many}, {.seed = 7, .a = 5}), [](double x) { return std::pow(x, 5); });
  check_ks(rnd::rayleigh<T>({many}, {.seed = 8, .scale = 2}),
           [](double x) { return -std::expm1(-x * x / 8); });
  check_ks(rnd::gumbel<T>({many}, {.seed = 9, .loc = 1, .scale = 2}),
           [](double x) { return std::exp(-std::exp(-(x - 1) / 2)); });
}

TEMPLATE_TEST_CASE("symmetric distributions", "", float, double) {
  using T = TestType;
  check_ks(rnd::laplace<T>({many}, {.seed = 11, .loc = -1, .scale = 2}), [](double x) {
    const double z = (x + 1) / 2;
    return z < 0 ? std::exp(z) / 2 : 1 - std::exp(-z) / 2;
  });
  check_ks(rnd::logistic<T>({many}, {.seed = 12, .loc = 3, .scale = 0.5}),
           [](double x) { return 1 / (1 + std::exp(-(x - 3) / 0.5)); });
  check_ks(rnd::cauchy<T>({many}, {.seed = 13, .loc = 1, .scale = 2}),
           [](double x) { return 0.5 + std::atan((x - 1) / 2) / std::numbers::pi; });
  check_ks(rnd::normal<T>({many}, {.seed = 14, .mean = 5, .stddev = 2}),
           [](double x) { return normal_cdf((x - 5) / 2); });
  check_ks(rnd::lognormal<T>({many}, {.seed = 15, .mean = 1, .sigma = 0.5}),
           [](double x) { return normal_cdf((std::log(x) - 1) / 0.5); });
  check_moments(rnd::laplace<T>({many}, {.seed = 16}), 0, 2);
  check_moments(rnd::logistic<T>({many}, {.seed = 17}), 0, std::numbers::pi * std::numbers::pi / 3);
}

TEMPLATE_TEST_CASE("triangular and Wald variables", "", float, double) {
  using T = TestType;
  const auto triangle = [](double left, double mode, double right) {
    return [=](double x) {
      const double base = right - left;
      return x < mode ? (x - left) * (x - left) / base / (mode - left)
                      : 1 - (right - x) * (right - x) / base / (right - mode);
    };
  };
  check_ks(rnd::triangular<T>({many}, {.seed = 21}), triangle(0, 0.5, 1));
  check_ks(rnd::triangular<T>({many}, {.seed = 22, .left = -3, .mode = 4, .right = 5}),
           triangle(-3, 4, 5));
  check_ks(rnd::triangular<T>({many}, {.seed = 23, .mode = 0}), triangle(0, -1e-300, 1));
  const auto wald = [](double mean, double scale) {
    return [=](double x) {
      const double r = std::sqrt(scale / x);
      return normal_cdf(r * (x / mean - 1)) +
             std::exp(2 * scale / mean) * normal_cdf(-r * (x / mean + 1));
    };
  };
  check_ks(rnd::wald<T>({many}, {.seed = 24}), wald(1, 1));
  check_ks(rnd::wald<T>({many}, {.seed = 25, .mean = 3, .scale = 0.5}), wald(3, 0.5));
}

TEMPLATE_TEST_CASE("truncated normal variables in the middle and in the tails", "", float, double) {
  using T = TestType;
  const auto between = [](double a, double b) {
    return [=](double x) -> double {
      // By the small tail, in long double, which reaches 1e-4900.
      const auto q = [](double t) {
        return std::erfc(static_cast<long double>(t) / std::sqrt(2.0L));
      };
      if (a + b > 0) return static_cast<double>((q(a) - q(x)) / (q(a) - q(b)));
      return static_cast<double>((q(-x) - q(-a)) / (q(-b) - q(-a)));
    };
  };
  const double inf = INFINITY;
  const double ends[][2] = {{-2, 2},  {-1, 4}, {0.5, 0.75}, {-inf, -3},
                            {4, inf}, {7, 9},  {-0.1, inf}};
  std::uint64_t seed = 30;
  for (const auto& [a, b] : ends) {
    INFO(a << " to " << b);
    const auto x = rnd::truncated_normal<T>({many}, {.seed = seed++, .low = a, .high = b});
    check_ks(x, between(a, b));
    CHECK(sn::min(x).item() >= static_cast<T>(a));
    CHECK(sn::max(x).item() <= static_cast<T>(b));
  }
  // float32 cannot tell such distant numbers apart.
  for (const auto& [a, b] :
       {std::pair{20.0, inf}, {31.0, inf}, {40.0, inf}, {-50.0, -45.0}, {60, 60.01}}) {
    INFO(a << " to " << b);
    check_ks(rnd::truncated_normal({many}, {.seed = seed++, .low = a, .high = b}), between(a, b));
  }
  check_ks(
      rnd::truncated_normal<T>({many}, {.seed = seed, .low = 1, .high = 5, .mean = 2, .stddev = 3}),
      [&](double x) { return between(-1.0 / 3, 1)((x - 2) / 3); });
}

TEST_CASE("small exponentials are as fine as large ones are far") {
  const auto x = rnd::exponential<float>({1 << 22}, {.seed = 41});
  CHECK(sn::min(x).item() < 2e-6f);
  CHECK(sn::min(x).item() > 0);
  CHECK(sn::max(x).item() > 12);
  const auto distinct = values(sn::extract(x < 1e-4f, x).to_array());
  CHECK(std::set<double>(distinct.begin(), distinct.end()).size() > distinct.size() * 9 / 10);
}

TEST_CASE("parameters may be arrays") {
  const sn::array<double> scale = {0.5, 1, 2, 4};
  const auto x = rnd::exponential({many, 4}, {.seed = 51, .scale = scale});
  for (std::int64_t k = 0; k < 4; ++k) {
    const double s = std::ldexp(0.5, static_cast<int>(k));
    check_ks(x(sn::_, k), [=](double v) { return -std::expm1(-v / s); });
  }
  // A number and an array of it give the same.
  const sn::array<double> three = {3.0};
  CHECK(values(rnd::normal({100}, {.seed = 1, .mean = three, .stddev = 2})) ==
        values(rnd::normal({100}, {.seed = 1, .mean = 3, .stddev = 2})));
  CHECK(values(rnd::uniform<float>({100}, {.seed = 1, .low = -three, .high = 3})) ==
        values(rnd::uniform<float>({100}, {.seed = 1, .low = -3, .high = 3})));
  CHECK(values(rnd::wald({100}, {.seed = 1, .mean = three, .scale = three})) ==
        values(rnd::wald({100}, {.seed = 1, .mean = 3, .scale = 3})));
  CHECK(values(rnd::truncated_normal({100}, {.seed = 1, .low = three})) ==
        values(rnd::truncated_normal({100}, {.seed = 1, .low = 3})));
}

TEST_CASE("an array with what is no parameter gives NaN there") {
  const sn::array<double> odd = {1.0, -1.0, NAN, 2.0};
  const auto right = [](const sn::array<double>& x) {
    const auto v = x.to_host();
    return !std::isnan(v[0]) && std::isnan(v[1]) && std::isnan(v[2]) && !std::isnan(v[3]);
  };
  CHECK(right(rnd::exponential({4}, {.seed = 1, .scale = odd})));
  CHECK(right(rnd::normal({4}, {.seed = 1, .stddev = odd})));
  CHECK(right(rnd::laplace({4}, {.seed = 1, .scale = odd})));
  CHECK(right(rnd::rayleigh({4}, {.seed = 1, .scale = odd})));
  CHECK(right(rnd::lognormal({4}, {.seed = 1, .sigma = odd})));
  CHECK(right(rnd::weibull({4}, {.seed = 1, .a = odd})));
  CHECK(right(rnd::pareto({4}, {.seed = 1, .a = odd})));
  CHECK(right(rnd::power({4}, {.seed = 1, .a = odd})));
  CHECK(right(rnd::wald({4}, {.seed = 1, .mean = odd})));
  CHECK(right(rnd::wald({4}, {.seed = 1, .scale = odd})));
  CHECK(right(rnd::triangular({4}, {.seed = 1, .mode = 0, .right = odd})));
  CHECK(right(rnd::truncated_normal({4}, {.seed = 1, .low = 0, .high = odd})));
  CHECK(right(rnd::truncated_normal({4}, {.seed = 1, .stddev = odd})));
  CHECK(right(rnd::uniform({4}, {.seed = 1, .low = 0, .high = odd})));
}

TEST_CASE("half types are rounded floats") {
  CHECK(values(rnd::gumbel<sn::float16>({200}, {.seed = 3})) ==
        values(sn::astype<sn::float16>(rnd::gumbel<float>({200}, {.seed = 3}))));
  CHECK(values(rnd::exponential<sn::bfloat16>({200}, {.seed = 3})) ==
        values(sn::astype<sn::bfloat16>(rnd::exponential<float>({200}, {.seed = 3}))));
}

}  // namespace continuous_test

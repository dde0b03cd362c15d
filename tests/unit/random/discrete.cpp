// Discrete distributions, compared with their probabilities.

#include "samples.hpp"

namespace discrete_test {

using namespace random_tests;
namespace rnd = sinter::random;

TEST_CASE("Bernoulli variables") {
  for (double p : {0.0, 1e-4, 0.3, 0.5, 0.999, 1.0}) {
    const auto x = rnd::bernoulli({many}, {.seed = 1, .p = p});
    const auto hits = static_cast<double>(sn::count_nonzero(x).item());
    CHECK(std::abs(hits - p * many) <= 5 * std::sqrt(p * (1 - p) * many));
  }
  const sn::array<float> p = {0.0f, 0.25f, 1.0f};
  const auto rows =
      sn::sum(rnd::bernoulli<int>({many, 3}, {.seed = 2, .p = p}), {.axis = 0}).to_host();
  CHECK(rows[0] == 0);
  CHECK(std::abs(static_cast<double>(rows[1]) - 0.25 * many) < 5 * std::sqrt(many * 0.1875));
  CHECK(rows[2] == many);
}

TEST_CASE("geometric variables") {
  for (double p : {0.02, 0.3, 0.9}) {
    INFO(p);
    check_counts(rnd::geometric({many}, {.seed = 3, .p = p}), [=](std::int64_t k) {
      return k == 0 ? 0 : p * std::pow(1 - p, static_cast<double>(k - 1));
    });
  }
  CHECK(sn::all(rnd::geometric({100}, {.seed = 4, .p = 1}) == 1).item());
  // For small p it is an exponential variable, to the last digit.
  check_ks(rnd::geometric({many}, {.seed = 5, .p = 1e-9}),
           [](double k) { return -std::expm1(k * std::log1p(-1e-9)); });
  CHECK(sn::max(rnd::geometric<std::int8_t>({many}, {.seed = 5, .p = 1e-9})).item() == 127);
  const sn::array<double> odd = {0.5, 0.0, -1.0, NAN, 1.0};
  const auto v = rnd::geometric({5}, {.seed = 1, .p = odd}).to_host();
  CHECK(v[0] >= 1);
  CHECK((v[1] == -1 && v[2] == -1 && v[3] == -1));
  CHECK(v[4] == 1);
}

TEST_CASE("integers between arrays") {
  const sn::array<int> low = {-5, 0, 3, 7}, high = {5, 1, 3, 2};
  const auto x = rnd::integers<int>({many, 4}, {.seed = 6, .low = low, .high = high});
  check_counts(x(sn::_, 0) + 5, [](std::int64_t k) { return k < 10 ? 0.1 : 0; });
  CHECK(sn::all(x(sn::_, 1) == 0).item());
  CHECK(sn::all(x(sn::_, 2) == 3).item());  // an empty range returns its low end
  CHECK(sn::all(x(sn::_, 3) == 7).item());
  const sn::array<std::uint64_t> first = {0, 5},
                                 last = {std::numeric_limits<std::uint64_t>::max(), 5};
  const auto all = rnd::integers<std::uint64_t>(
      {many, 2}, {.seed = 7, .low = first, .high = last, .endpoint = true});
  check_counts(all(sn::_, 0) >> 60, [](std::int64_t k) { return k < 16 ? 1 / 16.0 : 0; });
  CHECK(sn::all(all(sn::_, 1) == 5).item());
  // A numeric bound gives the same as an array of it.
  const sn::array<std::int64_t> ten = {10};
  CHECK(values(rnd::integers({100}, {.seed = 8, .low = 0, .high = ten})) ==
        values(rnd::integers({100}, {.seed = 8, .low = 0, .high = 10})));
}

TEMPLATE_TEST_CASE("categorical variables", "", float, double) {
  using T = TestType;
  const std::vector<double> p = {0.5, 0.0, 0.2, 0.05, 0.25};
  const auto pmf = [&](std::int64_t k) { return p[static_cast<std::size_t>(k)]; };
  const sn::array<T> logits = sn::log(sn::astype<T>(sn::asarray(p))) + 3;
  check_counts(rnd::categorical(logits, {.seed = 9, .shape = many}), pmf);
  // One per row, along either axis.
  const auto rows = sn::broadcast_to(logits, {many, 5});
  const auto x = rnd::categorical(rows, {.seed = 9});
  CHECK(x.shape(0) == many);
  check_counts(x, pmf);
  check_counts(rnd::categorical(rows.T(), {.seed = 10, .axis = 0}), pmf);
  const auto two = rnd::categorical(rows(sn::slice(0, 3)), {.seed = 11, .shape = {2, 3}});
  CHECK(two.ndim() == 2);
}

TEST_CASE("choices with replacement") {
  check_counts(rnd::choice(10, {many}, {.seed = 12}),
               [](std::int64_t k) { return k < 10 ? 0.1 : 0; });
  const std::vector<double> p = {0.125, 0.5, 0.0, 0.25, 0.0625, 0.0625, 0.0};
  const auto pmf = [&](std::int64_t k) { return p[static_cast<std::size_t>(k)]; };
  check_counts(rnd::choice(7, {many}, {.seed = 13, .p = p}), pmf);
  check_counts(rnd::choice(7, {many}, {.seed = 14, .p = sn::asarray(p) * 1e-290}), pmf);
  CHECK(sn::all(rnd::choice(7, {100}, {.seed = 14, .p = {0, 0, 0, 0, 0, 0, 1}}) == 6).item());
  const sn::array<int> x = {{10, 20}, {30, 40}, {50, 60}};
  const auto rows = rnd::choice(x, {many}, {.seed = 15, .p = {0.25, 0.25, 0.5}});
  CHECK(rows.shape(1) == 2);
  CHECK(sn::all(rows(sn::_, 1) - rows(sn::_, 0) == 10).item());
  check_counts(rows(sn::_, 0) / 20 - 0.5, [](std::int64_t k) { return k == 2 ? 0.5 : 0.25; });
  const auto columns = rnd::choice(x, {2, 5}, {.seed = 15, .axis = 1});
  CHECK(columns.shape() == std::vector<std::int64_t>{3, 2, 5});
}

TEST_CASE("a choice among many keeps every weight") {
  // Ten thousand weights that differ by factors of a million.
  const std::int64_t n = 10'000;
  const auto weights = sn::where(sn::arange(n) % 100 == 0, 1.0, 1e-6);
  const auto x = rnd::choice(n, {many}, {.seed = 16, .p = weights});
  const auto light = static_cast<double>(sn::count_nonzero(x % 100 != 0).item());
  const double p = 9900e-6 / (100 + 9900e-6);
  CHECK(std::abs(light - p * many) <= 5 * std::sqrt(p * many));
}

TEST_CASE("multivariate normal vectors have the mean and the covariance") {
  const sn::array<double> mean = {1.0, -2.0, 5.0};
  const sn::array<double> cov = {{4.0, 1.0, 0.5}, {1.0, 2.0, -0.3}, {0.5, -0.3, 1.0}};
  for (auto method : {rnd::root_method::eigh, rnd::root_method::cholesky}) {
    const auto x =
        rnd::multivariate_normal(mean, cov, {.seed = 17, .shape = many, .method = method});
    const auto got = values(sn::cov(x, {.rowvar = false})), want = values(cov);
    const auto centre = values(sn::mean(x, {.axis = 0})), middle = values(mean);
    for (std::size_t i = 0; i < 9; ++i) CHECK(got[i] == Approx(want[i]).margin(0.08));
    for (std::size_t i = 0; i < 3; ++i) CHECK(centre[i] == Approx(middle[i]).margin(0.04));
  }
  // A singular covariance, and stacks.
  const sn::array<double> flat = {{1.0, 1.0}, {1.0, 1.0}};
  const auto y = rnd::multivariate_normal(sn::zeros({2}), flat, {.seed = 18, .shape = 100});
  CHECK(sn::max(sn::abs(y(sn::_, 0) - y(sn::_, 1))).item() < 1e-7);
  const auto means = rnd::multivariate_normal<float>(sn::zeros<float>({5, 2}), flat, {.seed = 19});
  CHECK(means.shape(0) == 5);
  const sn::array<double> wide = 4 * flat;
  const auto many_cov = rnd::multivariate_normal(sn::zeros({2}), sn::stack({flat, wide}),
                                                 {.seed = 20, .shape = {many, 2}});
  CHECK(sn::var(many_cov(sn::_, 1, 0)).item() == Approx(4).epsilon(0.05));
  CHECK(sn::var(many_cov(sn::_, 0, 1)).item() == Approx(1).epsilon(0.05));
}

}  // namespace discrete_test

// The accuracy of sums and variances, compared with long double.

#include <cmath>
#include <numeric>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace sums_test {

namespace sn = sinter;

namespace {

long double exact_sum(const std::vector<float>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0L);
}

long double exact_variance(const std::vector<float>& x) {
  const long double mean = exact_sum(x) / static_cast<long double>(x.size());
  long double total = 0;
  for (float v : x) total += (v - mean) * (v - mean);
  return total / static_cast<long double>(x.size());
}

constexpr double epsilon = 0x1p-23;

}  // namespace

TEST_CASE("a float sum of millions is as good as pairwise summation") {
  const sn::array<float> x = sn::random::uniform<float>({1 << 22}, {.seed = 3});
  const auto host = x.to_host();
  const long double exact = exact_sum(host);
  // Pairwise: log2(n) / 2 units at worst; sequential addition would lose some hundred thousand.
  CHECK(std::abs(sn::sum(x).item() - exact) <= 11 * epsilon * exact);
  CHECK(std::abs(sn::mean(x).item() - exact / host.size()) <= 12 * epsilon * exact / host.size());
}

TEST_CASE("a sum of equal numbers does not drift") {
  for (std::int64_t n : {1000, 100'000, 10'000'000}) {
    const sn::array<float> x = sn::full<float>({n}, 0.1f);
    const double exact = 0.1f * static_cast<double>(n);
    INFO(n);
    // All roundings go the same way, so long chains of additions would show.
    CHECK(std::abs(sn::sum(x).item() - exact) <= 16 * epsilon * exact);
    const sn::array<float> columns = sn::full<float>({n, 3}, 0.1f);
    const auto worst = sn::max(sn::abs(sn::astype<double>(sn::sum(columns, {.axis = 0})) - exact));
    CHECK(worst.item() <= 16 * epsilon * exact);
  }
}

TEST_CASE("sums along rows and columns are as good as the sum of all") {
  const sn::array<float> x = sn::random::uniform<float>({2000, 3000}, {.seed = 4});
  const sn::array<double> wide = sn::sum(sn::astype<double>(x), {.axis = 0});
  const sn::array<double> tall = sn::sum(sn::astype<double>(x), {.axis = 1});
  const auto error = [](const sn::array<float>& got, const sn::array<double>& exact) {
    return sn::max(sn::abs(got / exact - 1)).item();
  };
  CHECK(error(sn::sum(x, {.axis = 0}), wide) <= 12 * epsilon);
  CHECK(error(sn::sum(x, {.axis = 1}), tall) <= 12 * epsilon);
}

TEST_CASE("the variance of numbers far from 0 does not cancel") {
  for (double offset : {0.0, 1e3, 1e5}) {
    const sn::array<float> x =
        sn::random::normal<float>({1 << 18}, {.seed = 5, .mean = offset, .stddev = 2});
    const long double exact = exact_variance(x.to_host());
    INFO(offset);
    // Only the mean's rounding remains: its square is far below the variance.
    const double lost = offset * epsilon * 20;
    CHECK(std::abs(sn::var(x).item() - exact) <= 20 * epsilon * exact + lost * lost);
    CHECK(std::abs(sn::nanvar(x).item() - exact) <= 20 * epsilon * exact + lost * lost);
  }
}

TEST_CASE("half types are summed in float") {
  const auto x = sn::ones<sn::float16>({1 << 15}) * 0.5f;
  CHECK(static_cast<float>(sn::sum(sn::array<sn::float16>(x)).item()) == 16384);
  CHECK(static_cast<float>(sn::norm(sn::array<sn::float16>(x)).item()) ==
        Approx(90.5).epsilon(1e-3));
}

TEST_CASE("products of bytes are exact, up to the largest sum that a float has") {
  constexpr std::int64_t n = 128, depth = 1024;
  const auto bytes = [](std::uint64_t seed) {
    return sn::astype<std::int8_t>(
        sn::random::integers<int>({n, depth}, {.seed = seed, .low = -128, .high = 128}));
  };
  const sn::array<std::int8_t> x = bytes(1), y = bytes(2);
  const auto lowest = sn::full<std::int8_t>({n, depth}, std::int8_t{-128});
  const auto product = [](const sn::array<std::int8_t>& a, const sn::array<std::int8_t>& b) {
    return sn::array<int>(sn::matmul(sn::astype<int>(a), sn::transpose(sn::astype<int>(b))))
        .to_host();
  };
  const auto a = x.to_host(), b = y.to_host();
  std::vector<int> sums;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      sums.push_back(std::inner_product(a.begin() + i * depth, a.begin() + (i + 1) * depth,
                                        b.begin() + j * depth, 0));
    }
  }
  CHECK(product(x, y) == sums);
  CHECK(product(lowest, lowest) == std::vector<int>(n * n, 1 << 24));
}

}  // namespace sums_test

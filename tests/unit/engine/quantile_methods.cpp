// NumPy 2's results for every method of interpolating a quantile.
#include <vector>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace quantile_methods_test {

namespace sn = sinter;
using doubles = std::vector<double>;

namespace {

/// Quantiles of 1, ..., 4 and of 1, ..., 5 at q = 0, 1/8, ..., 1, where every other one of the four
/// lies between two elements.
struct method_row {
  const char* word;
  doubles four, five;
};

const std::vector<method_row> rows = {
    {"inverted_cdf", {1, 1, 1, 2, 2, 3, 3, 4, 4}, {1, 1, 2, 2, 3, 4, 4, 5, 5}},
    {"averaged_inverted_cdf", {1, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4}, {1, 1, 2, 2, 3, 4, 4, 5, 5}},
    {"closest_observation", {1, 1, 1, 2, 2, 2, 3, 4, 4}, {1, 1, 1, 2, 2, 3, 4, 4, 5}},
    {"interpolated_inverted_cdf",
     {1, 1, 1, 1.5, 2, 2.5, 3, 3.5, 4},
     {1, 1, 1.25, 1.875, 2.5, 3.125, 3.75, 4.375, 5}},
    {"hazen", {1, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4}, {1, 1.125, 1.75, 2.375, 3, 3.625, 4.25, 4.875, 5}},
    {"weibull", {1, 1, 1.25, 1.875, 2.5, 3.125, 3.75, 4, 4}, {1, 1, 1.5, 2.25, 3, 3.75, 4.5, 5, 5}},
    {"linear",
     {1, 1.375, 1.75, 2.125, 2.5, 2.875, 3.25, 3.625, 4},
     {1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5}},
    {"median_unbiased",
     {1, 1, 1.416667, 1.958333, 2.5, 3.041667, 3.583333, 4, 4},
     {1, 1, 1.666667, 2.333333, 3, 3.666667, 4.333333, 5, 5}},
    {"normal_unbiased",
     {1, 1, 1.4375, 1.96875, 2.5, 3.03125, 3.5625, 4, 4},
     {1, 1.03125, 1.6875, 2.34375, 3, 3.65625, 4.3125, 4.96875, 5}},
    {"lower", {1, 1, 1, 2, 2, 2, 3, 3, 4}, {1, 1, 2, 2, 3, 3, 4, 4, 5}},
    {"higher", {1, 2, 2, 3, 3, 3, 4, 4, 4}, {1, 2, 2, 3, 3, 4, 4, 5, 5}},
    {"midpoint", {1, 1.5, 1.5, 2.5, 2.5, 2.5, 3.5, 3.5, 4}, {1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5}},
    {"nearest", {1, 1, 2, 2, 3, 3, 3, 4, 4}, {1, 1, 2, 3, 3, 3, 4, 5, 5}},
};

sn::array<double> counted(int n) {
  return sn::arange<double>(1, n + 1);
}

}  // namespace

TEST_CASE("the methods of quantiles are NumPy's, by their words and by their numbers") {
  const sn::array<double> q = sn::arange<double>(9) / 8;
  int number = 0;
  for (const method_row& row : rows) {
    CAPTURE(row.word);
    const auto method = static_cast<sn::quantile_method>(number++);
    CHECK(sn::allclose(sn::quantile(counted(4), q, {.method = row.word}), sn::asarray(row.four)));
    CHECK(sn::allclose(sn::quantile(counted(5), q, {.method = row.word}), sn::asarray(row.five)));
    CHECK(sn::array_equal(sn::quantile(counted(5), q, {.method = row.word}),
                          sn::percentile(counted(5), q * 100, {.method = method})));
  }
}

TEST_CASE("of two elements that are as close the one whose number is even is observed") {
  const std::vector<double> halves{1, 1, 1, 2, 2, 2, 3, 4, 4, 4, 5, 6, 6, 6, 7, 8, 8};
  for (const int n : {1, 2, 4, 8}) {
    CAPTURE(n);
    const sn::array<double> q = sn::arange<double>(2 * n + 1) / (2 * n);
    const doubles all = sn::quantile(counted(n), q, {.method = "closest_observation"}).to_host();
    CHECK(all == doubles(halves.begin(), halves.begin() + 2 * n + 1));
  }
  const sn::quantile_options closest{.method = sn::quantile_method::closest_observation};
  CHECK(sn::quantile(counted(101), 0.5, closest).item() == 50);
  CHECK(sn::quantile(counted(103), 0.5, closest).item() == 52);
  CHECK(sn::percentile(counted(101), 50, closest).item() == 50);
  CHECK(sn::nanquantile(counted(101), 0.5, closest).item() == 50);
}

}  // namespace quantile_methods_test

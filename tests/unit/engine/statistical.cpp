// Weights, bins by rules, sets of slices: the typed forms, the guarantees about their bits, and
// errors.

#include <cmath>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/unit/engine/refusal.hpp"

namespace statistical_test {

namespace sn = sinter;
using namespace sinter::test;

namespace {

using integers = std::vector<std::int64_t>;
constexpr float none = std::numeric_limits<float>::quiet_NaN();

integers extents(const sn::any_array& x) {
  return x.shape();
}

}  // namespace

TEST_CASE("weights have typed forms") {
  const sn::array<int> x{0, 2, 2, 5};
  const sn::array<float> w{1, 2, 3, 4};
  CHECK(sn::bincount(x, w).to_host() == std::vector<double>{1, 0, 5, 0, 0, 4});
  CHECK(extents(sn::bincount(x, w, {.minlength = 7})) == integers{7});
  const auto [hist, edges] = sn::histogram(x, {.bins = 2}, w);
  CHECK(hist.to_host() == std::vector<float>{6, 4});
  CHECK(edges.to_host() == std::vector<double>{0, 2.5, 5});
  CHECK(sn::histogram(x, sn::array<int>{0, 2, 3}, x).hist.to_host() == std::vector<int>{0, 4});
  CHECK(sn::histogram_density(x, {.bins = 2}, w).hist.to_host() == std::vector<double>{0.24, 0.16});
  CHECK(sn::histogram_density(x, sn::array<int>{0, 2, 4}, w).hist.to_host()[0] ==
        Approx(1 / 6.0 / 2));
}

TEST_CASE("sums of weights hardly depend on the order of what is summed") {
  const auto x = sn::random::integers<int>({20000}, {.seed = 1, .low = 0, .high = 50});
  const auto w = sn::exp(8 * sn::random::normal<double>({20000}, {.seed = 2})).to_array();
  const auto order = sn::argsort(sn::random::uniform<float>({20000}, {.seed = 3}));
  const auto alike = [](const sn::array<double>& one, const sn::array<double>& other) {
    return sn::allclose(one, other, {.rtol = 1e-13, .atol = 0}).item();
  };
  CHECK(alike(sn::bincount(x, w), sn::bincount(sn::take(x, order), sn::take(w, order))));
  CHECK(sn::all(sn::bincount(x, w) == sn::bincount(x, w)).item());
  const auto bins = [&](const auto& at, const auto& by) {
    return sn::histogram(at, {.bins = 9, .range = {{3, 40}}}, by).hist;
  };
  CHECK(alike(bins(x, w), bins(sn::take(x, order), sn::take(w, order))));
}

TEST_CASE("bins by rule have typed forms") {
  const sn::array<double> x{1, 2, 2, 3, 3, 3, 4, 9};
  CHECK(extents(sn::histogram(x, {.bins = sn::bin_rule::sturges}).hist) == integers{4});
  CHECK(extents(sn::histogram_bin_edges(x, {.bins = sn::bin_rule::automatic})) == integers{7});
  CHECK(extents(sn::histogram_density(x, {.bins = sn::bin_rule::sqrt, .range = {{1, 4}}}).hist) ==
        integers{3});
}

TEST_CASE("histograms of points have typed forms") {
  const sn::array<float> x{0, 1, 1, 3}, y{0, 0, 2, 2};
  const auto [hist, xs, ys] = sn::histogram2d(x, y, {.bins = {3, 2}});
  CHECK(extents(hist) == integers{3, 2});
  CHECK(hist.to_host() == std::vector<double>{1, 0, 1, 1, 0, 1});
  CHECK(xs.to_host() == std::vector<double>{0, 1, 2, 3});
  CHECK(ys.to_host() == std::vector<double>{0, 1, 2});
  const auto heavy = sn::histogram2d(x, y, {.bins = 1, .weights = x});
  CHECK(heavy.hist.item() == 5);
  const auto flat = sn::histogram2d(x, y, {.bins = 2, .range = {{0, 4}, {0, 4}}, .density = true});
  CHECK(sn::sum(flat.hist).item() * 4 == 1);
  const auto [cube, edges] = sn::histogramdd(sn::zeros<float>({5, 3}), {.bins = {1, 2, 3}});
  CHECK(extents(cube) == integers{1, 2, 3});
  CHECK(sn::sum(cube).item() == 5);
  CHECK(edges.size() == 3);
}

TEST_CASE("sets of slices have typed forms") {
  const auto x = sn::reshape(sn::array<int>{1, 2, 0, 5, 1, 2, 0, 4}, {4, 2});
  CHECK(sn::unique(x, {.axis = 0}).to_host() == std::vector<int>{0, 4, 0, 5, 1, 2});
  const auto [values, first, at, counts] = sn::unique_all(x, {.axis = 0});
  CHECK(first.to_host() == integers{3, 1, 0});
  CHECK(at.to_host() == integers{2, 1, 2, 0});
  CHECK(counts.to_host() == integers{1, 1, 2});
  const auto missing = sn::reshape(sn::array<float>{none, 1, none, 1}, {2, 2});
  CHECK(extents(sn::unique(missing, {.axis = 0})) == integers{1, 2});
  CHECK(extents(sn::unique(missing, {.equal_nan = false, .axis = 0})) == integers{2, 2});
  const auto zeros = sn::reshape(sn::array<float>{0.0f, -0.0f}, {2, 1});
  CHECK(extents(sn::unique(zeros, {.axis = 0})) == integers{1, 1});
  const auto [common, in_a, in_b] =
      sn::intersect1d_indices(sn::array<int>{5, 3, 3, 8}, sn::array<std::int64_t>{8, 1, 3});
  CHECK(common.to_host() == integers{3, 8});
  CHECK(in_a.to_host() == integers{1, 3});
  CHECK(in_b.to_host() == integers{2, 0});
  CHECK(sn::isin(sn::array<int>{1, 2}, {2}, {.invert = true, .assume_unique = true}).to_host() ==
        std::vector<bool>{true, false});
}

TEST_CASE("averages and covariances take weights") {
  const auto x = sn::reshape(sn::arange<double>(6), {2, 3});
  const auto [mean, weight] =
      sn::average_returned(x, sn::array<double>{1, 0, 3}, {.axis = 1, .keepdims = true});
  CHECK(mean.to_host() == std::vector<double>{1.5, 4.5});
  CHECK(weight.to_host() == std::vector<double>{4, 4});
  CHECK(sn::average(x, sn::ones<double>({3, 2}), {.axis = {1, 0}}).item() == 2.5);
  const sn::array<int> twice{2, 2, 2};
  CHECK(sn::cov(x, {.bias = true, .fweights = twice}).to_host() ==
        sn::cov(x, {.correction = 0}).to_host());
  CHECK(extents(sn::cov(x(0), x(1))) == integers{2, 2});
  CHECK(sn::corrcoef(x(0), x(1))(0, 1).item() == Approx(1));
}

TEST_CASE("elements are repeated as often as counts say") {
  const auto x = sn::reshape(sn::arange<int>(6), {2, 3});
  CHECK(sn::repeat(x, sn::array<int>{2, 0, 1}, {.axis = 1}).to_host() ==
        std::vector<int>{0, 0, 2, 3, 3, 5});
  CHECK(sn::repeat(x(0), sn::array<int>{2}).to_host() == std::vector<int>{0, 0, 1, 1, 2, 2});
  const auto parts = sn::array_split(x, {1}, 1);
  CHECK(extents(parts[0]) == integers{2, 1});
  CHECK(sn::hsplit(x, {1, 2}).size() == 3);
  CHECK(sn::vsplit(x, {1}).size() == 2);
  CHECK(sn::split(x, integers{1, 2}, 1).size() == 3);
  const std::vector<sn::array<int>> rows{x(0), x(1)};
  CHECK(extents(sn::vstack(rows)) == integers{2, 3});
  CHECK(extents(sn::hstack(rows)) == integers{6});
  CHECK(extents(sn::dstack(rows)) == integers{1, 3, 2});
  CHECK(extents(sn::column_stack(rows)) == integers{3, 2});
  CHECK(sn::pad(x(0), 1, {.constant_values = {{7, 9}}}).to_host() ==
        std::vector<int>{7, 0, 1, 2, 9});
}

TEST_CASE("false and true are counted as 0 and 1") {
  const sn::array<bool> mask{true, false, true};
  const sn::array<double> mass{1, 0.5, 2};
  CHECK(sn::bincount(mask).to_host() == integers{1, 2});
  CHECK(sn::bincount(mask, {.minlength = 4}).to_host() == integers{1, 2, 0, 0});
  CHECK(sn::bincount(mask, mass).to_host() == std::vector<double>{0.5, 3});
  CHECK(sn::bincount(mask, mass, {.minlength = 3}).to_host() == std::vector<double>{0.5, 3, 0});
  CHECK(sn::bincount(mass > 3).to_host() == integers{3});
  CHECK(sn::bincount(static_cast<const sn::any_array&>(mask)).size() == 2);
}

TEST_CASE("weights, slices and counts that do not fit are refused") {
  const sn::array<float> x{1, 2, 3};
  const sn::array<float> two{1, 2};
  const sn::array<int> i{1, 2, 3};
  CHECK(shape_refusal([&] { sn::histogram(x, {.bins = 2}, two); }) ==
        "[histogram] weights of shape (2,) for shape (3,)");
  CHECK(value_refusal([&] { sn::histogram(x, {.bins = sn::bin_rule::fd}, x); }) ==
        "[histogram] a rule for the bins does not know of weights: give their number");
  CHECK(value_refusal([&] {
          sn::histogram(sn::array<float>{1, none}, {.bins = sn::bin_rule::rice});
        }) == "[histogram] the least and the greatest element are not finite: give a range");
  CHECK(shape_refusal([&] { sn::bincount(i, two); }) ==
        "[bincount] weights of shape (2,) for shape (3,)");
  CHECK(shape_refusal([&] { sn::histogram2d(x, two); }) ==
        "[histogram2d] coordinates of shapes (3,) and (2,): vectors of one length are wanted");
  CHECK(shape_refusal([&] { sn::histogram2d(x, x, {.weights = two}); }) ==
        "[histogram2d] weights of shape (2,) for 3 points");
  CHECK(value_refusal([&] {
          sn::histogram2d(x, x, {.bins = {1, 2, 3}});
        }) == "[histogram2d] 3 numbers of bins for 2 axes");
  CHECK(value_refusal([&] { sn::histogram2d(x, x, {.edges = {two}}); }) ==
        "[histogram2d] 1 arrays of edges for 2 axes");
  CHECK(value_refusal([&] {
          sn::histogramdd(x, {.range = {{0, 1}, {0, 1}}});
        }) == "[histogramdd] 2 ranges for 1 axes");
  CHECK(shape_refusal([&] {
          sn::histogramdd(sn::zeros<float>({2, 2, 2}));
        }) == "[histogramdd] points of shape (2, 2, 2): (n, d) is wanted");
  CHECK(value_refusal([&] {
          sn::histogram2d(x, x, {.edges = {two, sn::array<float>{2, 1}}}).hist.to_host();
        }) == "[histogram2d] the edges do not rise");
  CHECK(axis_refusal([&] { sn::unique(x, {.axis = 1}); }) ==
        "[unique] axis 1 is out of range for 1 dimension");
}

TEST_CASE("weights of covariances, and counts, that do not fit are refused") {
  const sn::array<float> x{1, 2, 3}, two{1, 2};
  CHECK(dtype_refusal([&] { sn::cov(x, {.fweights = x}); }) ==
        "[cov] float32 fweights: they count, so they are integers");
  CHECK(shape_refusal([&] { sn::cov(x, {.aweights = two}); }) ==
        "[cov] aweights of shape (2,) for 3 observations");
  CHECK(value_refusal([&] { sn::cov(x, {.aweights = sn::array<float>(-x)}).to_host(); }) ==
        "[cov] a weight is negative");
  CHECK(shape_refusal([&] { sn::corrcoef(x, two); }) ==
        "[corrcoef] shapes (3,) and (2,) have different numbers of observations");
  CHECK(value_refusal([&] {
          sn::repeat(x, sn::array<int>{1, -1, 0});
        }) == "[repeat] a negative count of repeats");
  CHECK(shape_refusal([&] {
          sn::repeat(x, sn::array<int>{1, 2});
        }) == "[repeat] counts of shape (2,) for 3 elements");
  CHECK(dtype_refusal([&] { sn::repeat(x, two); }) == "[repeat] float32 counts are no integers");
  CHECK(value_refusal([&] {
          sn::pad(x, 1, {.constant_values = {{1, 1}, {2, 2}}});
        }) == "[pad] 2 constants for an array of shape (3,)");
  CHECK(value_refusal([&] { sn::pad(sn::array<unsigned>{1}, 1, {.constant_values = -1}); }) ==
        "[pad] -1 is not a value of uint32");
  CHECK(dtype_refusal([&] { sn::pad(x, 1, {.constant_values = std::complex<float>(1, 2)}); }) ==
        "[pad] a complex number among float32: give its real part, or make the array complex");
}

TEST_CASE("equal slices with complex NaNs are one, however their parts differ") {
  using number = std::complex<double>;
  const double nan = std::nan("");
  const sn::array<number> rows(
      {{number(nan, 1), number(5)}, {number(nan, 2), number(4)}, {number(nan, 3), number(5)}});
  CHECK(sn::unique(rows, {.axis = 0}).shape(0) == 2);
  CHECK(sn::unique(rows, {.equal_nan = false, .axis = 0}).shape(0) == 3);
}

}  // namespace statistical_test

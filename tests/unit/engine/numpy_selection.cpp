// NumPy's results for quantiles of long rows and of weighted elements (tests/numpy/selection.py),
// and errors.

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/numpy_compare.hpp"
#include "tests/unit/engine/traced.hpp"

namespace numpy_selection_test {

namespace sn = sinter;
using namespace sinter::test;
using traced_tests::text_of;
using doubles = sn::array<double>;

namespace {

arrays quantiles_of(const sn::any_array& x, const sn::any_array& q, const sn::any_array& weights,
                    const oracle_line& l) {
  sn::quantile_options o;
  if (l.options.count("axis")) o.axis = axes_of(l);
  o.weights = weights;
  if (weights.valid()) o.method = sn::quantile_method::inverted_cdf;
  return {sn::detail::quantiles(x, q, o, 1, l.fields[0] == "nanquantile", l.fields[0], {})};
}

arrays selected(const arrays& x, const oracle_line& l) { return quantiles_of(x[0], x[1], {}, l); }
arrays weighted(const arrays& x, const oracle_line& l) {
  return quantiles_of(x[0], x[2], x[1], l);
}

sn::quantile_options by(const sn::any_array& weights) {
  return {.method = sn::quantile_method::inverted_cdf, .weights = weights};
}

}  // namespace

TEST_CASE("quantiles of long rows are NumPy's") {
  compare_calls("selection.py", "selected", false, 450,
                {{"quantile", selected},
                 {"nanquantile", selected},
                 {"nanmedian", [](auto& x, auto& l) -> arrays {
                    return {sn::nanmedian(x[0], {.axis = axes_of(l)})};
                  }}});
}

TEST_CASE("quantiles of weighted elements are NumPy's") {
  compare_calls("selection.py", "weighted", false, 300,
                {{"quantile", weighted}, {"nanquantile", weighted}});
}

TEST_CASE("weighted quantiles have typed forms") {
  const sn::array<float> x{4, 1, 3, 2}, w{0, 1, 3, 0};
  CHECK(sn::quantile(x, 0.25, by(w)).item() == 1);
  CHECK(sn::quantile(x, {0.2, 0.5}, by(w)).to_host() == std::vector<float>{1, 3});
  CHECK(sn::percentile(x, 30, by(w)).item() == 3);
  CHECK(sn::nanpercentile(x, 0, by(w)).item() == 1);
  const doubles rows{{1, 2, 3}, {6, 5, 4}};
  auto options = by(sn::array<int>{1, 0, 5});
  options.axis = {1};
  options.keepdims = true;
  const doubles kept = sn::quantile(rows, 0.5, options);
  CHECK(std::ranges::equal(kept.shape(), std::vector<std::int64_t>{2, 1}));
  CHECK(kept.to_host() == std::vector<double>{3, 4});
  // Fused with its neighbours, and the same for every slice of a vmap.
  const doubles of_slices = sn::vmap([](auto r) { return sn::quantile(r * 2.0, 0.5); })(rows);
  CHECK(of_slices.to_host() == std::vector<double>{4, 10});
}

TEST_CASE("weights that are none are refused") {
  const doubles x{1, 2, 3};
  const auto told = [&](const sn::any_array& w) {
    return text_of<sn::value_error>([&] { sn::quantile(x, 0.5, by(w)).item(); });
  };
  const std::string wrong = "[quantile] weights are negative, not finite, or all zero in a row";
  CHECK(told(doubles{1, -1, 3}) == wrong);
  CHECK(told(doubles{0, 0, 0}) == wrong);
  CHECK(told(doubles{1, INFINITY, 3}) == wrong);
  CHECK(told(doubles{1, NAN, 3}) == wrong);
  CHECK(text_of<sn::value_error>([&] { sn::quantile(x, 0.5, {.weights = x}); }) ==
        "[quantile] with weights there is one method: quantile_method::inverted_cdf");
  CHECK(text_of<sn::shape_error>([&] { sn::quantile(x, 0.5, by(doubles{1, 2})); })
            .starts_with("[quantile] weights of shape (2,) for shape (3,)"));
  const sn::array<std::complex<float>> z{std::complex<float>(1, 0)};
  CHECK(text_of<sn::dtype_error>([&] { sn::quantile(x, 0.5, by(z)); }) ==
        "[quantile] complex64 weights have no order");
  // A row of nothing but NaN has no weights, and needs none.
  const doubles none{NAN, NAN, NAN};
  CHECK(std::isnan(sn::nanquantile(none, 0.5, by(x)).item()));
}

TEST_CASE("selections in a graph: the same with and without fusion, of views and of what is made") {
  const doubles x = sn::random::normal<double>({40, 6000}, {.seed = 3});
  const doubles y = x.T();
  const auto all = [&] {
    const doubles q = sn::quantile(sn::exp(y) * 2.0, {0.1, 0.77}, {.axis = {0}}) + 1.0;
    return q.to_host();
  };
  const auto fused = all();
  sn::fusion(false);
  const auto unfused = all();
  sn::fusion(true);
  CHECK(fused == unfused);
  const doubles sorted = sn::sort(sn::exp(y) * 2.0, {.axis = 0});
  const double low = doubles(sorted(599, 7)).item(), high = doubles(sorted(600, 7)).item();
  const double weight = 5999 * 0.1 - 599;
  CHECK(fused[7] == Approx(low + (high - low) * weight + 1.0).epsilon(1e-14));
}

}  // namespace numpy_selection_test

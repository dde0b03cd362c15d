// NumPy's results for weighted statistics, bins by rules, sets of slices and similar, as written by
// tests/numpy/statistical.py: one row per function.

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/numpy_compare.hpp"

namespace numpy_statistical_test {

namespace sn = sinter;
using namespace sinter::test;

namespace {

using line = oracle_line;
using table = sinter::test::oracle_table;

bool flag(const line& l, const std::string& key) {
  return l.number(key, 0) != 0;
}
template <class Pair> arrays both(const Pair& p) {
  return {p.first, p.second};
}

sn::bin_options bins(const line& l) {
  sn::bin_options o{l.number("bins", 10)};
  if (l.options.count("rule")) o.bins = static_cast<sn::bin_rule>(l.number("rule", 0));
  if (l.options.count("low")) o.range = {std::stod(l.text("low")), std::stod(l.text("high"))};
  return o;
}

const table histograms = {
    {"histogram:weights",
     [](auto& x, auto& l) {
       return both(sn::detail::histogram(x[0], bins(l), x[1], false, "histogram", {}));
     }},
    {"histogram:weights_at",
     [](auto& x, auto&) {
       return both(sn::detail::histogram(x[0], x[2], x[1], false, "histogram", {}));
     }},
    {"histogram_density:weights",
     [](auto& x, auto& l) {
       return both(sn::detail::histogram(x[0], bins(l), x[1], true, "histogram", {}));
     }},
};

const table rules = {
    {"histogram_bin_edges",
     [](auto& x, auto& l) -> arrays { return {sn::histogram_bin_edges(x[0], bins(l))}; }},
    {"histogram:rule",
     [](auto& x, auto& l) {
       return both(sn::detail::histogram(x[0], bins(l), {}, false, "histogram", {}));
     }},
};

sn::histogramdd_options grid(const line& l) {
  sn::histogramdd_options o{.bins = integers_of(l.text("bins")), .density = flag(l, "density")};
  if (!l.options.count("low")) return o;
  const auto low = integers_of(l.text("low")), high = integers_of(l.text("high"));
  for (std::size_t d = 0; d < low.size(); ++d) {
    o.range.emplace_back(static_cast<double>(low[d]), static_cast<double>(high[d]));
  }
  return o;
}
arrays points(const arrays& x, sn::histogramdd_options o) {
  return sn::detail::histogram_of_points(x, o, "histogram2d", {});
}

const table grids = {
    {"histogram2d",
     [](auto& x, auto& l) {
       auto o = grid(l);
       if (x.size() == 3) o.weights = x[2];
       return points({x[0], x[1]}, o);
     }},
    {"histogram2d:at",
     [](auto& x, auto&) {
       return points({x[0], x[1]}, {.edges = {x[2], x[3]}});
     }},
    {"histogramdd",
     [](auto& x, auto& l) {
       auto o = grid(l);
       if (x.size() == 2) o.weights = x[1];
       const auto r = sn::histogramdd(x[0], o);
       arrays all{r.hist};
       all.insert(all.end(), r.edges.begin(), r.edges.end());
       return all;
     }},
};

const table counts = {
    {"bincount",
     [](auto& x, auto& l) -> arrays {
       return {sn::bincount(x[0], x[1], {l.number("minlength", 0)})};
     }},
};

const table slices = {
    {"unique_all:axis",
     [](auto& x, auto& l) -> arrays {
       const auto r = sn::detail::unique(x[0], {.axis = l.number("axis", 0)}, {true, true, true},
                                         "unique_all", {});
       return {r.values, r.indices, r.inverse_indices, r.counts};
     }},
    {"intersect1d_indices",
     [](auto& x, auto& l) { return sn::intersect1d_indices(x[0], x[1], {flag(l, "unique")}); }},
};

sn::covariance_options covariance(const line& l) {
  sn::covariance_options o{.rowvar = !flag(l, "columns"), .bias = flag(l, "bias")};
  if (l.options.count("correction")) o.correction = l.number("correction", 0);
  return o;
}
arrays weighted_cov(const arrays& x, const line& l, std::size_t f, std::size_t a) {
  auto o = covariance(l);
  if (f) o.fweights = x[f];
  if (a) o.aweights = x[a];
  return {sn::cov(x[0], o)};
}

const table covariances = {
    {"cov", [](auto& x, auto& l) { return weighted_cov(x, l, 0, 0); }},
    {"cov:f", [](auto& x, auto& l) { return weighted_cov(x, l, 1, 0); }},
    {"cov:a", [](auto& x, auto& l) { return weighted_cov(x, l, 0, 1); }},
    {"cov:fa", [](auto& x, auto& l) { return weighted_cov(x, l, 1, 2); }},
    {"cov:of", [](auto& x, auto& l) -> arrays { return {sn::cov(x[0], x[1], covariance(l))}; }},
    {"corrcoef:of", [](auto& x, auto&) -> arrays { return {sn::corrcoef(x[0], x[1])}; }},
};

const table averages = {
    {"average_returned",
     [](auto& x, auto& l) {
       return both(sn::average_returned(x[0], x[1], {axes_of(l), flag(l, "keepdims")}));
     }},
};

const table shapes = {
    {"repeat",
     [](auto& x, auto& l) -> arrays {
       sn::repeat_options o;
       if (l.options.count("axis")) o.axis = l.number("axis", 0);
       return {sn::repeat(x[0], x[1], o)};
     }},
    {"pad",
     [](auto& x, auto& l) -> arrays {
       const auto w = integers_of(l.text("width")), v = integers_of(l.text("values"));
       std::vector<sn::pad_width> widths;
       std::vector<std::pair<sn::any_number, sn::any_number>> values;
       for (std::size_t i = 0; i < w.size(); i += 2) {
         widths.push_back({w[i], w[i + 1]});
         values.emplace_back(v[i], v[i + 1]);
       }
       return {sn::detail::pad(x[0], widths, {.constant_values = values})};
     }},
    {"pad:exact",
     [](auto& x, auto&) -> arrays {
       using number = std::complex<double>;
       constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;
       constexpr std::uint64_t last = ~std::uint64_t{0};
       switch (x[0].dtype()) {
         case sn::dtype::int64:
           return {sn::pad(sn::array<std::int64_t>(x[0]), 2, {.constant_values = odd}),
                   sn::pad(sn::array<std::int64_t>(x[0]), 2, {.constant_values = {{-odd, odd}}})};
         case sn::dtype::uint64:
           return {sn::pad(sn::array<std::uint64_t>(x[0]), 2, {.constant_values = last}),
                   sn::pad(sn::array<std::uint64_t>(x[0]), 2, {.constant_values = {{last, odd}}})};
         case sn::dtype::int16:
           return {sn::pad(sn::array<std::int16_t>(x[0]), 2, {.constant_values = -2.75}),
                   sn::pad(sn::array<std::int16_t>(x[0]), 2, {.constant_values = {{true, 7.5f}}})};
         case sn::dtype::float32:
           return {sn::pad(sn::array<float>(x[0]), 2, {.constant_values = -0.0}),
                   sn::pad(sn::array<float>(x[0]), 2, {.constant_values = {{odd, 1e300}}})};
         default:
           return {sn::pad(sn::array<number>(x[0]), 2, {.constant_values = number(1, -2)}),
                   sn::pad(sn::array<number>(x[0]), 2, {.constant_values = {{number(0, 3), 4}}})};
       }
     }},
    {"meshgrid",
     [](auto& x, auto& l) {
       using order = sn::grid_options::order;
       return sn::meshgrid(x, {l.text("order") == "ij" ? order::ij : order::xy, true});
     }},
};

}  // namespace

TEST_CASE("histograms of weights are NumPy's") {
  compare_calls("statistical.py", "histograms", false, 200, histograms);
}
TEST_CASE("bins by rule are NumPy's") {
  compare_calls("statistical.py", "rules", false, 200, rules);
}
TEST_CASE("histograms of points are NumPy's") {
  compare_calls("statistical.py", "grids", false, 60, grids);
}
TEST_CASE("counts of weights are NumPy's") {
  compare_calls("statistical.py", "counts", false, 100, counts);
}
TEST_CASE("sets of slices, and where common elements are, are NumPy's") {
  compare_calls("statistical.py", "slices", true, 150, slices);
}
TEST_CASE("covariances with weights are NumPy's") {
  compare_calls("statistical.py", "covariances", false, 150, covariances);
}
TEST_CASE("averages with their weights are NumPy's") {
  compare_calls("statistical.py", "averages", false, 24, averages);
}
TEST_CASE("repeats, pads and thin grids are NumPy's") {
  compare_calls("statistical.py", "shapes", true, 150, shapes);
}

}  // namespace numpy_statistical_test

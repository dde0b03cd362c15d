// NumPy's results for sorting and searching, as written by tests/numpy/sorting.py: one row per
// function.

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/numpy_compare.hpp"

namespace numpy_sorting_test {

namespace sn = sinter;
using namespace sinter::test;
using sn::any_array;

namespace {

using line = oracle_line;
using table = sinter::test::oracle_table;

std::optional<std::int64_t> axis_of(const line& l) {
  if (!l.options.count("axis")) return std::nullopt;
  return l.number("axis", 0);
}

const table orders = {
    {"sort", [](auto& x, auto& l) -> arrays { return {sn::sort(x[0], {.axis = axis_of(l)})}; }},
    {"sort:descending",
     [](auto& x, auto& l) -> arrays {
       return {sn::sort(x[0], {.axis = axis_of(l), .descending = true})};
     }},
    {"argsort",
     [](auto& x, auto& l) -> arrays { return {sn::argsort(x[0], {.axis = axis_of(l)})}; }},
    {"partition",
     [](auto& x, auto& l) -> arrays {
       return {sn::partition(x[0], integers_of(l.text("kth")), {.axis = axis_of(l)})};
     }},
};

const table lexical = {
    {"lexsort", [](auto& x, auto& l) -> arrays { return {sn::lexsort(x, l.number("axis", -1))}; }},
    {"lexsort:rows",
     [](auto& x, auto& l) -> arrays {
       return {sn::detail::lexsort_rows(x[0], l.number("axis", -1), {})};
     }},
};

sn::search_options side(const line& l) {
  return {l.text("side") == "right" ? sn::search_side::right : sn::search_side::left};
}

const table searches = {
    {"searchsorted",
     [](auto& x, auto& l) -> arrays { return {sn::searchsorted(x[0], x[1], side(l))}; }},
    {"searchsorted:sorter",
     [](auto& x, auto&) -> arrays { return {sn::searchsorted(x[0], x[1], {.sorter = x[2]})}; }},
    {"isin",
     [](auto& x, auto& l) -> arrays {
       return {sn::isin(x[0], x[1], {.invert = l.number("invert", 0) != 0})};
     }},
    {"digitize",
     [](auto& x, auto& l) -> arrays {
       return {sn::digitize(x[0], x[1], {.right = l.number("right", 0) != 0})};
     }},
};

sn::set_options assumed(const line& l) {
  return {l.number("unique", 0) != 0};
}

const table sets = {
    {"unique", [](auto& x, auto&) -> arrays { return {sn::unique(x[0])}; }},
    {"unique_all",
     [](auto& x, auto& l) -> arrays {
       const auto r = sn::detail::unique(x[0], {l.number("equal_nan", 1) != 0}, {true, true, true},
                                         "unique_all", {});
       return {r.values, r.indices, r.inverse_indices, r.counts};
     }},
    {"unique_values",
     [](auto& x, auto&) {
       return typed(x[0], [](const auto& a) -> arrays { return {sn::unique_values(a)}; });
     }},
    {"unique_counts",
     [](auto& x, auto&) {
       return typed(x[0], [](const auto& a) -> arrays {
         const auto r = sn::unique_counts(a);
         return {r.values, r.counts};
       });
     }},
    {"unique_inverse",
     [](auto& x, auto&) {
       return typed(x[0], [](const auto& a) -> arrays {
         const auto r = sn::unique_inverse(a);
         return {r.values, r.inverse_indices};
       });
     }},
    {"union1d", [](auto& x, auto&) -> arrays { return {sn::union1d(x[0], x[1])}; }},
    {"intersect1d",
     [](auto& x, auto& l) -> arrays { return {sn::intersect1d(x[0], x[1], assumed(l))}; }},
    {"setdiff1d",
     [](auto& x, auto& l) -> arrays { return {sn::setdiff1d(x[0], x[1], assumed(l))}; }},
    {"setxor1d", [](auto& x, auto& l) -> arrays { return {sn::setxor1d(x[0], x[1], assumed(l))}; }},
};

sn::reduction_options reduction(const line& l) {
  return {.axis = l.text("axis") == "None" ? sn::axis_list() : axes_of(l),
          .keepdims = l.number("keepdims", 0) != 0};
}
arrays quantile_of(const arrays& x, const line& l, double scale, bool skip_nan) {
  const auto r = reduction(l);
  const auto method = static_cast<sn::quantile_method>(
      l.number("method", static_cast<int>(sn::quantile_method::linear)));
  return {sn::detail::quantiles(x[0], x[1], {r.axis, method, r.keepdims}, scale, skip_nan,
                                l.fields[0], {})};
}

const table quantiles = {
    {"median", [](auto& x, auto& l) -> arrays { return {sn::median(x[0], reduction(l))}; }},
    {"nanmedian", [](auto& x, auto& l) -> arrays { return {sn::nanmedian(x[0], reduction(l))}; }},
    {"quantile", [](auto& x, auto& l) { return quantile_of(x, l, 1, false); }},
    {"nanquantile", [](auto& x, auto& l) { return quantile_of(x, l, 1, true); }},
    {"percentile", [](auto& x, auto& l) { return quantile_of(x, l, 100, false); }},
    {"nanpercentile", [](auto& x, auto& l) { return quantile_of(x, l, 100, true); }},
};

sn::bin_options bins(const line& l) {
  sn::bin_options o{l.number("bins", 10), {}};
  if (l.options.count("low")) o.range = {std::stod(l.text("low")), std::stod(l.text("high"))};
  return o;
}
template <class Pair> arrays both(const Pair& p) {
  return {p.first, p.second};
}

const table counts = {
    {"histogram",
     [](auto& x, auto& l) {
       return both(sn::detail::histogram(x[0], bins(l), {}, false, "histogram", {}));
     }},
    {"histogram_density",
     [](auto& x, auto& l) {
       return both(sn::detail::histogram(x[0], bins(l), {}, true, "histogram_density", {}));
     }},
    {"histogram:at",
     [](auto& x, auto&) {
       return both(sn::detail::histogram(x[0], x[1], {}, false, "histogram", {}));
     }},
    {"bincount",
     [](auto& x, auto& l) -> arrays { return {sn::bincount(x[0], {l.number("minlength", 0)})}; }},
};

}  // namespace

TEST_CASE("sorted arrays are NumPy's") {
  compare_calls("sorting.py", "orders", true, 500, orders);
}
TEST_CASE("orders by several keys are NumPy's") {
  compare_calls("sorting.py", "lexical", true, 30, lexical);
}
TEST_CASE("searches are NumPy's") {
  compare_calls("sorting.py", "searches", true, 300, searches);
}
TEST_CASE("sets are NumPy's") {
  compare_calls("sorting.py", "sets", true, 300, sets);
}
TEST_CASE("quantiles are NumPy's") {
  compare_calls("sorting.py", "quantiles", false, 900, quantiles);
}
TEST_CASE("counts are NumPy's") {
  compare_calls("sorting.py", "counts", false, 100, counts);
}

}  // namespace numpy_sorting_test

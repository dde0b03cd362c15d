// NumPy's results for views, indices, reductions and products, as written by tests/numpy/cases.py.

#include <optional>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/numpy_compare.hpp"

namespace numpy_calls_test {

namespace sn = sinter;
using namespace sinter::test;
using sn::any_array;

namespace {

any_array turned(const any_array& x) {
  return indexed(sn::transpose(x, {2, 0, 1}), "::-1|1:|::2");
}

using line = oracle_line;

const oracle_table views = {
    {"permute_dims",
     [](auto& x, auto& l) -> arrays {
       return {sn::permute_dims(x[0], integers_of(l.text("axes")))};
     }},
    {"transpose", [](auto& x, auto&) -> arrays { return {sn::transpose(x[0])}; }},
    {"flip", [](auto& x, auto& l) -> arrays { return {sn::flip(x[0], axes_of(l))}; }},
    {"reshape",
     [](auto& x, auto& l) -> arrays { return {sn::reshape(x[0], integers_of(l.text("shape")))}; }},
    {"swapaxes",
     [](auto& x, auto& l) -> arrays {
       return {sn::swapaxes(x[0], l.number("a", 0), l.number("b", 0))};
     }},
    {"moveaxis",
     [](auto& x, auto& l) -> arrays {
       return {sn::moveaxis(x[0], integers_of(l.text("a")), integers_of(l.text("b")))};
     }},
    {"expand_dims",
     [](auto& x, auto& l) -> arrays {
       return {sn::expand_dims(x[0], integers_of(l.text("axes")))};
     }},
    {"squeeze", [](auto& x, auto& l) -> arrays { return {sn::squeeze(x[0], axes_of(l))}; }},
    {"broadcast_to",
     [](auto& x, auto& l) -> arrays {
       return {sn::broadcast_to(x[0], integers_of(l.text("shape")))};
     }},
    {"index", [](auto& x, auto& l) -> arrays { return {indexed(x[0], l.text("items"))}; }},
    {"index:of_view",
     [](auto& x, auto& l) -> arrays { return {indexed(turned(x[0]), l.text("items"))}; }},
    {"index:of_reshaped",
     [](auto& x, auto& l) -> arrays {
       const auto plane = sn::reshape(sn::transpose(x[0], {2, 0, 1}), {12, 10});
       return {indexed(plane, l.text("items"))};
     }},
};

template <class Options>
oracle_call reduced(any_array (*f)(const any_array&, const Options&, sn::location)) {
  return [f](const arrays& x, const line& l) -> arrays {
    const sn::reduction_options o{.axis = axes_of(l), .keepdims = l.number("keepdims", 0) != 0};
    return {f(x[0], o, {})};
  };
}
sn::variance_options variance(const line& l) {
  return {.axis = axes_of(l),
          .correction = static_cast<double>(l.number("correction", 0)),
          .keepdims = l.number("keepdims", 0) != 0};
}
std::optional<std::int64_t> axis_of(const line& l) {
  if (!l.options.count("axis")) return std::nullopt;
  return l.number("axis", 0);
}
sn::arg_options along(const line& l) {
  return {axis_of(l), l.number("keepdims", 0) != 0};
}

const oracle_table reductions = {
    {"sum", reduced(sn::detail::sum)},
    {"prod", reduced(sn::detail::prod)},
    {"max", reduced(sn::detail::max)},
    {"min", reduced(sn::detail::min)},
    {"any", reduced(sn::detail::any)},
    {"all", reduced(sn::detail::all)},
    {"mean", reduced(sn::detail::mean)},
    {"count_nonzero", reduced(sn::detail::count_nonzero)},
    {"var", [](auto& x, auto& l) -> arrays { return {sn::var(x[0], variance(l))}; }},
    {"stddev", [](auto& x, auto& l) -> arrays { return {sn::stddev(x[0], variance(l))}; }},
    {"argmax", [](auto& x, auto& l) -> arrays { return {sn::argmax(x[0], along(l))}; }},
    {"argmin", [](auto& x, auto& l) -> arrays { return {sn::argmin(x[0], along(l))}; }},
};

using scanner = any_array (*)(const any_array&, const sn::scan_options&, sn::location);
oracle_call scanned(scanner f) {
  return [f](const arrays& x, const line& l) -> arrays { return {f(x[0], {axis_of(l)}, {})}; };
}
sn::cumulative_options cumulative(const line& l) {
  return {.axis = axis_of(l), .include_initial = l.number("initial", 0) != 0};
}

const oracle_table scans = {
    {"cumsum", scanned(sn::detail::cumsum)},
    {"cumprod", scanned(sn::detail::cumprod)},
    {"cummax", scanned(sn::detail::cummax)},
    {"cummin", scanned(sn::detail::cummin)},
    {"cumulative_logsumexp", scanned(sn::detail::cumulative_logsumexp)},
    {"cumulative_sum",
     [](auto& x, auto& l) -> arrays { return {sn::cumulative_sum(x[0], cumulative(l))}; }},
    {"cumulative_prod",
     [](auto& x, auto& l) -> arrays { return {sn::cumulative_prod(x[0], cumulative(l))}; }},
};

const oracle_table products = {
    {"matmul", [](auto& x, auto&) -> arrays { return {sn::matmul(x[0], x[1])}; }},
};

any_array pending(const any_array& x) {
  return sn::visit(x, [](auto a) -> any_array {
    using T = typename decltype(a)::value_type;
    if constexpr (std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t>) {
      return (a * T(3) - a - a).to_array();
    } else {
      return a;
    }
  });
}

}  // namespace

TEST_CASE("views and indices are NumPy's") {
  compare_calls("cases.py", "views", true, 100, views);
}

TEST_CASE("views and indices of pending arrays are NumPy's") {
  compare_calls("cases.py", "views", true, 100,
                oracle_call([](const arrays& x, const line& l) {
                  return views.at(l.fields[0])({pending(x[0])}, l);
                }));
}

TEST_CASE("reductions are NumPy's") {
  compare_calls("cases.py", "reductions", false, 5000, reductions);
}

TEST_CASE("scans are NumPy's") {
  compare_calls("cases.py", "scans", false, 500, scans);
}

TEST_CASE("products are NumPy's") {
  compare_calls("cases.py", "products", false, 100, products);
}

}  // namespace numpy_calls_test

// Reductions of the elements selected by a mask, and initial values: NumPy's results, as written by
// tests/numpy/statistical.py, the typed forms, and errors.

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/numpy_compare.hpp"
#include "tests/unit/engine/refusal.hpp"

namespace masked_reductions_test {

namespace sn = sinter;
using namespace sinter::test;

namespace {

using line = oracle_line;

/// The options that all share: axes, and the mask, if any.
template <class Options> Options options(const arrays& x, const line& l) {
  Options o;
  o.axis = axes_of(l);
  o.keepdims = l.number("keepdims", 0) != 0;
  if (x.size() > 1) o.where = sn::array<bool>(x[1]);
  return o;
}

template <class Options>
oracle_call reduced(sn::any_array (*f)(const sn::any_array&, const Options&, sn::location)) {
  return [f](const arrays& x, const line& l) -> arrays {
    auto o = options<Options>(x, l);
    if constexpr (requires { o.initial; }) {
      if (l.options.count("initial")) o.initial = l.number("initial", 0);
    }
    if constexpr (requires { o.correction; }) o.correction = l.real("correction", 0);
    return {f(x[0], o, {})};
  };
}

const oracle_table calls = {
    {"sum:where", reduced(sn::detail::sum)},
    {"prod:where", reduced(sn::detail::prod)},
    {"max:where", reduced(sn::detail::max)},
    {"min:where", reduced(sn::detail::min)},
    {"max:initial", reduced(sn::detail::max)},
    {"min:initial", reduced(sn::detail::min)},
    {"any:where", reduced(sn::detail::any)},
    {"all:where", reduced(sn::detail::all)},
    {"mean:where", reduced(sn::detail::mean)},
    {"var:where", reduced(sn::detail::var)},
    {"stddev:where", reduced(sn::detail::stddev)},
    {"nansum:where", reduced(sn::detail::nansum)},
    {"nanprod:where", reduced(sn::detail::nanprod)},
    {"nanmax:where", reduced(sn::detail::nanmax)},
    {"nanmin:where", reduced(sn::detail::nanmin)},
    {"nanmax:initial", reduced(sn::detail::nanmax)},
    {"nanmin:initial", reduced(sn::detail::nanmin)},
    {"nanmean:where", reduced(sn::detail::nanmean)},
    {"nanvar:where", reduced(sn::detail::nanvar)},
    {"nanstd:where", reduced(sn::detail::nanstd)},
};

}  // namespace

TEST_CASE("reductions of what a mask leaves are NumPy's") {
  compare_calls("statistical.py", "masks", false, 1000, calls);
}

TEST_CASE("masked reductions have typed forms") {
  const sn::array<float> x{{1, -2, 3}, {4, 5, -6}};
  const sn::array<bool> columns{true, false, true};
  CHECK(sn::sum(x, {.where = x > 0}).item() == 13);
  CHECK(sn::sum(2 * x, {.axis = 1, .where = columns}).to_host() == std::vector<float>{8, -4});
  CHECK(sn::mean(x, {.axis = 0, .where = x > 0}).to_host() == std::vector<float>{2.5, 5, 3});
  CHECK(sn::max(x, {.initial = 0, .where = x < 0}).item() == 0);
  CHECK(sn::min(x, {.axis = 1, .initial = 2.5}).to_host() == std::vector<float>{-2, -6});
  CHECK(sn::var(x, {.axis = 1, .where = columns}).to_host() == std::vector<float>{1, 25});
  CHECK(sn::any(x, {.axis = 1, .where = x < -3}).to_host() == std::vector<bool>{false, true});
  CHECK(sn::all(x > 0, {.where = columns}).item() == false);
  CHECK(sn::sum(sn::array<int>{1, 2}, {.initial = 7}).item() == 10);
  CHECK(sn::prod(sn::array<std::uint8_t>{5, 9}, {.initial = 2, .where = sn::array{true, false}})
            .item() == 10);
  CHECK(sn::max(sn::zeros<double>({0}), {.initial = -1}).item() == -1);
  CHECK(sn::amax(x, {.initial = 9}).item() == 9);
}

TEST_CASE("one set of axes is for every reduction") {
  const sn::array<double> x{{1, 2}, {3, 5}};
  const sn::reduction_options rows{.axis = 1, .keepdims = true};
  const std::vector<double> sums{3, 8}, middles{1.5, 4};
  CHECK(sn::sum(x, rows).to_host() == sums);
  CHECK(sn::median(x, rows).to_host() == middles);
  CHECK(sn::mean(x, rows).to_host() == middles);
}

TEST_CASE("a number may be told axis 0 or -1 where NumPy's may") {
  const sn::array<double> x(3), one = sn::array<double>{3};
  for (const int axis : {0, -1}) {
    CHECK(sn::sum(x, axis).item() == 3);
    CHECK(sn::prod(x * 2, axis).item() == 6);
    CHECK(sn::max(x, {.axis = axis, .keepdims = true}).ndim() == 0);
    CHECK(sn::any(x, axis).item());
    CHECK(sn::count_nonzero(x, axis).item() == 1);
    CHECK(sn::ptp(x, axis).item() == 0);
    CHECK((sn::argmax(x, axis).ndim() == 0 && sn::nanargmin(x, axis).item() == 0));
    CHECK((sn::nansum(x, axis).item() == 3 && sn::nanmax(x, axis).item() == 3));
    CHECK((sn::nanmean(x, axis).item() == 3 && sn::nanstd(x, axis).item() == 0));
    CHECK(sn::cumsum(x, axis).to_host() == one.to_host());
    CHECK_THROWS_AS(sn::mean(x, axis), sn::axis_error);
    CHECK_THROWS_AS(sn::stddev(x, axis), sn::axis_error);
    CHECK_THROWS_AS(sn::median(x, axis), sn::axis_error);
  }
  CHECK_THROWS_AS(sn::sum(x, 1), sn::axis_error);
  CHECK_THROWS_AS(sn::sum(x, -2), sn::axis_error);
  CHECK_THROWS_AS(sn::sum(x, {0, -1}), sn::axis_error);
  CHECK_THROWS_AS(sn::cumsum(x, 1), sn::axis_error);
}

TEST_CASE("a masked mean is one kernel") {
  const sn::array<float> x = sn::arange<float>(1000).reshape({10, 100});
  sn::eval(x);
  const auto before = sn::session_statistics();
  CHECK(sn::mean(x, {.axis = 1, .where = x > 3}).to_host()[0] == 51.5f);
  CHECK(sn::session_statistics().launches - before.launches == 1);
}

TEST_CASE("masks and initial values that do not fit are refused") {
  const sn::array<float> x{{1, 2, 3}};
  const sn::array<bool> two{true, false};
  const sn::array<int> whole{1, 2};
  CHECK(shape_refusal([&] { sn::sum(x, {.where = two}); }) ==
        "[sum] shape (2,) does not broadcast to (1, 3): axis 1 is 2 against 3");
  CHECK(refusal<sn::value_error>(
            sn::error_code::empty_reduction, [&] { sn::max(x, {.where = x > 1}); },
            sn::location::current()) ==
        "[max] a mask may leave no elements, and there is no value that stands for none: give "
        ".initial too");
  CHECK(dtype_refusal([&] { sn::sum(whole, {.initial = 0.5}); }) ==
        "[sum] an initial value of float64 for a result of int64");
  CHECK(dtype_refusal([&] { sn::max(x, {.initial = std::complex<float>(1, 2)}); }) ==
        "[max] a complex number among float32: give its real part, or make the array complex");
  CHECK(value_refusal([&] {
          sn::max(sn::array<std::int8_t>{1}, {.initial = 300});
        }) == "[max] 300 is not a value of int8");
}

}  // namespace masked_reductions_test

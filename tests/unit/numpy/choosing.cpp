// NumPy's results for elements selected by indices and masks, and for writes to them, as written by
// tests/numpy/arranging.py: one row per function.

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/numpy_compare.hpp"

namespace choosing_test {

namespace sn = sinter;
namespace detail = sinter::detail;
using namespace sinter::test;
using sn::any_array;

namespace {

using line = oracle_line;

std::optional<std::int64_t> axis_of(const line& l) {
  if (!l.options.count("axis")) return std::nullopt;
  return l.number("axis", 0);
}
sn::index_mode mode_of(const line& l) {
  return static_cast<sn::index_mode>(l.number("mode", 0));
}

/// The element at the k-th position of `argpartition`.
any_array kth(const any_array& x, const line& l) {
  const std::int64_t k = l.number("kth", 0);
  const auto axis = axis_of(l);
  const any_array from = axis ? x : sn::ravel(x);
  const any_array at = detail::argpartition(x, {k}, {.axis = axis});
  const any_array there = detail::take_along_axis(from, at, -1);
  return detail::take(there, sn::asarray(k), {.axis = -1});
}

const oracle_table choosing = {
    {"take",
     [](auto& x, auto& l) -> arrays {
       return {detail::take(x[0], x[1], {.axis = axis_of(l), .mode = mode_of(l)})};
     }},
    {"take_along_axis",
     [](auto& x, auto& l) -> arrays {
       return {detail::take_along_axis(x[0], x[1], l.number("axis", 0))};
     }},
    {"nonzero", [](auto& x, auto&) { return detail::nonzero(x[0], {}); }},
    {"argwhere", [](auto& x, auto&) -> arrays { return {detail::argwhere(x[0], {})}; }},
    {"extract", [](auto& x, auto&) -> arrays { return {detail::extract(x[0], x[1], {})}; }},
    {"compress",
     [](auto& x, auto& l) -> arrays { return {detail::compress(x[0], x[1], axis_of(l), {})}; }},
    {"put",
     [](auto& x, auto& l) -> arrays { return {detail::put(x[0], x[1], x[2], mode_of(l), {})}; }},
    {"put_along_axis",
     [](auto& x, auto& l) -> arrays {
       return {detail::put_along_axis(x[0], x[1], x[2], l.number("axis", 0), {})};
     }},
    {"place", [](auto& x, auto&) -> arrays { return {detail::place(x[0], x[1], x[2], {})}; }},
    {"putmask", [](auto& x, auto&) -> arrays { return {detail::putmask(x[0], x[1], x[2], {})}; }},
    {"fill_diagonal",
     [](auto& x, auto& l) -> arrays {
       return {detail::fill_diagonal(x[0], x[1], l.number("wrap", 0) != 0, {})};
     }},
    {"select",
     [](auto& x, auto&) -> arrays {
       const std::vector<sn::array<bool>> conditions = {sn::array<bool>(x[0]),
                                                        sn::array<bool>(x[1])};
       const auto zero = sn::astype(sn::any_array(sn::array<bool>(sn::zeros<bool>({}))),
                                    x[2].dtype());
       return {detail::select(conditions, std::span(x).subspan(2), zero, {})};
     }},
    {"choose",
     [](auto& x, auto&) -> arrays {
       return {detail::choose(x[0], std::span(x).subspan(1), x[1].dtype(), {})};
     }},
    {"topk",
     [](auto& x, auto& l) -> arrays {
       const auto r = sn::topk(x[0], l.number("k", 0),
                               {.axis = axis_of(l), .largest = l.number("largest", 1) != 0});
       return {r.first};
     }},
    {"argpartition", [](auto& x, auto& l) -> arrays { return {kth(x[0], l)}; }},
};

}  // namespace

TEST_CASE("what indices and masks choose, and what is written there, is NumPy's") {
  compare_calls("arranging.py", "choosing", true, 800, choosing);
}

}  // namespace choosing_test

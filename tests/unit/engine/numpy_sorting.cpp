// What NumPy gives for what sorts and searches, as tests/numpy/sorting.py wrote it: one row a
// function.

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/numpy_compare.hpp"

namespace sn = sinter;
using namespace sinter::test;

namespace {

using line = oracle_line;
using row = arrays (*)(const arrays&, const line&);
using table = std::map<std::string, row>;

std::optional<std::int64_t> axis_of(const line& l) {
  if (!l.options.count("axis")) return std::nullopt;
  return l.number("axis", 0);
}

const table orders = {
    {"sort", [](auto& x, auto& l) -> arrays { return {sn::sort(x[0], {.axis = axis_of(l)})}; }},
    {"sort_descending",
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
    {"lexsort_rows",
     [](auto& x, auto& l) -> arrays {
       return {sn::detail::lexsort_rows(x[0], l.number("axis", -1), {})};
     }},
};

void compare(const std::string& group, const table& rows, int at_least) {
  compare_calls("sorting.py", group, true, at_least,
                [&](const arrays& x, const line& l) { return rows.at(l.fields[0])(x, l); });
}

}  // namespace

TEST_CASE("sorted arrays are NumPy's") {
  compare("orders", orders, 500);
}
TEST_CASE("orders by several keys are NumPy's") {
  compare("lexical", lexical, 30);
}

// Where indices are checked.
#include "ir/passes/flag_rows.hpp"

#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace flag_rows_test {

using namespace passes_tests;

TEST_CASE("rows that are picked are checked once a row, by who reads their columns") {
  const std::string picked = R"(%0 = source float32 [1000, 4]
%1 = source int64 [90000]
%2 = view int64 [90000, 4] (%1) strides [1, 0]
%3 = scalar int64 [] 999
%4 = map bool [90000] (%1, %3) { v2 = greater int64 v0 v1 }
%5 = view bool [90000, 4] (%4) strides [1, 0]
%6 = gather float32 [90000, 4] (%0, %2, %5) strides [0, 1] check 0
)";
  CHECK(groups_of(picked + R"(%7 = view float32 [90000] (%6) strides [4]
%8 = view float32 [90000] (%6) offset 3 strides [4]
%9 = map float32 [90000] (%7, %8) { v2 = add float32 v0 v1 }
return %9
)") == "[90000]: %9\n");
  CHECK(groups_of(picked + "return %6\n") == "[90000, 4]: %6\n");
  // A consumer that reads all elements backwards has no place for it.
  CHECK(groups_of(picked + R"(%7 = view float32 [360000] (%6) offset 359999 strides [-1]
%8 = map float32 [360000] (%7) { v1 = exp float32 v0 }
return %8
)") == "[90000]:\n[360000]: %8\n");
}

TEST_CASE("what several arrays are picked by is looked at once") {
  const auto checks = [](const std::string& other_bad) {
    const ir::plan p = plan_of(R"(%0 = source float32 [50]
%1 = source float32 [50]
%2 = source int64 [9]
%3 = scalar int64 [] 49
%4 = map bool [9] (%2, %3) { v2 = greater int64 v0 v1 }
%5 = map bool [9] (%2, %3) { v2 = greater_equal int64 v0 v1 }
%6 = gather float32 [9] (%0, %2, %4) strides [0] check 0
%7 = gather float32 [9] (%1, %2, )" + other_bad + R"() strides [0] check 1
%8 = map float32 [9] (%6, %7) { v2 = multiply float32 v0 v1 }
return %8
)");
    std::vector<std::int32_t> asked;
    for (const ir::plan_buffer& b : p.buffers) {
      if (b.what == ir::plan_buffer::role::status) asked.push_back(b.index);
    }
    return std::pair(asked.size(), p.same_checks.size());
  };
  CHECK(checks("%4") == std::pair<std::size_t, std::size_t>(1, 1));
  CHECK(checks("%5") == std::pair<std::size_t, std::size_t>(2, 0));
}

}  // namespace flag_rows_test

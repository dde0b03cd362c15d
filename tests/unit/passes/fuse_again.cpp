// Values stored because recomputing them per reader costs more, and values never stored.
#include <algorithm>

#include "ir/passes/fuse.hpp"
#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace fuse_again_test {

using namespace passes_tests;

namespace {

const std::string rows = "%0 = source float32 [64, 300]\n";

}  // namespace

TEST_CASE("fuse: what two kernels share is stored if computing it again costs more") {
  const auto shared = [](const std::string& op) {
    std::string text = rows;
    for (int i = 1; i <= 12; ++i) {
      text += "%" + std::to_string(i) + " = map float32 [64, 300] (%" + std::to_string(i - 1) +
              ") { v1 = " + op + " float32 v0 }\n";
    }
    return plan_of(text + R"(%13 = reduce float32 [64] (%12) add over [1]
%14 = reduce float32 [300] (%12) add over [0]
return %13, %14
)");
  };
  CHECK(refused(shared("sin"), "operand stored: shared with another kernel"));
  CHECK_FALSE(refused(shared("negative"), "operand stored: shared with another kernel"));
}

TEST_CASE("fuse: several shifted readers of something dear") {
  std::string text = "%0 = source float32 [1000]\n";
  for (int i = 1; i <= 8; ++i) {
    text += "%" + std::to_string(i) + " = map float32 [1000] (%" + std::to_string(i - 1) +
            ") { v1 = sin float32 v0 }\n";
  }
  CHECK(refused(plan_of(text + R"(%9 = view float32 [998] (%8) strides [1]
%10 = view float32 [998] (%8) offset 1 strides [1]
%11 = view float32 [998] (%8) offset 2 strides [1]
%12 = map float32 [998] (%9, %10) { v2 = add float32 v0 v1 }
%13 = map float32 [998] (%12, %11) { v2 = add float32 v0 v1 }
return %13
)"), "operand stored: several shifted readers cost more computed again"));
}

TEST_CASE("fuse: what is dear and read at many places each is stored first") {
  const auto beside = [](const std::string& of, const char* op, int count,
                         const std::string& strides) {
    std::string text = "%0 = source float32 [4000, 400]\n%1 = " + of + "\n";
    int n = 1;
    for (; n <= count; ++n) {
      text += "%" + std::to_string(n + 1) + " = map float32 [400] (%" + std::to_string(n) +
              ") { v1 = " + op + " float32 v0 }\n";
    }
    return plan_of(text + "%" + std::to_string(n + 1) + " = view float32 [4000, 400] (%" +
                   std::to_string(n) + ") strides " + strides + "\n%" + std::to_string(n + 2) +
                   " = map float32 [4000, 400] (%0, %" + std::to_string(n + 1) +
                   ") { v2 = multiply float32 v0 v1 }\nreturn %" + std::to_string(n + 2) + "\n");
  };
  const std::string why = "operand stored: read at many places each, and dear";
  const std::string window = "source float32 [400]";
  CHECK(refused(beside(window, "sin", 3, "[0, 1]"), why));
  CHECK(beside(window, "sin", 3, "[0, 1]").kernels.size() == 2);
  CHECK_FALSE(refused(beside(window, "negative", 3, "[0, 1]"), why));
  // a value per row is computed once per row, after the reduction it depends on, ...
  CHECK_FALSE(refused(beside("reduce float32 [400] (%0) add over [0]", "sin", 3, "[0, 1]"), why));
  // ... unless the reduction is over other rows: then its own kernel computes the value
  const std::string others = R"(%0 = source float32 [4000, 400]
%1 = source float32 [300, 400]
%2 = reduce float32 [400] (%1) add over [0]
%3 = map float32 [400] (%2) { v1 = sin float32 v0 }
%4 = map float32 [400] (%3) { v1 = sin float32 v0 }
%5 = view float32 [4000, 400] (%4) strides [0, 1]
%6 = map float32 [4000, 400] (%0, %5) { v2 = multiply float32 v0 v1 }
return %6
)";
  CHECK(refused(plan_of(others), why));
  CHECK(plan_of(others).kernels.size() == 2);
  // Also if its readers walk over its rows: sums along both axes in turn.
  const std::string turns = rows + R"(%1 = reduce float32 [64] (%0) add over [1]
%2 = map float32 [64] (%1) { v1 = log float32 v0 }
%3 = map float32 [64] (%2) { v1 = sin float32 v0 }
%4 = view float32 [64, 300] (%3) strides [1, 0]
%5 = map float32 [64, 300] (%0, %4) { v2 = subtract float32 v0 v1 }
%6 = reduce float32 [300] (%5) add over [0]
return %6
)";
  CHECK(refused(plan_of(turns), why));
  const std::string product = R"(%0 = source float32 [300, 200]
%1 = map float32 [300, 200] (%0) { v1 = exp float32 v0 }
%2 = view float32 [300, 500, 200] (%1) strides [200, 0, 1]
%3 = source float32 [500, 200]
%4 = view float32 [300, 500, 200] (%3) strides [0, 200, 1]
%5 = map float32 [300, 500, 200] (%2, %4) { v2 = multiply float32 v0 v1 }
%6 = reduce float32 [300, 500] (%5) add over [2]
return %6
)";
  CHECK(refused(plan_of(product), why));
}

TEST_CASE("fuse: a condition of where an element is, is never stored") {
  // Three full kernels read it.
  const auto stored = [](const std::string& condition) {
    std::string text = "%0 = source float32 [1000, 3]\n%1 = iota int64 [1000, 3]\n"
                       "%2 = scalar int64 [] 7\n%3 = source bool [1000, 3]\n%4 = " + condition +
                       "\n%5 = map float32 [1000, 3] (%0) { v1 = exp float32 v0 }\n";
    int n = 5;
    for (int i = 0; i < 900; ++i, ++n) {
      text += "%" + std::to_string(n + 1) + " = map float32 [1000, 3] (%4, %" +
              std::to_string(n) + ", %0) { v3 = where float32 v0 v1 v2 }\n";
    }
    const ir::plan p = plan_of(text + "return %" + std::to_string(n) + "\n");
    CHECK(p.kernels.size() > 2);
    return std::ranges::any_of(p.buffers, [](const ir::plan_buffer& b) {
      return b.type == sinter::dtype::bool_ && b.what == ir::plan_buffer::role::temporary;
    });
  };
  CHECK_FALSE(stored("map bool [1000, 3] (%1, %2) { v2 = less int64 v0 v1 }"));
  CHECK(stored("map bool [1000, 3] (%0) { v1 = exp float32 v0; v2 = isnan float32 v1 }"));
}

}  // namespace fuse_again_test

// Reductions moved into their readers' groups still read an array together.
#include "ir/passes/join_siblings.hpp"

#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace join_siblings_test {

using namespace passes_tests;

namespace {

const std::string sums = R"(%0 = source float32 [300, 64]
%1 = reduce float32 [64] (%0) add over [0]
%2 = map float32 [64] (%1) { v1 = sqrt float32 v0 }
%3 = map float32 [300, 64] (%0) { v1 = square float32 v0 }
%4 = reduce float32 [64] (%3) add over [0]
%5 = map float32 [64] (%4) { v1 = exp float32 v0 }
)";

}  // namespace

TEST_CASE("join_siblings: two epilogues of one array are one kernel") {
  CHECK(groups_of(sums + "return %2, %5\n") == "[64, 300] reducing [300]: %5 %2\n");
  CHECK(groups_of(sums + "return %5, %2\n", gpu()) == "[64, 300] reducing [300]: %5 %2\n");
}

TEST_CASE("join_siblings: where the walked axis stands among the others is no difference") {
  const std::string both = R"(%0 = source float32 [300, 64, 32]
%1 = reduce float32 [300, 32] (%0) maximum over [1]
%2 = map float32 [300, 32] (%1) { v1 = sqrt float32 v0 }
%3 = reduce int64 [300, 32] (%0) arg maximum over [1]
return %2, %3
)";
  CHECK(groups_of(both) == "[300, 64, 32] reducing [64]: %3 %2\n");
  CHECK(groups_of(both, gpu()) == "[300, 64, 32] reducing [64]: %3 %2\n");
}

TEST_CASE("join_siblings: other rows, or another array, stay apart") {
  CHECK(groups_of(R"(%0 = source float32 [64, 64]
%1 = reduce float32 [64] (%0) add over [0]
%2 = map float32 [64] (%1) { v1 = sqrt float32 v0 }
%3 = reduce float32 [64] (%0) add over [1]
%4 = map float32 [64] (%3) { v1 = exp float32 v0 }
%5 = source float32 [64, 64]
%6 = reduce float32 [64] (%5) add over [1]
%7 = map float32 [64] (%6) { v1 = sin float32 v0 }
return %2, %4, %7
)") == "[64, 64] reducing [64]: %2\n[64, 64] reducing [64]: %4\n[64, 64] reducing [64]: %7\n");
}

TEST_CASE("join_siblings: a group that waits for the other stays apart") {
  // The second sum reads the sine of the first one transposed.
  const std::string text = groups_of(R"(%0 = source float32 [64, 64]
%1 = reduce float32 [64] (%0) add over [0]
%2 = map float32 [64] (%1) { v1 = sin float32 v0 }
%3 = view float32 [64] (%2) offset 63 strides [-1]
%4 = view float32 [64, 64] (%3) strides [1, 0]
%5 = map float32 [64, 64] (%0, %4) { v2 = multiply float32 v0 v1 }
%6 = reduce float32 [64] (%5) add over [0]
%7 = map float32 [64] (%6) { v1 = exp float32 v0 }
return %2, %7
)");
  CHECK(text == "[64, 64] reducing [64]: %2\n[64, 64] reducing [64]: %6\n");
}

TEST_CASE("join_siblings: no more reductions than a block can combine, of short walks a few") {
  const auto kernels = [](const std::string& rows) {
    std::string text = "%0 = source float64 [" + rows + ", 64]\n", roots;
    for (int i = 0; i < 25; ++i) {
      const std::string times = std::to_string(4 * i + 1), made = std::to_string(4 * i + 2),
                        sum = std::to_string(4 * i + 3), root = std::to_string(4 * i + 4);
      text += "%" + times + " = scalar float64 [] " + std::to_string(i + 2) + "\n%" + made +
              " = map float64 [" + rows + ", 64] (%0, %" + times +
              ") { v2 = multiply float64 v0 v1 }\n%" + sum + " = reduce float64 [64] (%" + made +
              ") add over [0]\n%" + root + " = map float64 [64] (%" + sum +
              ") { v1 = sqrt float64 v0 }\n";
      roots += (i ? ", %" : "%") + root;
    }
    return plan_of(text + "return " + roots + "\n", gpu()).kernels.size();
  };
  // Doubles, 256 lanes each in 48 KiB of shared memory: 24. Two for parts, two to combine them.
  CHECK(kernels("100000") == 4);
  CHECK(kernels("200") == 4);  // 8 per kernel: 25 need 4
}

}  // namespace join_siblings_test

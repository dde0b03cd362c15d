// What is stored because computing it again costs more.
#include "ir/passes/pricing.hpp"

#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace pricing_test {

using namespace passes_tests;

TEST_CASE("pricing: a pad that is read from several sides reads as often what it pads") {
  std::string text = "%0 = source float32 [30000, 300]\n";
  for (int i = 1; i <= 4; ++i) {
    text += "%" + std::to_string(i) + " = map float32 [30000, 300] (%" + std::to_string(i - 1) +
            ") { v1 = sin float32 v0 }\n";
  }
  text += R"(%5 = iota int64 [302]
%6 = view int64 [30000, 302] (%5) strides [0, 1]
%7 = scalar int64 [] 1
%8 = map bool [30000, 302] (%6, %7) { v2 = greater_equal int64 v0 v1 }
%9 = scalar int64 [] 301
%10 = map bool [30000, 302] (%6, %9) { v2 = less int64 v0 v1 }
%11 = map bool [30000, 302] (%8, %10) { v2 = logical_and bool v0 v1 }
%12 = pad float32 [30000, 302] (%4, %11) offset -1 strides [300, 1] along 1
%13 = view float32 [30000, 300] (%12) strides [302, 1]
%14 = view float32 [30000, 300] (%12) offset 1 strides [302, 1]
%15 = view float32 [30000, 300] (%12) offset 2 strides [302, 1]
%16 = map float32 [30000, 300] (%13, %14) { v2 = add float32 v0 v1 }
%17 = map float32 [30000, 300] (%15, %16) { v2 = add float32 v0 v1 }
return %17
)";
  CHECK(refused(plan_of(text, gpu()),
                "operand stored: several shifted readers cost more computed again"));
}

}  // namespace pricing_test

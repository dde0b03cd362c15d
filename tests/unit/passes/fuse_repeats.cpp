// What is stored since a kernel would compute it again and again.
#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace fuse_repeats_test {

using namespace passes_tests;

namespace {

const std::string why = "operand stored: read at many places each, and dear";

/// Sums of windows of five over what the last of these nodes, %N, gives, padded in front.
std::string windows(const std::string& nodes, int n) {
  const auto id = [&](int k) { return "%" + std::to_string(n + k); };
  return "%0 = source float32 [1000]\n%1 = iota int64 [1000]\n%2 = scalar int64 [] 3\n"
         "%3 = map bool [1000] (%1, %2) { v2 = less int64 v0 v1 }\n" +
         nodes + id(1) + " = map float32 [1000] (" + id(0) + ") { v1 = sin float32 v0 }\n" + id(2) +
         " = pad float32 [1000] (" + id(1) + ", %3) offset 2 strides [-1]\n" + id(3) +
         " = map float32 [1000] (%3, " + id(2) + ", " + id(1) +
         ") { v3 = where float32 v0 v1 v2 }\n" + id(4) + " = view float32 [996, 5] (" + id(3) +
         ") strides [1, 1]\n" + id(5) + " = reduce float32 [996] (" + id(4) +
         ") add over [1]\nreturn " + id(5) + "\n";
}

}  // namespace

TEST_CASE("fuse: a CPU computes dear taps before it goes along what they weigh") {
  const auto filter = [](const char* op) {
    const std::string one = std::string(" { v1 = ") + op + " float32 v0 }\n";
    return plan_of("%0 = source float32 [63]\n%1 = map float32 [63] (%0)" + one +
                   "%2 = map float32 [63] (%1)" + one + "%3 = source float32 [40062]\n" +
                   R"(%4 = view float32 [63, 40000] (%3) strides [1, 1]
%5 = view float32 [63, 40000] (%2) offset 62 strides [-1, 0]
%6 = map float32 [63, 40000] (%4, %5) { v2 = multiply float32 v0 v1 }
%7 = reduce float32 [40000] (%6) add over [0]
return %7
)");
  };
  CHECK(filter("sin").kernels.size() == 2);
  CHECK(filter("negative").kernels.size() == 1);
}

TEST_CASE("fuse: windows read what is padded from memory, also where it comes of what is stored") {
  CHECK(
      refused(plan_of(windows("%4 = map float32 [1000] (%0) { v1 = exp float32 v0 }\n", 4)), why));
  CHECK(refused(plan_of(windows(R"(%4 = map float32 [1000] (%0) { v1 = exp float32 v0 }
%5 = view float32 [1000] (%4) offset 999 strides [-1]
%6 = map float32 [1000] (%4, %5) { v2 = multiply float32 v0 v1 }
)",
                                6)),
                why));
}

}  // namespace fuse_repeats_test

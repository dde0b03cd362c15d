// Values stored because a kernel would compute them repeatedly.
#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace fuse_repeats_test {

using namespace passes_tests;

namespace {

const std::string why = "operand stored: read at many places each, and dear";

/// Sums of windows of five over the result of the last node, %N, padded in front.
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

TEST_CASE("fuse: a GPU computes the dear taps of a filter once, however many read them") {
  const auto id = [](int k) { return "%" + std::to_string(k); };
  std::string text = R"(%0 = source float32 [33]
%1 = map float32 [33] (%0) { v1 = sin float32 v0 }
%2 = source float32 [8, 500009]
%3 = scalar float32 [] 0
%4 = view float32 [8, 499977] (%3) strides [0, 0]
)";
  int last = 4;
  for (int tap = 0; tap < 33; ++tap, last += 4) {
    const std::string at = std::to_string(tap);
    text += id(last + 1) + " = view float32 [] (%1) offset " + at + " strides []\n" + id(last + 2) +
            " = view float32 [8, 499977] (%2) offset " + at + " strides [500009, 1]\n" +
            id(last + 3) + " = map float32 [8, 499977] (" + id(last + 2) + ", " + id(last + 1) +
            ") { v2 = multiply float32 v0 v1 }\n" + id(last + 4) +
            " = map float32 [8, 499977] (" + id(last) + ", " + id(last + 3) +
            ") { v2 = add float32 v0 v1 }\n";
  }
  CHECK(plan_of(text + "return " + id(last) + "\n", gpu()).kernels.size() == 2);
}

TEST_CASE("fuse: what several kernels read as a wider type is stored as it was") {
  const std::string text = R"(%0 = source float32 [4000000]
%1 = source float32 [4000000]
%2 = map float32 [4000000] (%0, %1) { v2 = multiply float32 v0 v1 }
%3 = map float32 [4000000] (%2) { v1 = sin float32 v0 }
%4 = map float64 [4000000] (%3) { v1 = cast float32 -> float64 v0 }
%5 = reduce float64 [] (%4) add over [0]
%6 = view float64 [2000, 2000] (%4) strides [1, 2000]
%7 = map float64 [2000, 2000] (%6, %5) { v2 = subtract float64 v0 v1 }
%8 = reduce float64 [2000] (%7) maximum over [1]
return %5, %8
)";
  const ir::plan p = plan_of(text, gpu());
  std::size_t floats = 0, doubles = 0;
  for (const ir::plan_buffer& b : p.buffers) {
    if (b.what != ir::plan_buffer::role::temporary || !(b.count >= 4000000)) continue;
    (b.type == sinter::dtype::float32 ? floats : doubles) += 1;
  }
  CHECK(floats == 1);
  CHECK(doubles == 0);
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

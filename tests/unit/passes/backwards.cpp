// Views that a CPU's lanes traverse backwards, or read in strips.
#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace backwards_test {

using namespace passes_tests;

namespace {

std::string reach_of(const std::string& type, const std::string& strides, int offset,
                     const ir::machine& m = {}) {
  const std::string shape = type + " [100, 300]";
  const std::string text = "%0 = source " + type + " [90000]\n%1 = view " + shape +
                           " (%0) offset " + std::to_string(offset) + " strides " + strides +
                           "\n%2 = map " + shape + " (%1) { v1 = multiply " + type +
                           " v0 v0 }\nreturn %2\n";
  const ir::plan p = plan_of(text, m);
  REQUIRE(p.kernels.size() == 1);
  for (const char* word : {"backwards", "strips"}) {
    if (ir::print(p.kernels[0]).find(word) != std::string::npos) return word;
  }
  return "";
}

}  // namespace

TEST_CASE("backwards: real arrays of a CPU, along the lanes' axis") {
  CHECK(reach_of("float32", "[300, -1]", 299) == "backwards");
  CHECK(reach_of("int8", "[-300, -1]", 29999) == "backwards");
  CHECK(reach_of("float32", "[-300, 1]", 29700) == "");
  CHECK(reach_of("complex64", "[300, -1]", 299) == "");
  CHECK(reach_of("float32", "[300, -1]", 299, gpu()) == "");
}

TEST_CASE("strips: real inputs of a CPU that lie across, of some rows and columns") {
  CHECK(reach_of("float32", "[1, 100]", 0) == "strips");
  CHECK(reach_of("int8", "[1, 101]", 0) == "strips");
  CHECK(reach_of("float32", "[1, -100]", 29900) == "strips");
  CHECK(reach_of("float32", "[-1, 100]", 99) == "strips");  // starting at the last row
  CHECK(reach_of("float32", "[2, 300]", 0) == "");
  CHECK(reach_of("complex64", "[1, 100]", 0) == "");
  CHECK(reach_of("float32", "[1, 100]", 0, gpu()) == "");
}

TEST_CASE("strips: stacks of small matrices, and as many vectors as short rows allow") {
  ir::machine m;
  m.vector_bytes = 64;
  /// The width of the strips of a stack of transposed n x n matrices; 0: it is read otherwise.
  const auto width = [&](const std::string& type, int n) {
    const std::string side = std::to_string(n), all = std::to_string(n * n);
    const std::string shape = type + " [1000, " + side + ", " + side + "]";
    const ir::plan p = plan_of("%0 = source " + shape + "\n%1 = view " + shape + " (%0) strides [" +
                                   all + ", 1, " + side + "]\n%2 = map " + shape +
                                   " (%1) { v1 = multiply " + type + " v0 v0 }\nreturn %2\n",
                               m);
    REQUIRE(p.kernels.size() == 1);
    const ir::kernel& k = p.kernels[0];
    return k.operands[0].reach == ir::reach::strips ? k.schedule.unroll : 0;
  };
  CHECK(width("float64", 4) == 0);  // one row per lane
  CHECK(width("float64", 7) == 1);
  CHECK(width("float64", 15) == 4);
  CHECK(width("float64", 32) == 4);
  CHECK(width("float64", 64) == 2);
  CHECK(width("float64", 200) == 1);
  CHECK(width("float32", 5) == 0);
  CHECK(width("float32", 12) == 1);
  CHECK(width("float32", 40) == 2);
}

}  // namespace backwards_test

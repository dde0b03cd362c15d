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

}  // namespace backwards_test

// Vectors of a GPU map that continue across the ends of its rows.
#include "tests/catch.hpp"
#include "tests/unit/passes/schedules.hpp"

namespace shape_flat_test {

using namespace passes_tests;

TEST_CASE("shape: vectors go on over the ends of rows, where all but what is repeated is one run") {
  const auto walk = [](const std::string& shape, const std::string& of,
                       const std::string& strides) {
    return schedule_of("%0 = source float32 " + shape + "\n%1 = source float32 " + of +
                       "\n%2 = view float32 " + shape + " (%1) strides " + strides +
                       "\n%3 = map float32 " + shape +
                       " (%0, %2) { v2 = multiply float32 v0 v1 }\nreturn %3\n");
  };
  CHECK(walk("[1000000, 3]", "[3]", "[0, 1]") == "vector 4 flat, in1 picked");
  CHECK(walk("[1000000, 333]", "[333]", "[0, 1]") == "vector 4 flat, in1 picked");
  CHECK(walk("[1000000, 333]", "[1000000]", "[1, 0]") == "vector 4 flat, in1 picked");
  CHECK(walk("[1000, 64, 49]", "[64]", "[0, 1, 0]") == "vector 4 flat, in1 picked");
  CHECK(walk("[1000000, 4]", "[4]", "[0, 1]") == "vector 4");
  CHECK(walk("[1000000, 3]", "[1]", "[0, 0]") == "vector 4");  // one contiguous run
  CHECK(walk("[9, 3]", "[1000]", "[0, 7]").find("flat") == std::string::npos);
  CHECK(walk("[900, 3]", "[1000000]", "[10, 1]").find("flat") == std::string::npos);
}

TEST_CASE("shape: of more than four lanes those that divide a row go over its end together") {
  const auto walk = [](int row, const std::string& of, const std::string& strides) {
    const std::string shape = "[1000, 64, " + std::to_string(row) + "]";
    return schedule_of("%0 = source int8 " + shape + "\n%1 = source int8 " + of +
                       "\n%2 = view int8 " + shape + " (%1) strides " + strides +
                       "\n%3 = map int8 " + shape + " (%0, %2) { v2 = multiply int8 v0 v1 }\n" +
                       "return %3\n");
  };
  CHECK(walk(100, "[100]", "[0, 0, 1]") == "vector 16 flat by 4, in1 picked");
  CHECK(walk(100, "[64]", "[0, 1, 0]") == "vector 16 flat by 4, in1 picked");
  CHECK(walk(100, "[1000, 100]", "[100, 0, 1]") == "vector 16 flat by 4, in1 picked");
  CHECK(walk(100, "[1000, 102]", "[102, 0, 1]") == "vector 16 flat by 2, in1 picked");
  CHECK(walk(101, "[101]", "[0, 0, 1]") == "vector 16 flat by 1, in1 picked");
  CHECK(walk(10, "[10]", "[0, 0, 1]") == "vector 16 flat, in1 picked");
}

TEST_CASE("shape: coordinates are picked by the lanes of a flat map, running numbers are not") {
  const auto map_of = [](const std::string& strides, const std::string& count) {
    return schedule_of("%0 = source float32 [1000, 33]\n%1 = iota int64 " + count +
                       "\n%2 = view int64 [1000, 33] (%1) strides " + strides +
                       "\n%3 = map float32 [1000, 33] (%0, %2) { v2 = cast int64 -> float32 v1; "
                       "v3 = add float32 v0 v2 }\nreturn %3\n");
  };
  CHECK(map_of("[0, 1]", "[33]") == "vector 4 flat, ix0 picked");
  CHECK(map_of("[33, 1]", "[33000]") == "vector 4");
}

}  // namespace shape_flat_test

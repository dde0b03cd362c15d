#include "tests/catch.hpp"
#include "tests/unit/cuda_text/compare.hpp"
#include "tests/unit/cuda_text/maps_cases.hpp"

using namespace sinter::tests;

TEST_CASE("maps over one axis, whole vectors and what is left of the last", "[cuda_text]") {
  check(flat_maps());
}
TEST_CASE("vectors of every element type", "[cuda_text]") {
  check(vectors_of_types());
}
TEST_CASE("strides, broadcasts, transposes, flips", "[cuda_text]") {
  check(layouts_of_maps());
}
TEST_CASE("transposed operands turn in shared memory", "[cuda_text]") {
  check(tiles());
}
TEST_CASE("rows that begin anywhere in memory", "[cuda_text]") {
  check(rows_anywhere());
}

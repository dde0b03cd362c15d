#include "tests/catch.hpp"
#include "tests/unit/cuda_text/compare.hpp"
#include "tests/unit/cuda_text/indices_cases.hpp"

namespace indices_test {

using namespace sinter::tests;

TEST_CASE("element numbers", "[cuda_text]") {
  check(element_numbers());
}
TEST_CASE("stores to places that values say", "[cuda_text]") {
  check(scatters());
}
TEST_CASE("values that meet at places", "[cuda_text]") {
  check(combinations());
}
TEST_CASE("values that meet in shared memory first", "[cuda_text]") {
  check(held_places());
}
TEST_CASE("unravelled operands", "[cuda_text]") {
  check(unravelled());
}
TEST_CASE("random numbers depend on the element's number only", "[cuda_text]") {
  check(random_numbers());
}

}  // namespace indices_test

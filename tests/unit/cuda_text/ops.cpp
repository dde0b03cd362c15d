#include "tests/catch.hpp"
#include "tests/unit/cuda_text/compare.hpp"
#include "tests/unit/cuda_text/ops_cases.hpp"

namespace ops_test {

using namespace sinter::tests;

TEST_CASE("every op in every type", "[cuda_text]") {
  check(every_op());
}
TEST_CASE("internal ops on the operands they are for", "[cuda_text]") {
  check(internal_ops());
}
TEST_CASE("integers by one number for all", "[cuda_text]") {
  check(divisions_by_scalars());
}
TEST_CASE("quotients by one number for all", "[cuda_text]") {
  check(quotients_by_scalars());
}
TEST_CASE("quotients and roots without tests", "[cuda_text]") {
  check(quick_forms());
  check(quick_walks());
}
TEST_CASE("every cast", "[cuda_text]") {
  check(casts());
}
TEST_CASE("bitcasts", "[cuda_text]") {
  check(bitcasts());
}
TEST_CASE("constants are exact", "[cuda_text]") {
  check(constants());
}
TEST_CASE("scalars of every type", "[cuda_text]") {
  check(scalars());
}

}  // namespace ops_test

#include "tests/catch.hpp"
#include "tests/unit/cuda_text/compare.hpp"
#include "tests/unit/cuda_text/scans_cases.hpp"

namespace scans_test {

using namespace sinter::tests;

TEST_CASE("scans of rows of any length, shared by any number of threads", "[cuda_text]") {
  check(scans_of_rows());
}
TEST_CASE("scans of columns", "[cuda_text]") {
  check(scans_of_columns());
}
TEST_CASE("every scan in every type", "[cuda_text]") {
  check(scans_of_types());
}
TEST_CASE("scans whose rows are cut in chunks", "[cuda_text]") {
  check(chained_scans());
}
TEST_CASE("what a chained scan counts is packed", "[cuda_text]") {
  check(packed_stores());
}
TEST_CASE("scans of scans, and reductions beside them", "[cuda_text]") {
  check(stages_of_scans());
}
TEST_CASE("both parts of a complex element are stored when the later one is known",
          "[cuda_text]") {
  check(parts_of_scans());
}

}  // namespace scans_test

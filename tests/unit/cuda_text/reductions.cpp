#include "tests/catch.hpp"
#include "tests/unit/cuda_text/compare.hpp"
#include "tests/unit/cuda_text/long_rows_cases.hpp"
#include "tests/unit/cuda_text/reductions_cases.hpp"

namespace reductions_test {

using namespace sinter::tests;

TEST_CASE("rows that go through shared memory", "[cuda_text]") {
  check(staged_rows());
}
TEST_CASE("rows of any length, shared by any number of threads", "[cuda_text]") {
  check(sums_of_rows());
}
TEST_CASE("columns", "[cuda_text]") {
  check(sums_of_columns());
}
TEST_CASE("every reduction in every type", "[cuda_text]") {
  check(reductions_of_types());
}
TEST_CASE("integers in long vectors are taken in one by one", "[cuda_text]") {
  check(merged_lanes());
}
TEST_CASE("chunks of rows and of columns", "[cuda_text]") {
  check(chunks());
}
TEST_CASE("several reduced and kept axes", "[cuda_text]") {
  check(many_axes());
}
TEST_CASE("phases: softmax, normalisation, and what they store", "[cuda_text]") {
  check(phases());
}
TEST_CASE("rows that stay in registers", "[cuda_text]") {
  check(resident_rows());
}
TEST_CASE("rows that the threads of a launch fit", "[cuda_text]") {
  check(elastic_rows());
}
TEST_CASE("rows that begin between vectors", "[cuda_text]") {
  check(led_rows());
}
TEST_CASE("rows that blocks of a cluster share", "[cuda_text]") {
  check(clusters());
}
TEST_CASE("what blocks of a cluster tell each other, in every type", "[cuda_text]") {
  check(cluster_values());
}
TEST_CASE("quotients by what a row has in common are exact", "[cuda_text]") {
  check(quotients());
}

}  // namespace reductions_test

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
TEST_CASE("rows that indices pick", "[cuda_text]") {
  check(picked_rows());
}
TEST_CASE("a row that an index picks is loaded as a vector", "[cuda_text]") {
  const auto text = [](const trial& t) { return sinter::codegen::emit_cuda(t.k); };
  const auto four = [](builder& b) { return b.map(4); };
  CHECK_THAT(text(picked_row(sinter::dtype::float32, four, 12, 0, false)),
             says("sinter_load_row(gather_8_v, "));
  CHECK_THAT(text(picked_sum(sinter::dtype::float32, 1, 4, 4, 16, 0)),
             says("sinter_load_row(gather_6_v[u], "));
  const std::string columns =
      text(picked_columns(sinter::dtype::float32, 1, {1, 3, 2}, 9, 0));
  CHECK_THAT(columns, says("  float row_8[2];\n  sinter_load_row(row_8, in0 + in0_at + "));
  CHECK_THAT(columns, says("const float gather_10 = in1["));
}
TEST_CASE("unravelled operands", "[cuda_text]") {
  check(unravelled());
}
TEST_CASE("random numbers depend on the element's number only", "[cuda_text]") {
  check(random_numbers());
}

}  // namespace indices_test

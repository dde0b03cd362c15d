// Rules for rows that a CPU processes whole.
#include <string>

#include "ir/error.hpp"
#include "ir/kernel.hpp"
#include "tests/catch.hpp"

namespace kernel_verify_whole_rows_test {

using namespace sinter::ir;

namespace {

/// The error for a map of two axes with this schedule.
std::string verdict(const std::string& target, const std::string& schedule) {
  const std::string text = "kernel k\ntarget " + target + ", kept 2, reduced 0\nschedule " +
                           schedule + " rows 1\nin0 = input int8 [any, one]\n";
  try {
    verify(parse_kernel(text));
  } catch (const verify_error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("Whole rows are a vector each, in tiles of whole rows") {
  CHECK(verdict("cpu", "vector 4 unroll 1 whole_row 3 tile 12") == "");
  CHECK(verdict("cpu", "vector 4 unroll 1 whole_row 4 tile 4611686018427387904") == "");
  const std::string vector = "[schedule-whole-row] kernel k: a whole row is a vector, or more than "
                             "half of one";
  CHECK(verdict("cpu", "vector 4 unroll 1 whole_row 5 tile 20") == vector);
  CHECK(verdict("cpu", "vector 8 unroll 1 whole_row 4 tile 12") == vector);
  CHECK(verdict("cpu", "vector 4 unroll 1 whole_row 3 tile 8") ==
        "[schedule-whole-row] kernel k: a tile is whole rows");
}

TEST_CASE("Whole rows are of a CPU's maps, in no pieces and one at a time") {
  const std::string where = "[schedule-whole-row] kernel k: whole rows are of a CPU's map of two "
                            "axes or more, in no pieces";
  CHECK(verdict("cpu", "vector 4 unroll 2 whole_row 3 tile 12") == where);
  CHECK(verdict("cpu", "vector 4 unroll 1 whole_row 3 pieces tile 12") == where);
  CHECK(verdict("gpu", "vector 4 unroll 1 threads 1 whole_row 4 tile 4") == where);
}

}  // namespace kernel_verify_whole_rows_test

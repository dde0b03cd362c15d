// Which GPU maps stage rows in shared memory.
#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace brought_rows_test {

using namespace passes_tests;

namespace {

std::string shape_of(int rows, int width) {
  return " [" + std::to_string(rows) + ", " + std::to_string(width) + "]";
}

/// A map over rows of `width` elements, of which it reads the first `read` and multiplies them: one
/// result per row.
ir::kernel sums(const std::string& type, int width, int read) {
  std::string text = "%0 = source " + type + shape_of(10'000, width) + "\n", in, code;
  for (int i = 0; i < read; ++i) {
    text += "%" + std::to_string(i + 1) + " = view " + type + " [10000] (%0) offset " +
            std::to_string(i) + " strides [" + std::to_string(width) + "]\n";
    in += (i > 0 ? ", %" : "%") + std::to_string(i + 1);
    const int before = i == 1 ? 0 : read + i - 2;
    if (i > 0) {
      code += (i > 1 ? "; v" : "v") + std::to_string(read + i - 1) + " = multiply " + type +
              " v" + std::to_string(before) + " v" + std::to_string(i);
    }
  }
  text += "%" + std::to_string(read + 1) + " = map " + type + " [10000] (" + in + ") { " + code +
          " }\nreturn %" + std::to_string(read + 1) + "\n";
  return plan_of(text, gpu()).kernels.at(0);
}

}  // namespace

TEST_CASE("shape: long rows are brought to shared memory, a thread each") {
  const ir::kernel k = sums("float32", 9, 9);
  CHECK(ir::brings_rows(k));
  CHECK(k.schedule.threads == 128);
  CHECK(k.operands[3].apart == 9);
  CHECK(ir::brings_rows(sums("float64", 6, 3)));
  CHECK(ir::brings_rows(sums("int32", 16, 16)));
}

TEST_CASE("shape: short rows, few places of rows, and bytes are not brought") {
  CHECK_FALSE(ir::brings_rows(sums("float32", 4, 4)));
  CHECK_FALSE(ir::brings_rows(sums("float32", 9, 4)));
  CHECK_FALSE(ir::brings_rows(sums("float32", 17, 17)));
  CHECK_FALSE(ir::brings_rows(sums("int16", 9, 9)));
  CHECK_FALSE(ir::brings_rows(sums("int8", 9, 9)));
}

TEST_CASE("shape: what is joined to rows of nine is taken to memory as runs") {
  const ir::plan p = plan_of(R"(
%0 = source float32 [9, 10000]
%1 = view float32 [10000, 9] (%0) strides [1, 10000]
%2 = map float32 [10000, 9] (%1) { v1 = exp float32 v0 }
return %2
)",
                             gpu());
  CHECK_FALSE(ir::brings_rows(p.kernels.at(0)));  // transposed by a tile
}

}  // namespace brought_rows_test

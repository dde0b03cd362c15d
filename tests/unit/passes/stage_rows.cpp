#include "ir/passes/stage_rows.hpp"

#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"

namespace stage_rows_test {

using namespace passes_tests;
namespace sn = sinter;
using floats = sn::array<float>;

namespace {

/// "staged 10, 2 operands": the only kernel of a GPU's plan; "" if nothing is staged.
std::string staged(const sn::any_array& root) {
  const ir::plan p = plan_for({root}, ir::target::gpu);
  REQUIRE(p.kernels.size() == 1);
  const ir::kernel& k = p.kernels[0];
  int operands = 0;
  for (const ir::operand& o : k.operands) operands += o.reach == ir::reach::staged;
  if (k.schedule.staged == 0) return operands == 0 ? "" : "operands alone";
  return "staged " + std::to_string(k.schedule.staged) + ", " + std::to_string(operands) +
         (operands == 1 ? " operand" : " operands");
}

floats unit(const floats& x) {
  return x / sn::sqrt(sn::sum(x * x, {.axis = 1, .keepdims = true}));
}

}  // namespace

TEST_CASE("stage_rows: short rows of which there are many") {
  const floats x = stored({100000, 10});
  CHECK(staged(unit(x)) == "staged 10, 2 operands");
  CHECK(staged(floats(sn::sum(x, {.axis = 1}))) == "staged 10, 1 operand");
  CHECK(staged(floats(sn::cumsum(x, {.axis = 1}))) == "staged 10, 2 operands");
}

TEST_CASE("stage_rows: what is the same for all rows, or one a row, is read where it is") {
  const floats x = stored({100000, 7}), row = stored({7}), column = stored({100000, 1});
  CHECK(staged(unit(floats(x * row))) == "staged 7, 2 operands");
  CHECK(staged(unit(floats(x + column))) == "staged 7, 2 operands");
}

TEST_CASE("stage_rows: few rows, long ones and such as lie apart stay") {
  CHECK(staged(unit(stored({1000, 10}))) == "");
  CHECK(staged(unit(stored({100000, 25}))) == "");
  CHECK(staged(floats(sn::sum(stored({100000, 8}), {.axis = 1}))) == "");
  CHECK(staged(floats(sn::sum(stored({100000, 3}), {.axis = 1}))) == "");
  CHECK(staged(floats(sn::cumsum(stored({100000, 17}), {.axis = 1}))) == "");
  CHECK(staged(unit(stored({100000, 2}))) == "");
  const floats wide = stored({100000, 20});
  CHECK(staged(unit(floats(wide(sn::_, sn::slice(0, 10))))) == "");
  CHECK(staged(unit(floats(sn::take(stored({50, 10}), sn::zeros<int>({100000}), {.axis = 0})))) ==
        "");
}

}  // namespace stage_rows_test

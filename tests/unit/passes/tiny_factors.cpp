#include "ir/passes/tiny_factors.hpp"

#include "ir/passes/simplify.hpp"
#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"
#include "texts.hpp"

namespace tiny_factors_test {

using namespace passes_tests;
namespace sn = sinter;
namespace la = sinter::linalg;

namespace {

using floats = sn::array<float>;

std::size_t calls(const ir::plan& p) {
  return static_cast<std::size_t>(std::ranges::count_if(
      p.steps, [](const ir::plan_step& s) { return s.what == ir::plan_step::kind::call; }));
}

ir::plan plan_of_all(std::int64_t stack, std::int64_t n, ir::target on) {
  const floats a = stored({stack, n, n}), b = stored({stack, n, 1});
  const floats inverse = la::inv(a), solved = la::solve(a, b), det = la::det(a);
  return plan_for({inverse, solved, det}, on);
}

}  // namespace

TEST_CASE("matrices of a few rows are no call of a library") {
  for (const ir::target on : {ir::target::cpu, ir::target::gpu}) {
    for (const std::int64_t n : {2, 3, 4}) CHECK(calls(plan_of_all(1000, n, on)) == 0);
  }
}

TEST_CASE("what is factorised by a library") {
  CHECK(calls(plan_of_all(15, 2, ir::target::cpu)) == 3);
  CHECK(calls(plan_of_all(1, 3, ir::target::gpu)) == 3);
  CHECK(calls(plan_of_all(100, 5, ir::target::gpu)) == 3);
  const auto complex = sn::astype<std::complex<float>>(stored({100, 2, 2}));
  CHECK(calls(plan_for({la::det(complex)}, ir::target::gpu)) == 1);
}

TEST_CASE("what a solution reads of factors in the same graph are their elements") {
  const std::string text =
      after([](const ir::graph& g) { return ir::simplify(ir::tiny_factors(g)); },
            "%0 = source float32 [90, 2, 2]\n%1 = source float32 [90, 1, 2]\n"
            "%2 = call int32 [9] (%0) getrf\n%3 = result float32 [90, 2, 2] (%2) 1\n"
            "%4 = result int32 [90, 2] (%2) 2\n"
            "%5 = call float32 [90, 1, 2] (%3, %4, %1) getrs [1, 0]\nreturn %5\n");
  CHECK(text.find("[90, 2, 2]") == text.rfind("[90, 2, 2]"));  // that of the source
}

}  // namespace tiny_factors_test

#include "ir/passes/inverses.hpp"

#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"
#include "texts.hpp"

namespace inverses_test {

using namespace passes_tests;

namespace {

std::string on(const ir::machine& m, const std::string& text) {
  return after([&](const ir::graph& g) { return ir::inverses(g, m); }, text);
}

/// Inverses of a stack of matrices of this side, as `inv` records them; `wanted`: further outputs.
std::string inverting(const std::string& side, const std::string& attributes = "[0, 1]",
                      const std::string& wanted = "") {
  const std::string s = "[9, " + side + ", " + side + "]";
  return "%0 = source float32 " + s + "\n%1 = source float32 " + s +
         "\n%2 = call int32 [9] (%0) getrf\n%3 = result float32 " + s +
         " (%2) 1\n%4 = result int32 [9, " + side + "] (%2) 2\n%5 = call float32 " + s +
         " (%3, %4, %1) getrs " + attributes + "\nreturn %5, %2" + wanted + "\n";
}

/// The library calls of a joint evaluation, in order.
std::vector<std::string> calls(std::initializer_list<sinter::any_array> wanted, ir::target on) {
  std::vector<std::string> names;
  for (const auto& s : plan_for(wanted, on).steps) {
    if (s.what == ir::plan_step::kind::call) names.push_back(s.routine);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

TEST_CASE("an inverse is one call, which has the status; on a GPU of small matrices") {
  for (const std::string side : {"4", "33"}) {
    CHECK(on({}, inverting(side)) ==
          "%0 = source float32 [9, " + side + ", " + side + "]\n" +
          "%1 = source float32 [9, " + side + ", " + side + "]\n" +
          "%2 = call int32 [9] (%0) getri\n%3 = result float32 [9, " + side + ", " + side +
          "] (%2) 1\nreturn %3, %2\n");
  }
}

TEST_CASE("the inverse of small matrices is one call, which has the status") {
  CHECK(on(gpu(), inverting("4")) ==
        "%0 = source float32 [9, 4, 4]\n"
        "%1 = source float32 [9, 4, 4]\n"
        "%2 = call int32 [9] (%0) matinv\n"
        "%3 = result float32 [9, 4, 4] (%2) 1\n"
        "return %3, %2\n");
  CHECK(on(gpu(), inverting("32")).find("getrf") == std::string::npos);
}

TEST_CASE("factors that somebody else reads stay, and the inverse has the same bits") {
  CHECK(on(gpu(), inverting("4", "[0, 1]", ", %3")) ==
        "%0 = source float32 [9, 4, 4]\n"
        "%1 = source float32 [9, 4, 4]\n"
        "%2 = call int32 [9] (%0) getrf\n"
        "%3 = result float32 [9, 4, 4] (%2) 1\n"
        "%4 = call int32 [9] (%0) matinv\n"
        "%5 = result float32 [9, 4, 4] (%4) 1\n"
        "return %5, %2, %3\n");
}

TEST_CASE("what is inverted by factors") {
  const auto kept = [](const ir::machine& m, const std::string& text) {
    return on(m, text) == text;
  };
  CHECK(kept(gpu(), inverting("33")));           // more than cuBLAS supports
  CHECK(kept(gpu(), inverting("4", "[0, 0]")));  // solutions
  CHECK(kept({}, inverting("4", "[0, 0]")));
  CHECK(kept(gpu(), inverting("4", "[1, 1]")));
}

TEST_CASE("inverse, solution and determinants of the same matrices share their factors") {
  namespace la = sinter::linalg;
  using names = std::vector<std::string>;
  const auto a = stored({50, 5, 5}), b = stored({50, 5, 2});
  const auto inverse = la::inv(a), solved = la::solve(a, b), det = la::det(a);
  const auto [sign, logarithm] = la::slogdet(a);
  CHECK(calls({inverse}, ir::target::gpu) == names{"matinv"});
  CHECK(calls({inverse}, ir::target::cpu) == names{"getri"});
  CHECK(calls({solved, det, sign, logarithm}, ir::target::gpu) == names{"getrf", "getrs"});
  CHECK(calls({inverse, solved, det, sign, logarithm}, ir::target::gpu) ==
        names{"getrf", "getrs", "matinv"});
  CHECK(calls({inverse, solved, det, sign, logarithm}, ir::target::cpu) ==
        names{"getrf", "getri", "getrs"});
}

}  // namespace inverses_test

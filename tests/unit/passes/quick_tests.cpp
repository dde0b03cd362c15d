// The combined tests of quotients and roots that have no tests of their own.
#include "ir/quick_tests.hpp"

#include "ir/kernel_quick.hpp"
#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace quick_tests_test {

using namespace passes_tests;

namespace {

/// For two floats v0 and v1 and a scalar: the test of each quotient and root of a map.
std::string asked_of(const std::string& code) {
  const std::string text = "%0 = source float32 [100000]\n%1 = source float32 [100000]\n"
                           "%2 = scalar float32 [] 7\n%3 = map float32 [100000] (%0, %1, %2) { " +
                           code + " }\nreturn %3\n";
  const ir::kernel k = plan_of(text, gpu()).kernels.at(0);
  const std::vector<ir::quick_test> tests = ir::quick_tests(k);
  std::string said;
  for (std::size_t i = 0; i < k.body.size(); ++i) {
    const ir::inst& at = k.body[i];
    if (at.kind != ir::inst_kind::compute || !ir::has_quick_form(at)) continue;
    said += at.code == ir::op::sqrt ? "sqrt " : "divide ";
    said += tests[i] == ir::quick_test::size ? "size; " : "floor; ";
  }
  return said;
}

}  // namespace

TEST_CASE("quick tests: of what is stored its size is asked") {
  CHECK(asked_of("v3 = abs float32 v0; v4 = sqrt float32 v3") == "sqrt size; ");
  CHECK(asked_of("v3 = divide float32 v0 v1") == "divide size; ");
}

TEST_CASE("quick tests: of what is never negative the least, where a NaN is met with later") {
  const std::string root = "v3 = abs float32 v0; v4 = sqrt float32 v3; ";
  CHECK(asked_of(root + "v5 = add float32 v4 v1; v6 = divide float32 v5 v1") ==
        "sqrt floor; divide size; ");
  CHECK(asked_of(root + "v5 = divide float32 v4 v1; v6 = exp float32 v5; "
                        "v7 = divide float32 v6 v1") ==
        "sqrt floor; divide floor; divide size; ");
}

TEST_CASE("quick tests: the size of what may be negative, or is divided by a number") {
  CHECK(asked_of("v3 = sqrt float32 v0; v4 = divide float32 v3 v1") == "sqrt size; divide size; ");
  CHECK(asked_of("v3 = divide float32 v0 v1; v4 = divide float32 v3 v1") ==
        "divide size; divide size; ");
  CHECK(asked_of("v3 = exp float32 v0; v4 = divide float32 v3 v2; v5 = divide float32 v4 v1") ==
        "divide size; divide size; ");
}

TEST_CASE("quick tests: the size of what an op behind it may hide") {
  const std::string root = "v3 = abs float32 v0; v4 = sqrt float32 v3; ";
  CHECK(asked_of(root + "v5 = less float32 v0 v1; v6 = where float32 v5 v4 v1; "
                        "v7 = divide float32 v6 v1") ==
        "sqrt size; divide size; ");
}

}  // namespace quick_tests_test

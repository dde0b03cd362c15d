// Rows whose vectors begin before the row: what the verifier accepts.

#include <string>

#include "ir/error.hpp"
#include "ir/kernel.hpp"
#include "tests/catch.hpp"

namespace kernel_verify_leads_test {

using namespace sinter::ir;

namespace {

/// "[schedule-lead]", or nothing.
std::string rule_of(const kernel& k) {
  try {
    verify(k);
  } catch (const verify_error& e) {
    const std::string message = e.what();
    return message.substr(0, message.find(']') + 1);
  }
  return "";
}

}  // namespace

TEST_CASE("a lead of rows has filled vectors after it, and nothing lies across the rows") {
  const auto rule = [](const std::string& schedule, const std::string& more) {
    return rule_of(parse_kernel(
        "kernel k\ntarget gpu, kept 1, reduced 1\nschedule vector 4 unroll 3 threads 128 "
        "row_threads 128 lanes reduced resident elastic " + schedule + " rows 1\n" +
        "in0 = input float32 [any, one]\nin1 = input float32 [zero, one] shifted\n"
        "out0 = output float32 [any, one]\n" + more));
  };
  const std::string led = "filled 2 lead 2";
  const std::string sums = "v0 = each load float32 in0\nv1 = reduce add float32 v0\n"
                           "v2 = each multiply float32 v0 v1\n";
  CHECK(rule(led, sums + "v3 = each store float32 out0 v2\n") == "");
  CHECK(rule("filled 2", sums + "v3 = each store float32 out0 v2\n") == "[reach]");
  CHECK(rule("lead 2", sums + "v3 = each store float32 out0 v2\n") == "[schedule-lead]");
  CHECK(rule("filled 3 lead 2", sums + "v3 = each store float32 out0 v2\n") == "[schedule-lead]");
  CHECK(rule(led, "in2 = input float32 [any, any]\n" + sums) == "[schedule-lead]");
  CHECK(rule(led, "ix0 = index int64 [any, one]\n" + sums +
                      "v3 = each index int64 ix0\n"
                      "v4 = each gather float32 in0 v3 none\n") == "[schedule-lead]");
  CHECK(rule(led, "ix0 = index int64 [any, one]\n" + sums +
                      "v3 = each index int64 ix0\n"
                      "v4 = each store float32 out0 v2 none v3\n") == "[schedule-lead]");
}

}  // namespace kernel_verify_leads_test

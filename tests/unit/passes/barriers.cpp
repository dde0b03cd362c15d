// Barriers, calls that return their operand: no step of a plan, and nothing merges across them.
#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace barriers_test {

using namespace passes_tests;

namespace {

std::string twice(const std::string& between, const std::string& read = "%2") {
  return "%0 = source float32 [1000]\n"
         "%1 = map float32 [1000] (%0) { v1 = exp float32 v0 }\n"
         "%2 = " + between + "\n"
         "%3 = map float32 [1000] (" + read + ") { v1 = sin float32 v0 }\n"
         "return %3\n";
}

constexpr const char* barrier = "call float32 [1000] (%1) barrier";

}  // namespace

TEST_CASE("barrier: kernels on both sides are two, and it is no step") {
  for (const ir::machine& m : {ir::machine{}, gpu()}) {
    const ir::plan p = ir::make_plan(ir::parse_graph(twice(barrier)), m);
    CHECK(p.kernels.size() == 2);
    REQUIRE(p.steps.size() == 2);
    CHECK(p.steps[1].what == ir::plan_step::kind::kernel);
    CHECK(p.steps[0].outputs == p.steps[1].inputs);
    CHECK(ir::make_plan(ir::parse_graph(twice("view float32 [1000] (%1) strides [1]")), m)
              .kernels.size() == 1);
  }
}

TEST_CASE("barrier: of a source it is that source") {
  const ir::plan p = plan_of("%0 = source float32 [8]\n%1 = call float32 [8] (%0) barrier\n"
                             "%2 = map float32 [8] (%1) { v1 = exp float32 v0 }\nreturn %2\n");
  REQUIRE(p.steps.size() == 1);
  CHECK(p.buffers[static_cast<std::size_t>(p.steps[0].inputs[0])].what ==
        ir::plan_buffer::role::source);
}

TEST_CASE("barrier: what is read on both sides is not overwritten") {
  // The second kernel reads neighbours before the barrier, and its own element after it.
  const ir::plan p = plan_of(
      "%0 = source float32 [1001]\n"
      "%1 = map float32 [1001] (%0) { v1 = exp float32 v0 }\n"
      "%2 = call float32 [1001] (%1) barrier\n"
      "%3 = view float32 [1000] (%1) offset 1 strides [1]\n"
      "%4 = view float32 [1000] (%2) strides [1]\n"
      "%5 = map float32 [1000] (%3, %4) { v2 = subtract float32 v0 v1 }\n"
      "return %5\n");
  REQUIRE(p.steps.size() == 2);
  CHECK(p.steps[1].inputs[0] == p.steps[1].inputs[1]);
  CHECK(p.steps[1].donors.empty());
}

TEST_CASE("barrier: of a number it is that number, stored") {
  const ir::plan p = plan_of("%0 = scalar float32 [] 2\n%1 = map float32 [] (%0) { }\n"
                             "%2 = call float32 [] (%1) barrier\nreturn %2\n");
  REQUIRE(p.steps.size() == 1);
  CHECK(p.steps[0].what == ir::plan_step::kind::kernel);
}

}  // namespace barriers_test

// The text of stacks, run on the host and compared with their graph.
#include "ir/kernel_stack.hpp"
#include "ir/passes/pipeline.hpp"
#include "ir/text.hpp"
#include "tests/catch.hpp"
#include "tests/shim/host_kernels.hpp"
#include "tests/support/sweep_graphs.hpp"
#include "tests/support/plan_slots.hpp"

namespace stack_text_test {

using namespace sinter;
using tests::buffers_of, tests::expected_of, tests::slots_of;

namespace {

void compare(const std::string& text, const ir::machine& m) {
  INFO(text);
  const ir::graph g = ir::parse_graph(text);
  const ir::plan p = ir::make_plan(g, m);
  REQUIRE(p.steps.size() == 1);
  const ir::kernel& k = p.kernels[0];
  REQUIRE(ir::is_stack(k));
  ir::verify(k);
  const std::vector<ir::tensor> wanted = expected_of(g, p);
  tests::host_kernels host;
  const int number = host.add(k);
  host.build();
  INFO(host.text(number));
  for (const auto order : {tests::thread_order::ascending, tests::thread_order::descending}) {
    auto interpreted = buffers_of(p), run = interpreted;
    const auto slots = slots_of(p.steps[0], interpreted), own = slots_of(p.steps[0], run);
    const std::int64_t blocks = ir::block_count(k, slots.data());
    ir::run_kernel(k, slots.data(), 0, blocks);
    host.run(number, own.data(), blocks, order);
    CHECK(run == interpreted);
    for (std::size_t o = 0; o < wanted.size(); ++o) {
      CHECK(run[static_cast<std::size_t>(p.outputs[o])] == wanted[o].data);
    }
  }
}

}  // namespace

TEST_CASE("a stack's text computes what its sweeps would", "[cuda_text]") {
  for (const std::string& text : tests::sweep_graphs()) compare(text, tests::stacking());
}

TEST_CASE("so it does where borders come from memory", "[cuda_text]") {
  ir::machine m = tests::stacking();
  m.stack_held = 0;
  compare(tests::to_the_next("float32", 50, 70, 4), m);
}

}  // namespace stack_text_test

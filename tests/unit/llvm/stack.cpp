// Compiled stacks, compared with the interpreter and their graph.

#include "ir/kernel_stack.hpp"

#include <functional>

#include <pthread.h>

#include "codegen/compiler.hpp"
#include "ir/passes/pipeline.hpp"
#include "ir/text.hpp"
#include "tests/catch.hpp"
#include "tests/support/plan_slots.hpp"
#include "tests/support/sweep_graphs.hpp"
#include "tests/unit/llvm/harness.hpp"

namespace stack_test {

using namespace llvm_tests;
using tests::buffers_of, tests::expected_of, tests::slots_of;

namespace {

/// Several boxes along each axis, full and partial.
std::vector<std::string> graphs() {
  std::vector<std::string> all = tests::sweep_graphs();
  all.push_back(tests::there_and_back("float32", 21, 2100, 3));
  all.push_back(tests::there_and_back("int16", 75, 4100, 8));
  all.push_back(tests::there_and_back("float64", 64, 1024, 2));
  all.push_back(tests::three_fields(17, 35, 300));
  all.push_back(tests::along_a_line("float64", 12300));
  return all;
}

void check_stack(const ir::graph& g, const ir::machine& m) {
  const ir::plan p = ir::make_plan(g, m);
  REQUIRE(p.steps.size() == 1);
  const ir::kernel& k = p.kernels[0];
  REQUIRE(ir::is_stack(k));
  ir::verify(k);
  CHECK(ir::print(ir::parse_kernel(ir::print(k))) == ir::print(k));
  const codegen::compiled c = doors()->compiler->compile(k, {});
  const auto code = doors()->loader->load(c.image, c.entry);
  auto interpreted = buffers_of(p), compiled = interpreted;
  const auto slots = slots_of(p.steps[0], interpreted), own = slots_of(p.steps[0], compiled);
  const std::int64_t blocks = ir::block_count(k, slots.data());
  ir::run_kernel(k, slots.data(), 0, blocks);
  for (std::int64_t b = blocks; b-- > 0;) code->entry()(own.data(), b, b + 1);
  CHECK(compiled == interpreted);
  const std::vector<ir::tensor> wanted = expected_of(g, p);
  for (std::size_t o = 0; o < wanted.size(); ++o) {
    CHECK(compiled[static_cast<std::size_t>(p.outputs[o])] == wanted[o].data);
  }
}

}  // namespace

TEST_CASE("a compiled stack computes what its sweeps would", "[llvm]") {
  if (!doors()) return;
  for (const std::string& text : graphs()) {
    INFO(text);
    for (int bytes : {16, 64}) check_stack(ir::parse_graph(text), tests::stacking_on_cpu(bytes));
  }
}

TEST_CASE("a stack's tiles are not on the stack of a thread", "[llvm]") {
  if (!doors()) return;
  const ir::graph g = ir::parse_graph(tests::there_and_back("float32", 300, 2100, 4));
  const ir::plan p = ir::make_plan(g, tests::stacking_on_cpu(32));
  const ir::kernel& k = p.kernels.at(0);
  constexpr std::size_t stack_bytes = 256 << 10;
  REQUIRE(ir::room_of(k).bytes > static_cast<std::int64_t>(stack_bytes));
  const codegen::compiled c = doors()->compiler->compile(k, {});
  const auto code = doors()->loader->load(c.image, c.entry);
  auto buffers = buffers_of(p);
  const auto slots = slots_of(p.steps[0], buffers);
  std::function<void()> run = [&] {
    code->entry()(slots.data(), 0, ir::block_count(k, slots.data()));
  };
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, stack_bytes);
  pthread_t thread;
  const auto call = [](void* f) -> void* {
    (*static_cast<std::function<void()>*>(f))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &small, call, &run) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&small);
  const std::vector<ir::tensor> wanted = expected_of(g, p);
  CHECK(buffers[static_cast<std::size_t>(p.outputs[0])] == wanted[0].data);
}

TEST_CASE("parts of a stack that look alike are one function", "[llvm]") {
  if (!doors()) return;
  const ir::graph g = ir::parse_graph(tests::there_and_back("float32", 100, 100, 8));
  const ir::plan p = ir::make_plan(g, tests::stacking_on_cpu());
  const codegen::compiled c = doors()->compiler->compile(p.kernels.at(0), {.source = true});
  const std::string& text = c.stages.at(0).second;
  // The sweep, the same with an array next to its tile, and copies of borders and results.
  int functions = 0;
  while (text.find("@part_" + std::to_string(functions + 1) + "(") != std::string::npos) {
    ++functions;
  }
  CHECK(functions >= 2);
  CHECK(functions <= 5);
}

}  // namespace stack_test

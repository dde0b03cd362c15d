// Which sweeps are stacked.
#include "ir/passes/stack_sweeps.hpp"

#include "ir/kernel_stack.hpp"
#include "tests/catch.hpp"
#include "tests/support/sweep_graphs.hpp"
#include "tests/unit/passes/texts.hpp"

namespace stack_sweeps_test {

using namespace passes_tests;
using sinter::tests::stacking;
using sinter::tests::stacking_on_cpu;
using sinter::tests::sweep_text;
using sinter::tests::there_and_back;
using sinter::tests::to_the_next;

namespace {

/// The steps of a plan: "stack of 5 parts", "map", "copy", ...
std::vector<std::string> steps_of(const ir::plan& p) {
  std::vector<std::string> out;
  for (const ir::plan_step& s : p.steps) {
    if (s.what == ir::plan_step::kind::copy) {
      out.push_back("copy");
      continue;
    }
    const ir::kernel& k = p.kernels.at(static_cast<std::size_t>(s.kernel));
    CHECK(s.slots.size() == ir::slots_of(k).size());
    out.push_back(ir::is_stack(k) ? "stack of " + std::to_string(k.parts.size()) + " parts"
                  : k.reduced > 0 ? "reduction"
                                  : "map");
  }
  return out;
}

std::vector<std::string> steps_of(const std::string& text, const ir::machine& m = stacking()) {
  return steps_of(plan_of(text, m));
}

using list = std::vector<std::string>;

}  // namespace

TEST_CASE("stack_sweeps: sweeps from one field to the other are one kernel") {
  // A tile holds its input; the first sweep's borders come from memory, the third's are in its
  // tile; both results have borders to be written.
  CHECK(steps_of(there_and_back("float32", 100, 100, 4)) == list{"stack of 8 parts"});
  const ir::plan p = plan_of(there_and_back("float32", 100, 100, 4), stacking());
  CHECK(p.reports[0].bytes_read == 2 * 4 * 10000);
  CHECK(p.reports[0].bytes_written == 2 * 4 * 10000);
  CHECK(p.kernels[0].tiles.size() == 2);
}

TEST_CASE("stack_sweeps: borders are not read from a tile that a later sweep fills") {
  // A tile holds the base of the update for the sweep after it, which reads it twice.
  ir::machine m = stacking();
  m.units = 1;
  m.bandwidth = 1e10;
  m.stack_held = 64;
  const ir::plan p = plan_of(R"(%0 = source float32 [4]
%1 = view float32 [2] (%0) strides [1]
%2 = view float32 [2] (%0) offset 1 strides [1]
%3 = map float32 [2] (%1, %2) { v2 = maximum float32 v0 v1 }
%4 = source float32 [3]
%5 = update float32 [4] (%0, %4) strides [1]
%6 = view float32 [2] (%5) strides [1]
%7 = view float32 [1, 2] (%6) strides [2, 1]
%8 = view float32 [2] (%7) strides [1]
%9 = map float32 [2] (%3, %8) { v2 = add float32 v1 v0 }
return %9, %7
)", m);
  REQUIRE(steps_of(p) == list{"stack of 5 parts"});
  ir::verify(p.kernels[0]);
}

TEST_CASE("stack_sweeps: as many as the machine says, and no more") {
  ir::machine m = stacking();
  m.stack_limit = 2;
  CHECK(steps_of(there_and_back("float32", 100, 100, 5), m).size() == 4);
  m.stack_limit = 0;
  CHECK(steps_of(there_and_back("float32", 100, 100, 2), m) == list{"copy", "map", "copy", "map"});
  m = stacking();
  m.fuse = false;
  CHECK(steps_of(there_and_back("float32", 100, 100, 2), m).size() > 4);
}

TEST_CASE("stack_sweeps: fields that no step writes have no memory, all others do") {
  const ir::plan p = plan_of(there_and_back("float32", 100, 100, 8), stacking());
  std::vector<bool> written(p.buffers.size());
  for (const ir::plan_step& s : p.steps) {
    for (std::int32_t b : s.outputs) written[static_cast<std::size_t>(b)] = true;
  }
  int without = 0;
  for (std::size_t b = 0; b < p.buffers.size(); ++b) {
    if (p.buffers[b].what == ir::plan_buffer::role::source) continue;
    CHECK(p.buffers[b].is_used() == written[b]);
    without += !p.buffers[b].is_used();
  }
  CHECK(without > 0);
}

TEST_CASE("stack_sweeps: where arithmetic is slow, or points are few, sweeps stay apart") {
  ir::machine m = stacking();
  m.arithmetic = 1e9;
  CHECK(steps_of(there_and_back("float32", 100, 100, 2), m) == list{"copy", "map", "copy", "map"});
  m = stacking();
  m.stack_points = 10000;
  CHECK(steps_of(there_and_back("float32", 100, 100, 2), m) == list{"copy", "map", "copy", "map"});
}

TEST_CASE("stack_sweeps: fewer points will do where a sweep copies its array first") {
  ir::machine m = stacking();
  m.stack_points = 64 * 5000;
  CHECK(steps_of(to_the_next("float32", 100, 100, 3), m) == list{"stack of 7 parts"});
  CHECK(steps_of(there_and_back("float32", 100, 100, 3), m).size() == 6);
  m.stack_points = 64 * 20000;
  CHECK(steps_of(to_the_next("float32", 100, 100, 3), m).size() == 6);
}

TEST_CASE("stack_sweeps: borders stay in the tile that the array came into, if there is room") {
  const auto borders_in_memory = [](const ir::machine& m, int side) {
    const ir::plan p = plan_of(to_the_next("float32", side, side, 3), m);
    return std::ranges::count_if(p.kernels.at(0).parts, [](const ir::kernel& part) {
      return part.around && part.operands[0].role == ir::operand_role::input;
    });
  };
  ir::machine m = stacking();
  CHECK(borders_in_memory(m, 100) == 0);
  m.stack_held = 5000;
  CHECK(borders_in_memory(m, 100) == 3);
}

TEST_CASE("stack_sweeps: a CPU's read memory where it is, in long rows") {
  const ir::plan p = plan_of(there_and_back("float32", 100, 100, 4), stacking_on_cpu());
  CHECK(steps_of(p) == list{"stack of 8 parts"});
  for (const ir::kernel& part : p.kernels[0].parts) CHECK(!part.name.ends_with("_stage"));
  CHECK(p.kernels[0].box == std::vector{32, 1024});
  CHECK(p.kernels[0].parts[0].schedule.vector == 4);
}

TEST_CASE("stack_sweeps: a CPU's caches do as well, up to their size") {
  ir::machine m = stacking_on_cpu(64);
  m.units = 2;
  m.arithmetic = 1e11;
  m.launch = 1e-6;
  const auto stacks = [&](const std::string& type, int side) {
    return steps_of(there_and_back(type, side, side, 5), m)[0].starts_with("stack");
  };
  CHECK_FALSE(stacks("float32", 1500));
  CHECK(stacks("float32", 2048));
  CHECK(stacks("float32", 4096));
  CHECK_FALSE(stacks("float64", 700));
}

TEST_CASE("stack_sweeps: sweeps that read far away, or in another order, stay apart") {
  sweep_text far("float32", {200, 40});
  int a = far.source(), b = far.source();
  b = far.update(b, far.sum({{a, {0, 0}}, {a, {1, 0}}}, {0, 0}, {100, 40}), {0, 0});
  a = far.update(a, far.sum({{b, {0, 0}}, {b, {60, 0}}}, {0, 0}, {100, 40}), {0, 0});
  for (const std::string& s : steps_of(far.returning({a}))) CHECK(!s.starts_with("stack"));
  for (const std::string& s : steps_of(R"(%0 = source float32 [50, 50]
%1 = source float32 [50, 50]
%2 = map float32 [50, 50] (%0) { v1 = sqrt float32 v0 }
%3 = update float32 [50, 50] (%1, %2) strides [50, 1]
%4 = view float32 [50, 50] (%3) strides [1, 50]
%5 = map float32 [50, 50] (%4) { v1 = sqrt float32 v0 }
%6 = update float32 [50, 50] (%0, %5) strides [50, 1]
return %6
)")) {
    CHECK(!s.starts_with("stack"));
  }
}

TEST_CASE("stack_sweeps: what others read of a stack is written") {
  // The first result is an output, and reduced; only the third sweep reads the second's result.
  sweep_text t("float32", {60, 60});
  const int a = t.source(), b = t.source();
  const std::vector<sweep_text::point> cross{{a, {0, -1}}, {a, {0, 1}}};
  const int first = t.update(b, t.sum(cross, {1, 1}, {58, 58}), {1, 1});
  const int second =
      t.update(a, t.sum({{first, {-1, 0}}, {first, {1, 0}}}, {1, 1}, {58, 58}), {1, 1});
  const int third =
      t.update(first, t.sum({{second, {-1, 0}}, {second, {1, 0}}}, {1, 1}, {58, 58}), {1, 1});
  const ir::plan p = plan_of(t.returning({first, third}), stacking());
  CHECK(steps_of(p).size() == 1);
  CHECK(p.steps[0].outputs.size() == 2);
  CHECK(p.steps[0].donors.empty());
}

TEST_CASE("stack_sweeps: a row alone is a sweep over the grid, too") {
  CHECK(steps_of(sinter::tests::in_place(40, 50)).size() == 1);
}

}  // namespace stack_sweeps_test

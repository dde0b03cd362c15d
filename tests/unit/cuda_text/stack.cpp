// The text of stacks, run on the host, beside the graph they come from.
#include <bit>
#include <cstring>

#include "ir/interpreter.hpp"
#include "ir/kernel_stack.hpp"
#include "ir/passes/pipeline.hpp"
#include "ir/reference.hpp"
#include "ir/text.hpp"
#include "tests/catch.hpp"
#include "tests/shim/host_kernels.hpp"
#include "tests/support/sweep_graphs.hpp"
#include "tests/unit/cuda_text/plan_slots.hpp"

namespace stack_text_test {

using namespace sinter;
using tests::slots_of;

namespace {

using bytes = std::vector<std::byte>;

/// Buffers of a plan: small numbers in its sources, the same bits in all the rest.
std::vector<bytes> buffers_of(const ir::plan& p) {
  std::vector<bytes> all;
  for (const ir::plan_buffer& b : p.buffers) {
    const auto count = static_cast<std::size_t>(b.count.peek());
    all.emplace_back(count * size_of(b.type), std::byte{0x5a});
    if (b.what != ir::plan_buffer::role::source) continue;
    for (std::size_t i = 0; i < count; ++i) {
      const double value = static_cast<double>((i * 37 + static_cast<std::size_t>(b.index)) % 101);
      const ir::scalar_value number{{std::bit_cast<std::uint64_t>(value), 0}};
      const ir::scalar_value v = ir::convert(number, dtype::float64, b.type);
      std::memcpy(all.back().data() + i * size_of(b.type), v.bits, size_of(b.type));
    }
  }
  return all;
}

/// What the graph says its outputs are, from the plan's sources.
std::vector<ir::tensor> expected(const ir::graph& g, const ir::plan& p) {
  std::vector<bytes> buffers = buffers_of(p);
  std::vector<ir::tensor_view> sources;
  std::size_t b = 0;
  for (const ir::node& n : g.nodes) {
    if (n.kind != ir::node_kind::source) continue;
    while (p.buffers[b].what != ir::plan_buffer::role::source) ++b;
    sources.push_back({n.type, ir::plain(n.shape), buffers[b++].data()});
  }
  return ir::interpret(g, sources);
}

}  // namespace

TEST_CASE("a stack's text computes what its sweeps would", "[cuda_text]") {
  for (const std::string& text : tests::sweep_graphs()) {
    INFO(text);
    const ir::graph g = ir::parse_graph(text);
    const ir::plan p = ir::make_plan(g, tests::stacking());
    REQUIRE(p.steps.size() == 1);
    const ir::kernel& k = p.kernels[0];
    REQUIRE(ir::is_stack(k));
    ir::verify(k);
    const std::vector<ir::tensor> wanted = expected(g, p);
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
}

}  // namespace stack_text_test

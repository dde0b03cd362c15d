#include "ir/passes/widen_calls.hpp"

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace widen_calls_test {

namespace ir = sinter::ir;

namespace {

const char* product = R"(%0 = source float16 [2, 3]
%1 = source float16 [3, 2]
%2 = call float16 [2, 2] (%0, %1) matmul
return %2
)";

}  // namespace

TEST_CASE("half products are float products on a CPU, and stay what they are on a GPU") {
  const ir::graph g = ir::parse_graph(product);
  ir::machine m;
  const ir::graph cpu = ir::widen_calls(g, m);
  ir::verify(cpu);
  REQUIRE(cpu.nodes.size() == 6);
  CHECK(cpu.nodes[4].type == sinter::dtype::float32);
  CHECK(cpu[cpu.outputs[0]].type == sinter::dtype::float16);
  m.target = ir::target::gpu;
  CHECK(ir::widen_calls(g, m).nodes.size() == 3);
}

TEST_CASE("a half product is rounded once") {
  namespace sn = sinter;
  const sn::array<sn::float16> a = sn::astype<sn::float16>(sn::full<float>({1, 3}, 0.1f));
  const sn::array<sn::float16> b = sn::astype<sn::float16>(sn::full<float>({3, 1}, 0.3f));
  const float x = sn::float16(0.1f), y = sn::float16(0.3f);
  CHECK(static_cast<float>(sn::matmul(a, b).item()) ==
        static_cast<float>(sn::float16(x * y + x * y + x * y)));
}

}  // namespace widen_calls_test

#include "codegen/cuda_text/emit.hpp"
#include "ir/passes/pipeline.hpp"
#include "ir/text.hpp"
#include "tests/catch.hpp"
#include "tests/unit/cuda_text/compare.hpp"
#include "tests/unit/cuda_text/maps_cases.hpp"

namespace maps_test {

using namespace sinter::tests;

TEST_CASE("maps over one axis, whole vectors and what is left of the last", "[cuda_text]") {
  check(flat_maps());
}
TEST_CASE("vectors of every element type", "[cuda_text]") {
  check(vectors_of_types());
}
TEST_CASE("strides, broadcasts, transposes, flips", "[cuda_text]") {
  check(layouts_of_maps());
}
TEST_CASE("transposed operands turn in shared memory", "[cuda_text]") {
  check(tiles());
}
TEST_CASE("operands that take turns in one array", "[cuda_text]") {
  check(rows_in_turns());
}
TEST_CASE("rows that a block brings to shared memory, and takes back", "[cuda_text]") {
  check(brought_rows());
}
TEST_CASE("rows that begin anywhere in memory", "[cuda_text]") {
  check(rows_anywhere());
}

TEST_CASE("vectors that go on over the ends of rows", "[cuda_text]") {
  check(over_ends());
}

TEST_CASE("blocks that do several planes", "[cuda_text]") {
  check(planes_in_turn());
}

TEST_CASE("rows that conditions choose, a vector at a time where they agree", "[cuda_text]") {
  check(chosen_rows());
}

TEST_CASE("16 bits wrap where no optimizer makes a negation of it", "[cuda_text]") {
  sinter::ir::machine gpu;
  gpu.target = sinter::ir::target::gpu;
  const auto text = [&](const std::string& step) {
    const sinter::ir::graph g = sinter::ir::parse_graph("%0 = source int16 [100]\n"
                                                        "%1 = map int16 [100] (%0) { v1 = " +
                                                        step + " }\nreturn %1\n");
    return sinter::codegen::emit_cuda(sinter::ir::make_plan(g, gpu).kernels.at(0));
  };
  CHECK(text("negative int16 v0").find("= sinter_negative(in0_v[u][k])") != std::string::npos);
  CHECK(text("negative int16 v0").find(R"(asm("" : "+r"(wide)))") != std::string::npos);
  CHECK(text("add int16 v0 v0").find("sinter_narrowed<short>(") != std::string::npos);
  CHECK(text("subtract int16 v0 v0").find("sinter_narrowed<short>(") != std::string::npos);
  CHECK(text("multiply int16 v0 v0").find("sinter_narrowed<short>(") != std::string::npos);
}

TEST_CASE("an or is kept apart from an and of the same operands", "[cuda_text]") {
  sinter::ir::machine gpu;
  gpu.target = sinter::ir::target::gpu;
  const auto text = [&](const std::string& roots) {
    const sinter::ir::graph g = sinter::ir::parse_graph(R"(%0 = source bool [100]
%1 = source bool [100]
%2 = map bool [100] (%0, %1) { v2 = logical_or bool v0 v1 }
%3 = map bool [100] (%1, %0) { v2 = bitwise_and bool v0 v1 }
return )" + roots + "\n");
    const sinter::ir::plan p = sinter::ir::make_plan(g, gpu);
    REQUIRE(p.kernels.size() == 1);
    return sinter::codegen::emit_cuda(p.kernels[0]);
  };
  CHECK(text("%2, %3").find("sinter_either((in0_v[k] != 0), (in1_v[k] != 0))") !=
        std::string::npos);
  CHECK(text("%2").find("sinter_either") == std::string::npos);
}

TEST_CASE("warps write runs together as far as shared memory has room for all", "[cuda_text]") {
  const auto together = [](int arrays) {
    constexpr auto type = sinter::dtype::float64;
    builder b(1);
    const int value = b.load(b.input(type, {one}));
    for (int a = 0; a < arrays; ++a) {
      for (int o : b.turns(sinter::ir::operand_role::output, type, 4)) b.store(o, value);
    }
    const std::string text = sinter::codegen::emit_cuda(b.map(2, 1, 256));
    return text.find("sinter_store_runs<256>(") != std::string::npos;
  };
  CHECK(together(1));
  CHECK(together(2));
  CHECK_FALSE(together(3));  // 48 KB
}

TEST_CASE("many quotients of doubles are calls where memory hides them", "[cuda_text]") {
  const auto calls = [](int quotients, int arrays, sinter::dtype type) {
    builder b(1);
    std::vector<int> loads;
    for (int a = 0; a < arrays; ++a) loads.push_back(b.load(b.input(type, {one})));
    int sum = loads[0];
    for (int q = 0; q < quotients; ++q) {
      const int by = loads[static_cast<std::size_t>(q % arrays)];
      sum = b.op(op::add, type, {sum, b.op(op::divide, type, {sum, by})});
    }
    b.store(b.output(type, {one}), sum);
    return sinter::codegen::emit_cuda(b.map(1)).find("sinter_divided(") != std::string::npos;
  };
  CHECK(calls(16, 16, sinter::dtype::float64));
  CHECK(!calls(15, 16, sinter::dtype::float64));
  CHECK(!calls(20, 16, sinter::dtype::float64));
  CHECK(!calls(16, 16, sinter::dtype::float32));
}

}  // namespace maps_test

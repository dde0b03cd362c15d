#include "codegen/cuda_text/emit.hpp"
#include "ir/passes/pipeline.hpp"
#include "ir/text.hpp"
#include "tests/catch.hpp"
#include "tests/unit/cuda_text/compare.hpp"
#include "tests/unit/cuda_text/loops_cases.hpp"

namespace loops_test {

using namespace sinter::tests;

TEST_CASE("loops at a point", "[cuda_text]") {
  check(loops());
}

TEST_CASE("a counted loop is a for loop, any other one a while loop", "[cuda_text]") {
  const auto text = [](std::string (*of)(const std::string&)) {
    return sinter::codegen::emit_cuda(loop_kernel(of, "gpu", map_schedule(1, 1)));
  };
  CHECK(text(counted).find("for (long long round_5 = 0; round_5 < s0; ++round_5) {\n"
                           "    const float multiply_5_5 = s1 * carry_5_0;\n"
                           "    const float subtract_5_7 = 1.0f - carry_5_0;\n") !=
        std::string::npos);
  CHECK(text(growing).find("for (long long round_9 = 0;; ++round_9) {") != std::string::npos);
  std::string roundless(growing(""));
  roundless.replace(roundless.find("v9 = less int64 v4 v8"), 21, "v9 = less int64 v1 v8");
  const sinter::ir::kernel k = sinter::ir::parse_kernel(
      "kernel test\ntarget gpu, kept 1, reduced 0\nschedule " + map_schedule(1, 1) + "\n" +
      roundless);
  CHECK(sinter::codegen::emit_cuda(k).find("while (true) {") != std::string::npos);
  CHECK(text(growing).find("if (!(logical_and_9_10)) break;") != std::string::npos);
  CHECK(text(growing).find("const int next_9_2 = carry_9_3;") != std::string::npos);
}

TEST_CASE("what a loop starts from and the rows share outlives the lanes that compute it",
          "[cuda_text]") {
  sinter::ir::machine gpu;
  gpu.target = sinter::ir::target::gpu;
  gpu.units = 132;
  const sinter::ir::plan p = sinter::ir::make_plan(sinter::ir::parse_graph(R"(%0 = source int64 [2]
%1 = view int64 [2, 2] (%0) strides [0, 1]
%2 = source int64 []
%3 = map bool [2, 2] (%1, %2) { v2 = greater_equal int64 v0 v1 }
%4 = source int64 []
%5 = source float32 [1, 2, 2]
%6 = loop bool [2, 2] (%3, %4, %5) carries 1 )"
      "{ v4 = less int64 v1 v2; v5 = add bool v4 v4 } while v4 next v5 slice along 4 strides [2, 1]"
      R"(
%7 = result bool [2, 2] (%6) 0
%8 = reduce bool [2] (%7) logical_and over [0]
return %8
)"), gpu);
  REQUIRE(p.kernels.size() == 1);
  sinter::ir::kernel k = p.kernels[0];
  CHECK(k.schedule.vector == 1);  // concurrent loops have long bodies
  k.schedule.vector = 2;
  k.schedule.rows *= 2;
  const std::string text = sinter::codegen::emit_cuda(k);
  CHECK(text.find("bool greater_equal_2[2];") < text.find("carry_7_0 = greater_equal_2[k];"));
  CHECK(text.find("carry_7_0 = greater_equal_2[k];") != std::string::npos);
}

TEST_CASE("what a round reads of a table is read before it is written over", "[cuda_text]") {
  sinter::ir::machine gpu;
  gpu.target = sinter::ir::target::gpu;
  gpu.units = 132;
  const sinter::ir::plan p = sinter::ir::make_plan(sinter::ir::parse_graph(
      "%0 = scalar int64 [] 50\n%1 = source int32 [100]\n"
      "%2 = loop int32 [] (%0, %1) carries 0 tables 1 read t0 read t0 read t0 "
      "{ v5 = less int64 v0 v1; v6 = add int32 v2 v3; v7 = multiply int32 v4 v6 } while v5 next v6 "
      "slice along 1 strides [] after 0 slice along 1 offset 50 strides [] after 0 "
      "slice along 1 offset 9 strides [] after 1 "
      "write t0 offset 50 by v0 = v2 write t0 offset 0 by v0 = v7\n"
      "%3 = result int32 [100] (%2) 1\nreturn %3\n"), gpu);
  const std::string text = sinter::codegen::emit_cuda(p.kernels.at(0));
  const auto at = [&](const std::string& what) { return text.find(what); };
  const auto read = [&](int which) {
    std::size_t found = at("for (long long round");
    for (int k = 0; k <= which; ++k) found = text.find("const int gather", found + 1);
    return found;
  };
  const std::size_t first = text.find("] = gather"), second = text.find("] = multiply");
  CHECK(read(1) < first);
  CHECK(first < read(2));
  CHECK(read(2) < second);
  CHECK(second != std::string::npos);
}

}  // namespace loops_test

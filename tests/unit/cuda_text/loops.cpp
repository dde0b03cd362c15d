#include "codegen/cuda_text/emit.hpp"
#include "tests/catch.hpp"
#include "tests/unit/cuda_text/compare.hpp"
#include "tests/unit/cuda_text/loops_cases.hpp"

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

// The text of kernels that share a launch, run on the host.
#include <cstring>

#include "ir/interpreter.hpp"
#include "ir/passes/pipeline.hpp"
#include "ir/text.hpp"
#include "tests/catch.hpp"
#include "tests/shim/host_kernels.hpp"
#include "tests/support/plan_slots.hpp"

namespace shared_test {

using namespace sinter;
using tests::slots_of;

namespace {

constexpr const char* text = R"(%0 = source float32 [1000]
%1 = source int32 [40]
%2 = source int64 [77]
%3 = map float32 [1000] (%0) { v1 = sqrt float32 v0 }
%4 = view int32 [30, 40] (%1) strides [0, 1]
%5 = map int32 [30, 40] (%4) { v1 = negative int32 v0 }
%6 = map int64 [77] (%2) { v1 = multiply int64 v0 v0 }
return %3, %5, %6
)";

/// The plan's buffers with data in the sources, zeros elsewhere.
std::vector<std::vector<std::byte>> buffers_of(const ir::plan& p) {
  std::vector<std::vector<std::byte>> all;
  for (const ir::plan_buffer& b : p.buffers) {
    const auto count = static_cast<std::size_t>(b.count.peek());
    all.emplace_back(count * size_of(b.type));
    if (b.what != ir::plan_buffer::role::source) continue;
    for (std::size_t i = 0; i < count; ++i) {
      const float real = static_cast<float>(i % 97);
      const auto whole = static_cast<std::int64_t>(i % 97);
      const void* from = b.type == dtype::float32 ? static_cast<const void*>(&real) : &whole;
      std::memcpy(all.back().data() + i * size_of(b.type), from, size_of(b.type));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("parts of a launch compute what they would alone", "[cuda_text]") {
  ir::machine gpu;
  gpu.target = ir::target::gpu;
  gpu.share_limit = 10000;
  const ir::plan p = ir::make_plan(ir::parse_graph(text), gpu);
  REQUIRE(p.kernels.size() == 1);
  REQUIRE(p.kernels[0].parts.size() == 3);
  auto expected = buffers_of(p), got = expected;
  const auto wanted = slots_of(p.steps[0], expected), given = slots_of(p.steps[0], got);
  const std::int64_t blocks = ir::block_count(p.kernels[0], wanted.data());
  ir::run_kernel(p.kernels[0], wanted.data(), 0, blocks);
  tests::host_kernels host;
  const int number = host.add(p.kernels[0]);
  host.build();
  INFO(host.text(number));
  host.run(number, given.data(), blocks);
  CHECK(got == expected);
  CHECK(expected != buffers_of(p));
}

TEST_CASE("the text says which blocks are whose", "[cuda_text]") {
  ir::machine gpu;
  gpu.target = ir::target::gpu;
  gpu.share_limit = 10000;
  const ir::plan p = ir::make_plan(ir::parse_graph(text), gpu);
  const std::string cuda = codegen::emit_cuda(p.kernels.at(0));
  for (const char* part : {"namespace part_0 {", "namespace part_2 {",
                           "unsigned block = blockIdx.x;", "if (block < (unsigned)p0_blocks) {",
                           "block -= (unsigned)p0_blocks;", "return part_1::run(block,"}) {
    INFO(part << " in\n" << cuda);
    CHECK(cuda.find(part) != std::string::npos);
  }
}

}  // namespace shared_test

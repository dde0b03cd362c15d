// Kernels that share a launch.
#include "ir/interpreter.hpp"
#include "ir/kernel.hpp"
#include "tests/catch.hpp"
#include "tests/unit/ir/rule_of.hpp"

namespace shared_launch_test {

using namespace sinter;
using tests::rule_of;

namespace {

constexpr std::string_view both = R"(kernel both
shares 128 threads
kernel squares
target gpu, kept 1, reduced 0
schedule vector 1 unroll 1 threads 64 lanes kept tile 64 rows 1
in0 = input float32 [one]
out0 = output float32 [one]
v0 = load float32 in0
v1 = multiply float32 v0 v0
v2 = store float32 out0 v1
kernel shifted
target gpu, kept 1, reduced 0
schedule vector 1 unroll 1 threads 128 lanes kept tile 128 rows 1
in0 = input int32 [one]
out0 = output int32 [one]
s0 = scalar int32
v0 = load int32 in0
v1 = scalar int32 s0
v2 = add int32 v0 v1
v3 = store int32 out0 v2
)";

std::uint64_t address(void* p) { return reinterpret_cast<std::uintptr_t>(p); }

}  // namespace

TEST_CASE("the text of a shared launch is read again") {
  const ir::kernel k = ir::parse_kernel(both);
  REQUIRE(k.parts.size() == 2);
  CHECK(ir::print(k) == both);
  CHECK(rule_of(k).empty());
  ir::kernel other = k;
  other.parts[1].body[1].which = 0;
  CHECK(ir::key_of(other) == ir::key_of(k));
  other.parts[1].body[2].code = ir::op::subtract;
  CHECK(ir::key_of(other) != ir::key_of(k));
}

TEST_CASE("slots of a shared launch stand part by part") {
  const ir::kernel k = ir::parse_kernel(both);
  std::string names;
  for (const ir::slot& s : ir::slots_of(k)) names += ir::name_of(k, s) + " ";
  CHECK(names == "p0_n0 p0_d0 p0_in0 p0_out0 p0_blocks "
                 "p1_n0 p1_d0 p1_s0 p1_in0 p1_out0 p1_blocks ");
}

TEST_CASE("any range of blocks runs the parts that it meets") {
  const ir::kernel k = ir::parse_kernel(both);
  for (const std::int64_t cut : {0, 1, 2, 3, 4}) {
    float x[130], y[130] = {};
    std::int32_t a[200], b[200] = {};
    for (int i = 0; i < 130; ++i) x[i] = static_cast<float>(i);
    for (int i = 0; i < 200; ++i) a[i] = i;
    const std::uint64_t slots[] = {130, 0, address(x), address(y), 3,
                                   200, 0, 5, address(a), address(b), 2};
    CHECK(ir::block_count(k, slots) == 5);
    ir::run_kernel(k, slots, cut, 5);
    ir::run_kernel(k, slots, 0, cut);
    CHECK(y[129] == 129 * 129);
    CHECK(b[199] == 204);
    CHECK(b[0] == 5);
  }
}

TEST_CASE("what no launch can share is rejected") {
  ir::kernel k = ir::parse_kernel(both);
  k.schedule.threads = 64;
  CHECK(rule_of(k) == "[shared-launch]");
  k = ir::parse_kernel(both);
  k.parts[0].parts.push_back(k.parts[1]);
  CHECK(rule_of(k) == "[shared-launch]");
}

}  // namespace shared_launch_test

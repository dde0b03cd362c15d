// Kernels of stacked maps.
#include "ir/kernel_stack.hpp"

#include <vector>

#include "ir/interpreter.hpp"
#include "tests/catch.hpp"
#include "tests/unit/ir/rule_of.hpp"

namespace kernel_stack_test {

using namespace sinter;
using tests::rule_of;

namespace {

/// Twice the sum of neighbours; the first of the parts does not cover the ends.
constexpr std::string_view twice = R"(kernel twice
stacks 32 threads box [8]
tile0 = float32 before [1] after [1]
kernel inner
target gpu, kept 1, reduced 0
schedule vector 1 unroll 1 threads 32 lanes kept tile 32 rows 1
beyond before [1] after [1]
in0 = input float32 [one]
in1 = input float32 [one]
at0 = tile float32 [zero] 0 shift [0]
v0 = load float32 in0
v1 = load float32 in1
v2 = add float32 v0 v1
v3 = store float32 at0 v2
kernel ends
target gpu, kept 1, reduced 0
schedule vector 1 unroll 1 threads 32 lanes kept tile 32 rows 1
beyond before [1] after [1] around
in0 = input float32 [any]
at0 = tile float32 [zero] 0 shift [0]
v0 = load float32 in0
v1 = store float32 at0 v0
kernel outer
target gpu, kept 1, reduced 0
schedule vector 1 unroll 1 threads 32 lanes kept tile 32 rows 1
beyond before [0] after [0]
at0 = tile float32 [zero] 0 shift [-1]
at1 = tile float32 [zero] 0 shift [1]
out0 = output float32 [one]
v0 = load float32 at0
v1 = load float32 at1
v2 = add float32 v0 v1
v3 = store float32 out0 v2
)";

std::uint64_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

ir::kernel parsed() { return ir::parse_kernel(twice); }

}  // namespace

TEST_CASE("the text of a stack is read again") {
  const ir::kernel k = parsed();
  REQUIRE(k.parts.size() == 3);
  CHECK(ir::is_stack(k));
  CHECK(ir::print(k) == twice);
  CHECK(rule_of(k).empty());
  ir::kernel other = k;
  other.box = {16};
  CHECK(ir::key_of(other) != ir::key_of(k));
}

TEST_CASE("slots of a stack: part by part, its origin behind it, then the boxes") {
  std::string names;
  const ir::kernel k = parsed();
  for (const ir::slot& s : ir::slots_of(k)) names += ir::name_of(k, s) + " ";
  CHECK(names == "p0_n0 p0_in0 p0_in1 p0_o0 p1_n0 p1_in0_s0 p1_in0 p1_o0 p2_n0 p2_out0 p2_o0 "
                 "x0 across0 ");
}

TEST_CASE("blocks of a stack compute their boxes alone, in any order") {
  constexpr int n = 21;
  std::vector<float> x(n), mid(n), wanted(n), got(n, -1.0f);
  for (int i = 0; i < n; ++i) mid[i] = x[i] = static_cast<float>(i * i);
  for (int i = 1; i + 1 < n; ++i) mid[i] = x[i - 1] + x[i + 1];
  for (int i = 1; i + 1 < n; ++i) wanted[i] = mid[i - 1] + mid[i + 1];
  // The first part covers points 1 to n - 2 of x, the last one those of the result.
  const std::uint64_t slots[] = {n - 2, address(&x[0]), address(&x[2]), 1, n, 1, address(&x[0]), 0,
                                 n - 2, address(&got[1]), 1, 0, 3};
  const ir::kernel k = parsed();
  CHECK(ir::block_count(k, slots) == 3);
  for (const std::int64_t block : {2, 0, 1}) ir::run_kernel(k, slots, block, block + 1);
  for (int i = 1; i + 1 < n; ++i) CHECK(got[i] == wanted[i]);
  CHECK(got[0] == -1);
  CHECK(got[n - 1] == -1);
}

TEST_CASE("what is around leaves out the part within, also behind another one that is around") {
  ir::kernel k = parsed();
  k.parts.insert(k.parts.begin() + 1, k.parts[1]);
  CHECK(ir::part_within(k, 2) == 0);
  CHECK(rule_of(k).empty());
  float x[5] = {1, 2, 3, 4, 5}, other[5] = {10, 20, 30, 40, 50}, got[3] = {};
  // The second part fills the ends from other memory, so these values are read.
  const std::uint64_t slots[] = {3, address(&x[0]), address(&x[2]), 1, 5, 1, address(&x[0]), 0,
                                 5, 1, address(&other[0]), 0, 3, address(&got[0]), 1, 0, 1};
  ir::run_kernel(k, slots, 0, 1);
  CHECK(got[0] == 10 + 6);
  CHECK(got[1] == 4 + 8);
  CHECK(got[2] == 6 + 50);
}

TEST_CASE("tiles that are not needed at once share a place") {
  ir::kernel k = parsed();
  const std::int64_t one = ir::room_of(k).bytes;
  k.tiles.push_back(k.tiles[0]);
  k.tiles[1].margins = {{0}, {0}};
  k.parts[2].operands[2] = k.parts[0].operands[2];
  k.parts[2].operands[2].tile = 1;
  CHECK(ir::room_of(k).begin[1] >= 40);  // a part reads one and writes the other
  k.parts.push_back(k.parts[2]);
  k.parts[2] = k.parts[0];
  CHECK(ir::room_of(k).bytes > one);
}

TEST_CASE("what no stack can be is rejected") {
  ir::kernel k = parsed();
  k.parts[2].operands[0].shift = {-2};
  CHECK(rule_of(k) == "[stack-margins]");
  k = parsed();
  std::swap(k.parts[0], k.parts[2]);
  CHECK(rule_of(k) == "[stack-read]");
  k = parsed();
  k.parts[0].beyond = {{0}, {0}};
  k.parts[1].beyond = {{0}, {0}};
  CHECK(rule_of(k) == "[stack-write]");
  k = parsed();
  k.parts[1].beyond = {{0}, {0}};
  CHECK(rule_of(k) == "[stack-around]");
  k = parsed();
  k.box = {20000};
  CHECK(rule_of(k) == "[stack-room]");
  k = parsed();
  k.parts[0].schedule.threads = 64;
  CHECK(rule_of(k) == "[stack-part]");
  k = parsed();
  k.tiles[0].type = dtype::float64;
  CHECK(rule_of(k) == "[stack-tile]");
  k = parsed();
  k.parts[2].body[3].args[1] = 0;
  CHECK(rule_of(k) == "[stack-store]");
  CHECK(rule_of(parsed().parts[0]).empty());
  ir::kernel alone = parsed().parts[0];
  alone.beyond = {};
  CHECK(rule_of(alone) == "[tile]");
}

}  // namespace kernel_stack_test

// Rounds: kernels that one launch repeats.
#include <array>
#include <cstdint>

#include "ir/interpreter.hpp"
#include "ir/kernel_rounds.hpp"
#include "tests/catch.hpp"
#include "tests/unit/ir/rule_of.hpp"

namespace rounds_test {

using namespace sinter;
using tests::rule_of;

namespace {

/// y = x + 1, then x = y; tests whether all of it is below a limit.
constexpr std::string_view counting = R"(kernel counting
repeats 512 threads 8 blocks tests [1]
kernel more
target gpu, kept 1, reduced 0
schedule vector 1 unroll 1 threads 64 lanes kept tile 64 rows 1
in0 = input int32 [one]
out0 = output int32 [one]
v0 = load int32 in0
v1 = constant int32 1
v2 = add int32 v0 v1
v3 = store int32 out0 v2
kernel below
target gpu, kept 1, reduced 0
schedule vector 1 unroll 1 threads 128 lanes kept tile 128 rows 1
in0 = input int32 [one]
out0 = output int32 [one]
out1 = output bool [zero]
s0 = scalar int32
v0 = load int32 in0
v1 = scalar int32 s0
v2 = less int32 v0 v1
v3 = store int32 out0 v0
v4 = store bool out1 v2
)";

std::uint64_t address(void* p) { return reinterpret_cast<std::uintptr_t>(p); }

}  // namespace

TEST_CASE("the text of rounds is read again") {
  const ir::kernel k = ir::parse_kernel(counting);
  REQUIRE(k.parts.size() == 2);
  CHECK(ir::print(k) == counting);
  CHECK(rule_of(k).empty());
  ir::kernel other = k;
  other.tests.clear();
  CHECK(ir::key_of(other) != ir::key_of(k));
  other = k;
  other.schedule.cluster = 1;
  CHECK(ir::key_of(other) != ir::key_of(k));
}

TEST_CASE("slots of rounds stand part by part, then what ends them") {
  const ir::kernel k = ir::parse_kernel(counting);
  std::string names;
  for (const ir::slot& s : ir::slots_of(k)) names += ir::name_of(k, s) + " ";
  CHECK(names ==
        "p0_n0 p0_d0 p0_in0 p0_out0 p0_blocks "
        "p1_n0 p1_d0 p1_s0 p1_in0 p1_out0 p1_out1 p1_blocks test0 rounds told ");
}

TEST_CASE("rounds are done until there are enough, or a byte is zero") {
  const ir::kernel k = ir::parse_kernel(counting);
  const auto run = [&](std::uint64_t rounds, std::uint64_t limit) {
    std::array<std::int32_t, 3> x{}, y{};
    bool below = false;
    std::uint32_t told = 99;
    const std::uint64_t three = 3, d = ir::make_divisor(3);
    const std::uint64_t slots[] = {three, d,           address(&x), address(&y), 1,
                                   three, d,           limit,       address(&y), address(&x),
                                   address(&below), 1, address(&below), rounds, address(&told)};
    ir::run_kernel(k, slots, 0, ir::block_count(k, slots));
    return std::pair(x[2], told);
  };
  CHECK(run(5, 100) == std::pair(5, 5u));
  CHECK(run(50, 7) == std::pair(7, 6u));
  CHECK(run(0, 7) == std::pair(0, 0u));
}

TEST_CASE("parts of rounds wait for nobody but each other") {
  ir::kernel k = ir::parse_kernel(counting);
  CHECK(ir::can_be_in_rounds(k.parts[0]));
  k.parts[0].schedule.cluster = 2;
  CHECK(rule_of(k) != "");
  k = ir::parse_kernel(counting);
  k.tests = {2};
  CHECK(rule_of(k) == "[rounds-tests]");
  k.tests = {1, 1};
  CHECK(rule_of(k) == "[rounds-tests]");
  k = ir::parse_kernel(counting);
  k.schedule.threads = 48;
  CHECK(rule_of(k) == "[rounds-shape]");
}

TEST_CASE("one block does what is little, a cluster what is more, and many blocks the rest") {
  const ir::kernel k = ir::parse_kernel(counting);
  const auto shape = [&](std::int64_t blocks, std::size_t tests) {
    const std::uint64_t slots[] = {0};
    const ir::part_of_rounds parts[] = {ir::part_of(k.parts[0], blocks, slots),
                                        ir::part_of(k.parts[1], blocks, slots)};
    return ir::shape_of_rounds(parts, tests, 8);
  };
  CHECK(shape(3, 0) == ir::rounds_shape{384, 1});
  CHECK(shape(3, 1) == ir::rounds_shape{384, 1});
  CHECK(shape(200, 1) == ir::rounds_shape{1024, 8});
  CHECK(shape(1000, 0) == ir::rounds_shape{});
}

TEST_CASE("blocks and threads of a part are shared out in turns") {
  const ir::kernel k = ir::parse_kernel(counting);
  const std::uint64_t slots[] = {0};
  const ir::part_of_rounds five = ir::part_of(k.parts[1], 5, slots);
  CHECK(ir::turns_in_rounds(five, {512, 1}) == 2);
  CHECK(ir::turns_in_rounds(five, {512, 8}) == 1);
}

}  // namespace rounds_test

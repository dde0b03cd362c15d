// Elementwise loops: every number of lanes, masked ends, lanes that stop independently.

#include <bit>

#include "../../catch.hpp"
#include "harness.hpp"
#include "tests/support/loop_kernels.hpp"

namespace loops_test {

using namespace llvm_tests;
using namespace sinter::tests;

namespace {

std::string map_schedule(int vector, int unroll, int tile) {
  return "vector " + std::to_string(vector) + " unroll " + std::to_string(unroll) +
         " lanes kept tile " + std::to_string(tile) + " rows 1";
}

std::uint64_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

}  // namespace

TEST_CASE("Loops in which each lane stops by itself") {
  for (const auto& [vector, unroll] : {std::pair{1, 1}, {4, 1}, {8, 2}, {16, 1}}) {
    const ir::kernel k = loop_kernel(growing, "cpu", map_schedule(vector, unroll, 64));
    for (std::int64_t n : {1, 7, 16, 33, 203}) check({k, {n}, {}, {bits_of(1.5f)}});
  }
}

TEST_CASE("Loops of as many rounds as are passed") {
  for (const int vector : {1, 8, 16}) {
    const ir::kernel k = loop_kernel(counted, "cpu", map_schedule(vector, 1, 64));
    for (std::uint64_t rounds : {0, 1, 25}) check({k, {131}, {}, {rounds, bits_of(3.7f)}});
  }
}

TEST_CASE("A loop in a loop, flattened") {
  for (const int vector : {1, 8, 16}) {
    const ir::kernel k = loop_kernel(nested, "cpu", map_schedule(vector, 1, 64));
    for (std::uint64_t rounds : {0, 1, 25}) check({k, {131}, {}, {rounds}});
  }
}

TEST_CASE("Loops that read and store every round") {
  for (const int vector : {1, 4, 16}) {
    problem p{loop_kernel(walking, "cpu", map_schedule(vector, 1, 20)), {53}, {}};
    p.layouts = {{}, {{7}, {}, {}}, {}, {{7}, {}, {}}, {}};
    p.contents = fill::small;
    check(p);
  }
}

TEST_CASE("Loops inside rows") {
  for (const int vector : {1, 8}) {
    problem p{loop_kernel(in_rows, "cpu",
                          "vector " + std::to_string(vector) + " unroll 2 lanes reduced rows 1", 1),
              {5, 301},
              {},
              {4}};
    p.contents = fill::small;
    check(p);
  }
}

}  // namespace loops_test

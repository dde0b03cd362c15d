// Rows walked in pieces, split where a condition changes.

#include <array>
#include <limits>

#include "../../catch.hpp"
#include "harness.hpp"

namespace pieces_test {

using namespace llvm_tests;

namespace {

constexpr std::array comparisons = {"less",          "less_equal", "greater",
                                    "greater_equal", "equal",      "not_equal"};

/// The result of every comparison; and in0's element where `less` or `equal` holds, else 7.
ir::kernel compared(const std::string& moving, bool first) {
  std::string text =
      "kernel k\n"
      "target cpu, kept 2, reduced 0\n"
      "schedule vector 8 unroll 2 lanes kept pieces tile 4096 rows 1\n"
      "in0 = input float32 [any, one]\n"
      "ix0 = index int64 [zero, one]\n"
      "out0 = output float32 [any, one]\n";
  for (int n = 1; n <= 6; ++n) text += "out" + std::to_string(n) + " = output bool [any, one]\n";
  text +=
      "s0 = scalar int64\n"
      "s1 = scalar int64\n"
      "v0 = index int64 ix0\n"
      "v1 = scalar int64 s1\n"
      "v2 = " + moving + "\n"
      "v3 = scalar int64 s0\n";
  const std::string sides = first ? " int64 v2 v3\n" : " int64 v3 v2\n";
  for (int n = 0; n < 6; ++n) {
    text += "v" + std::to_string(4 + n) + " = " + comparisons[static_cast<std::size_t>(n)] + sides;
  }
  text +=
      "v10 = logical_or bool v4 v8\n"
      "v11 = load float32 in0\n"
      "v12 = constant float32 7\n"
      "v13 = where float32 v10 v11 v12\n"
      "v14 = store float32 out0 v13\n";
  for (int n = 0; n < 6; ++n) {
    text += "v" + std::to_string(15 + n) + " = store bool out" + std::to_string(1 + n) + " v" +
            std::to_string(4 + n) + "\n";
  }
  return ir::parse_kernel(text);
}

/// Element (i - 1, j + 3) of in0, with wrap-around: four gathers of which one is in range.
ir::kernel rolled(const std::string& type) {
  std::string text =
      "kernel k\n"
      "target cpu, kept 2, reduced 0\n"
      "schedule vector 8 unroll 2 lanes kept pieces tile 512 rows 1\n"
      "ix0 = index int64 [zero, one]\n"
      "ix1 = index int64 [any, zero]\n"
      "in0 = input T [any, one]\n"
      "in1 = input T [any, one]\n"
      "in2 = input T [any, one]\n"
      "in3 = input T [any, one]\n"
      "out0 = output T [any, one]\n"
      "s0 = scalar int64\n"
      "s1 = scalar int64\n"
      "v0 = index int64 ix0\n"
      "v1 = scalar int64 s0\n"
      "v2 = greater_equal int64 v0 v1\n"
      "v3 = index int64 ix1\n"
      "v4 = scalar int64 s1\n"
      "v5 = greater_equal int64 v3 v4\n"
      "v6 = logical_and bool v2 v5\n"
      "v7 = gather T in0 none v6\n"
      "v8 = less int64 v3 v4\n"
      "v9 = logical_and bool v2 v8\n"
      "v10 = gather T in1 none v9\n"
      "v11 = where T v5 v7 v10\n"
      "v12 = constant T Z\n"
      "v13 = where T v2 v11 v12\n"
      "v14 = less int64 v0 v1\n"
      "v15 = logical_and bool v14 v5\n"
      "v16 = gather T in2 none v15\n"
      "v17 = logical_and bool v14 v8\n"
      "v18 = gather T in3 none v17\n"
      "v19 = where T v5 v16 v18\n"
      "v20 = where T v14 v19 v12\n"
      "v21 = where T v2 v13 v20\n"
      "v22 = store T out0 v21\n";
  for (std::size_t at = 0; (at = text.find(" T ", at)) != std::string::npos; ++at) {
    text.replace(at + 1, 1, type);
  }
  text.replace(text.find(" Z\n") + 1, 1, "0");
  return ir::parse_kernel(text);
}

/// The sum of a row that consists of in1's elements before an edge and of in0's after it, and each
/// element minus that: the row is walked twice.
ir::kernel rolled_sum(const std::string& type) {
  std::string text =
      "kernel k\n"
      "target cpu, kept 1, reduced 1\n"
      "schedule vector 8 unroll 2 lanes reduced pieces rows 1\n"
      "ix0 = index int64 [zero, one]\n"
      "ix1 = index int64 [any, zero]\n"
      "in0 = input T [any, one]\n"
      "in1 = input T [any, one]\n"
      "out0 = output T [any, zero]\n"
      "out1 = output T [any, one]\n"
      "s0 = scalar int64\n"
      "s1 = scalar int64\n"
      "v0 = each index int64 ix0\n"
      "v1 = scalar int64 s0\n"
      "v2 = each greater_equal int64 v0 v1\n"
      "v3 = index int64 ix1\n"
      "v4 = scalar int64 s1\n"
      "v5 = greater_equal int64 v3 v4\n"
      "v6 = each logical_and bool v2 v5\n"
      "v7 = each gather T in0 none v6\n"
      "v8 = each less int64 v0 v1\n"
      "v9 = each logical_and bool v8 v5\n"
      "v10 = each gather T in1 none v9\n"
      "v11 = each where T v2 v7 v10\n"
      "v12 = reduce add T v11\n"
      "v13 = store T out0 v12\n"
      "v14 = each subtract T v11 v12\n"
      "v15 = each store T out1 v14\n";
  for (std::size_t at = 0; (at = text.find(" T ", at)) != std::string::npos; ++at) {
    text.replace(at + 1, 1, type);
  }
  return ir::parse_kernel(text);
}

}  // namespace

TEST_CASE("Pieces end where a comparison changes") {
  for (const bool first : {true, false}) {
    for (const std::int64_t place : {-1, 0, 1, 8, 20, 44, 45}) {
      const auto p = static_cast<std::uint64_t>(place);
      check({compared("index int64 ix0", first), {3, 45}, {}, {p, 0}});
      check({compared("add int64 v0 v1", first), {3, 45}, {}, {p + 100, 100}});
      check({compared("subtract int64 v1 v0", first), {3, 45}, {}, {p - 7, p + 20}});
    }
  }
}

TEST_CASE("What no lane takes part in reads memory that is there") {
  if (!doors() || !doors()->compiler) return;
  const ir::kernel k = ir::parse_kernel(
      "kernel k\n"
      "target cpu, kept 1, reduced 0\n"
      "schedule vector 8 unroll 1 lanes kept tile 512 rows 1\n"
      "ix0 = index int64 [one]\n"
      "in0 = input float32 [one]\n"
      "out0 = output float32 [one]\n"
      "s0 = scalar int64\n"
      "v0 = index int64 ix0\n"
      "v1 = scalar int64 s0\n"
      "v2 = less int64 v0 v1\n"
      "v3 = gather float32 in0 none v2\n"
      "v4 = store float32 out0 v3\n");
  const auto made = doors()->compiler->compile(k, {.source = true});
  REQUIRE(made.stages.size() == 1);
  const std::string& text = made.stages[0].second;
  const std::string load = "llvm.masked.load.v8f32.p0(ptr ";
  const std::size_t at = text.find(load);
  if (at == std::string::npos) return;  // a machine without masked loads
  const std::string from = text.substr(at + load.size(), text.find(',', at) - at - load.size());
  CHECK(text.find(from + " = select i1 ") != std::string::npos);
}

TEST_CASE("Pieces of what wraps around") {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t far : {most - 20, -most + 19}) {
    for (const std::int64_t place : {most, -most - 1, std::int64_t{0}, most - 3}) {
      const std::vector<std::uint64_t> s = {static_cast<std::uint64_t>(place),
                                            static_cast<std::uint64_t>(far)};
      check({compared("add int64 v0 v1", true), {2, 45}, {}, s});
      check({compared("subtract int64 v1 v0", false), {2, 45}, {}, s});
    }
  }
}

TEST_CASE("Pieces read one of the places that a choice falls on") {
  for (const char* const type : {"float32", "float64", "int8", "int16", "int64"}) {
    for (const std::int64_t n : {4, 33, 100}) {
      const ir::kernel k = rolled(type);
      std::vector<layout> layouts(k.operands.size());
      for (layout& l : layouts) l.strides = {n, 1};
      layouts[1].strides = {1, 0};
      check({k, {5, n}, layouts, {static_cast<std::uint64_t>(n - 3), 1}});
      check({k, {5, n}, layouts, {0, 4}});
      check({k, {5, n}, layouts, {static_cast<std::uint64_t>(n), 5}});
    }
  }
}

TEST_CASE("Rows that are reduced are walked in pieces, too") {
  for (const char* const type : {"int8", "int16", "int32", "int64"}) {
    for (const std::int64_t n : {4, 33, 100, 257}) {
      const ir::kernel k = rolled_sum(type);
      std::vector<layout> layouts(k.operands.size());
      for (layout& l : layouts) l.strides = {n, 1};
      layouts[0].strides = {0, 1};
      layouts[1].strides = {1, 0};
      layouts[4].strides = {1, 0};
      for (const std::int64_t edge : {std::int64_t{0}, std::int64_t{3}, n - 3, n}) {
        check({k, {5, n}, layouts, {static_cast<std::uint64_t>(edge), 1}});
      }
    }
  }
}

}  // namespace pieces_test

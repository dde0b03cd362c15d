// Maps whose short rows are processed whole: gathered by an index, stored or added at one, under
// conditions per row and per element; and reads shared by a whole row, if allowed.

#include <bit>

#include "../../catch.hpp"
#include "harness.hpp"

namespace whole_rows_test {

using namespace llvm_tests;

namespace {

/// Rows are read, and stored, in reverse order; where ix `condition` equals s1 nothing is stored.
ir::kernel reversed(const std::string& type, int row, const std::string& store,
                    const std::string& condition) {
  const bool adds = store != "store";
  const std::int64_t tile = adds ? ir::whole_domain : 2 * row;
  std::string text =
      "kernel k\n"
      "target cpu, kept 3, reduced 0\n"
      "schedule vector " + std::to_string(std::bit_ceil(static_cast<unsigned>(row))) +
      " unroll 1 lanes kept whole_row " + std::to_string(row) + " tile " + std::to_string(tile) +
      " rows 1\n"
      "ix0 = index int64 [any, any, zero]\n"
      "ix1 = index int64 [zero, zero, one]\n"
      "in0 = input T [any, any, one]\n"
      "in1 = input T [any, any, one]\n"
      "in2 = input T [any, any, zero]\n"
      "out0 = output T [any, any, one]\n"
      "out1 = output T [any, any, one]\n"
      "out2 = output T [any, any, one]\n"
      "s0 = scalar int64\n"
      "s1 = scalar int64\n"
      "v0 = index int64 ix0\n"
      "v1 = index int64 ix1\n"
      "v2 = scalar int64 s0\n"
      "v3 = add int64 v0 v0\n"
      "v4 = subtract int64 v2 v3\n"
      "v5 = scalar int64 s1\n"
      "v6 = not_equal int64 " + condition + " v5\n"
      "v7 = gather T in0 v4 v6\n"
      "v8 = load T in1\n"
      "v9 = where T v6 v7 v8\n"
      "v10 = gather T in2 none v6\n"
      "v11 = store T out0 v9\n"
      "v12 = " + store + " T out1 v8 v6 v4\n"
      "v13 = store T out2 v10\n";
  for (std::size_t at; (at = text.find(" T ")) != std::string::npos;) {
    text.replace(at, 3, " " + type + " ");
  }
  return ir::parse_kernel(text);
}

}  // namespace

TEST_CASE("Whole rows: picked, and stored or added at places") {
  for (const std::string type : {"float32", "float64", "int8", "int32"}) {
    for (const int row : {2, 3, 4, 7, 8, 12, 16, 24, 32}) {
      for (const std::string store : {"store", "store by add"}) {
        const std::int64_t last = 14 * row;  // of 3 x 5 rows
        for (const std::int64_t left_out : {std::int64_t{2} * row, last, std::int64_t{-1}}) {
          problem p{reversed(type, row, store, "v0"), {3, 5, row}, {}};
          p.scalars = {static_cast<std::uint64_t>(last), static_cast<std::uint64_t>(left_out)};
          p.contents = fill::small;
          check(p);
        }
        problem p{reversed(type, row, store, "v1"), {3, 5, row}, {}};
        p.scalars = {static_cast<std::uint64_t>(last), 1};
        p.contents = fill::small;
        check(p);
      }
    }
  }
}

}  // namespace whole_rows_test

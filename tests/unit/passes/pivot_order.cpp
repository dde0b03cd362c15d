#include "ir/passes/pivot_order.hpp"

#include <cstring>
#include <numeric>
#include <utility>

#include "ir/interpreter.hpp"
#include "tests/catch.hpp"
#include "texts.hpp"

namespace pivot_order_test {

using namespace passes_tests;
using namespace sinter;

namespace {

using integers = std::vector<std::int64_t>;

std::string asked(const std::string& pivots, const std::string& rows, int backwards) {
  return "%0 = source int32 " + pivots + "\n%1 = call int64 " + rows + " (%0) pivot_rows [" +
         std::to_string(backwards) + "]\nreturn %1\n";
}

/// Exchanges rows pivot by pivot, in a stack of matrices with `rows` rows.
integers exchanged(const std::vector<std::int32_t>& pivots, std::size_t count, std::size_t rows,
                   bool backwards) {
  integers all;
  for (std::size_t at = 0; at < pivots.size(); at += count) {
    integers order(rows);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = backwards ? count - 1 - k : k;
      std::swap(order[i], order[static_cast<std::size_t>(pivots[at + i] - 1)]);
    }
    all.insert(all.end(), order.begin(), order.end());
  }
  return all;
}

integers interpreted(const std::string& text, const ir::tensor_view& pivots) {
  const auto out = ir::interpret(ir::pivot_order(ir::parse_graph(text)), {pivots});
  integers rows(out[0].data.size() / sizeof(std::int64_t));
  std::memcpy(rows.data(), out[0].data.data(), out[0].data.size());
  return rows;
}

}  // namespace

TEST_CASE("where a row ends up is a walk along the pivots, the last exchange first") {
  CHECK(after(ir::pivot_order, asked("[7]", "[7]", 0)) ==
        "%0 = source int32 [7]\n"
        "%1 = iota int64 [7]\n"
        "%2 = view int64 [7] (%1) strides [1]\n"
        "%3 = map int32 [7] (%2) { v1 = cast int64 -> int32 v0 }\n"
        "%4 = iota int64 [8]\n"
        "%5 = view int64 [] (%4) offset 7 strides []\n"
        "%6 = scalar int32 [] baked 1\n"
        "%7 = loop int32 [7] (%3, %5, %6, %0) carries 1 { v5 = cast int64 -> int32 v1; "
        "v6 = cast int64 -> int32 v2; v7 = subtract int32 v6 v5; v8 = subtract int32 v7 v3; "
        "v9 = subtract int32 v4 v3; v10 = equal int32 v0 v9; v11 = where int32 v10 v8 v0; "
        "v12 = equal int32 v0 v8; v13 = where int32 v12 v9 v11; v14 = less int64 v1 v2 } "
        "while v14 next v13 slice along -1 offset 6 strides [0]\n"
        "%8 = result int32 [7] (%7) 0\n"
        "%9 = map int64 [7] (%8) { v1 = cast int32 -> int64 v0 }\n"
        "return %9\n");
}

TEST_CASE("walks give what exchanging rows gives") {
  const std::vector<std::int32_t> pivots = {3, 2, 5, 4, 5, 1, 5, 3, 4, 5, 2, 4, 4, 5, 5};
  const ir::tensor_view stack{dtype::int32, {3, 5}, pivots.data()};
  CHECK(interpreted(asked("[3, 5]", "[3, 5]", 0), stack) == exchanged(pivots, 5, 5, false));
  CHECK(interpreted(asked("[3, 5]", "[3, 5]", 1), stack) == exchanged(pivots, 5, 5, true));
  const std::vector<std::int32_t> few = {7, 5, 4, 2, 6, 3};  // for matrices with seven rows
  const ir::tensor_view tall{dtype::int32, {2, 3}, few.data()};
  CHECK(interpreted(asked("[2, 3]", "[2, 7]", 0), tall) == exchanged(few, 3, 7, false));
  CHECK(interpreted(asked("[2, 3]", "[2, 7]", 1), tall) == exchanged(few, 3, 7, true));
}

TEST_CASE("all rows of all matrices are one kernel") {
  CHECK(plan_of(asked("[3, 50]", "[3, 50]", 0), gpu()).kernels.size() == 1);
  CHECK(plan_of(asked("[3, 50]", "[3, 70]", 0)).kernels.size() == 1);
}

}  // namespace pivot_order_test

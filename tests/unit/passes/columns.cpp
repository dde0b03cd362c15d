// Columns on a GPU: dependent values, the ends of kernels, and the number of walkers.
#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"
#include "tests/unit/passes/texts.hpp"

namespace columns_test {

using namespace passes_tests;
namespace sn = sinter;
using floats = sn::array<float>;

namespace {

ir::plan plan_gpu(const floats& x) {
  return of_graph({x}, [](const ir::graph& g) { return ir::verified(ir::make_plan(g, gpu())); });
}

std::size_t computed(const ir::kernel& k) {
  return static_cast<std::size_t>(std::ranges::count_if(
      k.body, [](const ir::inst& i) { return i.kind == ir::inst_kind::compute; }));
}

floats column_softmax(const floats& x) {
  const floats e = sn::exp(x - sn::max(x, {.axis = 0, .keepdims = true}));
  return e / sn::sum(e, {.axis = 0, .keepdims = true});
}

/// The first kernel of a plan: its walkers and the vectors each keeps in flight.
std::pair<int, int> walkers(const std::string& type, int rows, int columns) {
  const std::string width = std::to_string(columns);
  const ir::plan p = plan_of("%0 = source " + type + " [" + std::to_string(rows) + ", " + width +
                                 "]\n%1 = reduce " + type + " [" + width +
                                 "] (%0) maximum over [0]\nreturn %1\n",
                             gpu());
  REQUIRE(p.kernels[0].schedule.split);
  return {p.kernels[0].schedule.row_threads, p.kernels[0].schedule.unroll};
}

}  // namespace

TEST_CASE("columns: a few hundred long ones are split, whoever reads what they come to") {
  for (const std::int64_t width : {100, 300, 3000}) {
    INFO(width);
    const ir::plan p = plan_gpu(column_softmax(stored({4000, width})));
    REQUIRE(p.kernels.size() == 5);
    CHECK(p.kernels[0].schedule.split);
    CHECK(p.kernels[2].schedule.split);
    CHECK(p.kernels[4].reduced == 0);
  }
}

TEST_CASE("columns: short ones and many of them are one kernel with their reader") {
  CHECK(plan_gpu(column_softmax(stored({500, 300}))).kernels.size() == 1);
  CHECK(plan_gpu(column_softmax(stored({2000, 20000}))).kernels.size() == 1);
}

TEST_CASE("columns: rows that a view makes of columns are rows") {
  const floats x = sn::transpose(stored({300, 4000}));
  CHECK(plan_gpu(column_softmax(x)).kernels.size() == 1);
}

TEST_CASE("columns: what follows from sums alone is made once a column, by their kernel") {
  const floats x = stored({4000, 300});
  const sn::reduction_options kept{.axis = 0, .keepdims = true};
  const floats z = (x - sn::mean(x, kept)) / (sn::stddev(x, {.axis = 0, .keepdims = true}) + 1e-3f);
  const ir::plan p = plan_gpu(z);
  REQUIRE(p.kernels.size() == 3);
  CHECK(computed(p.kernels[2]) == 2);  // a difference and a quotient
}

TEST_CASE("columns: a sum whose axis is kept ends as one whose axis is not") {
  for (const bool keepdims : {false, true}) {
    INFO(keepdims);
    const floats x = stored({5000, 300});
    const auto sums = [&](int axis) {
      return floats(sn::log(sn::sum(sn::exp(x), {.axis = axis, .keepdims = keepdims})) + 1.0f);
    };
    CHECK(plan_gpu(sums(1)).kernels.size() == 1);
    CHECK(plan_gpu(sums(0)).kernels.size() == 2);
    CHECK(plan_for({sums(1)}).kernels.size() == 1);
  }
}

TEST_CASE("columns: rows that no vector divides are walked by fewer threads with more in flight") {
  CHECK(walkers("float32", 1000000, 64) == std::pair(32, 4));
  CHECK(walkers("float32", 1000000, 33) == std::pair(16, 8));
  CHECK(walkers("float32", 1000000, 257) == std::pair(8, 8));
  CHECK(walkers("float32", 1000000, 50) == std::pair(8, 16));
  CHECK(walkers("float32", 1000000, 7) == std::pair(32, 4));
}

TEST_CASE("columns: a thread scans some by itself where they are short or lie beside each other") {
  const auto threads = [](const std::string& shape) {
    const ir::plan p = plan_of("%0 = source float32 " + shape + "\n%1 = scan float32 " + shape +
                                   " (%0) add over [1]\nreturn %1\n",
                               gpu());
    return p.kernels.at(0).schedule.row_threads;
  };
  CHECK(threads("[400000, 3, 49]") == 1);
  CHECK(threads("[3000000, 10, 7]") == 1);
  CHECK(threads("[20000, 64, 64]") == 1);
  CHECK(threads("[100000, 64, 7]") == 32);
  CHECK(threads("[100, 64, 49]") == 32);
}

TEST_CASE("rows: those that no vector divides have a thread for some hundred bytes") {
  const auto threads = [](int length) {
    const std::string rows = std::to_string(60000000 / length);
    const ir::plan p = plan_of("%0 = source float32 [" + rows + ", " + std::to_string(length) +
                                   "]\n%1 = reduce float32 [" + rows +
                                   "] (%0) maximum over [1]\nreturn %1\n",
                               gpu());
    const ir::schedule& s = p.kernels.at(0).schedule;
    return std::pair(s.row_threads, s.unroll);
  };
  CHECK(threads(33) == std::pair(2, 8));
  CHECK(threads(257) == std::pair(16, 8));
  CHECK(threads(1025) == std::pair(64, 8));
  CHECK(threads(256) == std::pair(16, 4));
}

}  // namespace columns_test

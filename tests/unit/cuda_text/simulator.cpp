#include <numeric>

#include "tests/catch.hpp"
#include "tests/shim/grid_simulator.hpp"

using namespace sinter::tests;

namespace {

constexpr thread_order all_orders[] = {thread_order::ascending, thread_order::descending,
                                       thread_order::odd_first};

}  // namespace

TEST_CASE("threads of a simulated block meet at barriers", "[cuda_text]") {
  grid_simulator grid;
  cuda_machine& m = *grid.machine();
  for (thread_order order : all_orders) {
    std::vector<int> written(96, 0), sums(96, 0);
    grid.run(0, 96, order, [&] {
      const unsigned t = m.thread.x;
      written[t] = static_cast<int>(t);
      m.barrier();
      sums[m.thread.x] = std::accumulate(written.begin(), written.end(), 0);
      CHECK(m.thread.x == t);
    });
    CHECK(sums == std::vector<int>(96, 95 * 96 / 2));
  }
}

TEST_CASE("warps of a simulated block exchange words", "[cuda_text]") {
  grid_simulator grid;
  cuda_machine& m = *grid.machine();
  for (thread_order order : all_orders) {
    std::vector<unsigned> sums(64, 0);
    grid.run(0, 64, order, [&] {
      unsigned sum = m.thread.x;
      for (int s = 1; s < 32; s *= 2) sum += m.exchange(sum, s);
      sums[m.thread.x] = sum;
    });
    CHECK(sums[5] == 31 * 32 / 2);
    CHECK(sums[40] == 31 * 32 / 2 + 32 * 32);
  }
}

TEST_CASE("a barrier that not every thread reaches is reported", "[cuda_text]") {
  grid_simulator grid;
  cuda_machine& m = *grid.machine();
  const auto missing_one = [&] {
    if (m.thread.x != 3) m.barrier();
  };
  CHECK_THROWS_AS(grid.run(0, 32, thread_order::ascending, missing_one), std::logic_error);
  int runs = 0;
  grid.run(0, 32, thread_order::ascending, [&] { ++runs; });
  CHECK(runs == 32);
}

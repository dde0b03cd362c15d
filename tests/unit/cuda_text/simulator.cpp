#include <numeric>

#include "tests/catch.hpp"
#include "tests/shim/grid_simulator.hpp"

namespace simulator_test {

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

TEST_CASE("blocks of a simulated cluster have their own shared memory, and write to each other's",
          "[cuda_text]") {
  static unsigned shared[8];
  const shared_memory memory{reinterpret_cast<char*>(shared), reinterpret_cast<char*>(shared + 8)};
  grid_simulator grid;
  cuda_machine& m = *grid.machine();
  for (thread_order order : all_orders) {
    std::vector<unsigned> sums(4 * 32, 0);
    grid.run_cluster(4, 4, 32, order, memory, [&] {
      const unsigned rank = m.block.x % 4, t = m.thread.x;
      m.arrive();
      if (t == 0) shared[4] = 100 * m.block.x;
      m.await();
      if (t < 4) m.send(&shared[rank], m.block.x, t);
      m.arrive();
      m.await();
      sums[(m.block.x - 4) * 32 + m.thread.x] =
          shared[0] + shared[1] + shared[2] + shared[3] + shared[4];
    });
    for (unsigned b = 0; b < 4; ++b) CHECK(sums[b * 32 + 17] == 22 + 100 * (4 + b));
  }
}

TEST_CASE("a cluster whose threads wait without having arrived is reported", "[cuda_text]") {
  grid_simulator grid;
  cuda_machine& m = *grid.machine();
  CHECK_THROWS_AS(
      grid.run_cluster(0, 2, 32, thread_order::ascending, {}, [&] { m.await(); }),
      std::logic_error);
  const auto twice = [&] {
    m.arrive();
    m.arrive();
  };
  CHECK_THROWS_AS(grid.run_cluster(0, 2, 32, thread_order::ascending, {}, twice),
                  std::logic_error);
  const auto missing_one = [&] {
    if (m.block.x == 1 && m.thread.x == 3) return;
    m.arrive();
    m.await();
  };
  CHECK_THROWS_AS(grid.run_cluster(0, 2, 32, thread_order::ascending, {}, missing_one),
                  std::logic_error);
}

}  // namespace simulator_test

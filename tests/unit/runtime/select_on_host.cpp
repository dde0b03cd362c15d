// The kernels of runtime/cuda/select.cuh, run on the host: every block, its threads in three
// orders.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/catch.hpp"
#include "tests/shim/grid_simulator.hpp"
// Defines macros: must come after all other headers.
#include "tests/shim/cuda_on_host.hpp"

#include "runtime/cuda/select.cuh"

namespace select_on_host_test {

namespace selecting = sinter::runtime::selecting;
using sinter::tests::grid_simulator;
using sinter::tests::thread_order;

namespace {

/// Launches as sort.cu does.
template <class Key> class on_host {
 public:
  explicit on_host(thread_order order) : order_(order) {
    cuda_on_host::current = reinterpret_cast<cuda_on_host::machine*>(grid_.machine());
  }

  std::vector<Key> operator()(const std::vector<Key>& keys, const std::vector<long long>& places,
                              long long rows, int wanted, int pieces) {
    const auto length = static_cast<long long>(keys.size()) / rows;
    const auto all = static_cast<long long>(places.size());
    std::vector<selecting::target<Key>> targets(places.size());
    std::vector<unsigned long long> counts(places.size() * selecting::bins);
    std::vector<Key> found(places.size());
    const auto flat = (all + selecting::threads - 1) / selecting::threads;
    launch(flat, [&] { selecting::begin<Key>(targets.data(), places.data(), all); });
    for (int shift = 8 * sizeof(Key) - 8; shift >= 0; shift -= 8) {
      std::fill(counts.begin(), counts.end(), 0);
      launch(rows * pieces, [&] {
        selecting::count_bits<Key>(keys.data(), targets.data(), counts.data(), length, wanted,
                                   pieces, shift);
      });
      launch(rows, [&] {
        selecting::choose_bits<Key>(targets.data(), counts.data(), wanted, shift);
      });
    }
    launch(flat, [&] { selecting::finish<Key>(targets.data(), found.data(), all); });
    return found;
  }

  /// Selects from sorted rows.
  std::vector<Key> pick(const std::vector<Key>& sorted, const std::vector<long long>& places,
                        long long rows, int wanted) {
    std::vector<Key> found(places.size());
    const auto length = static_cast<long long>(sorted.size()) / rows;
    const auto all = static_cast<long long>(places.size());
    launch((all + selecting::threads - 1) / selecting::threads, [&] {
      selecting::pick<Key>(sorted.data(), places.data(), found.data(), all, length, wanted);
    });
    return found;
  }

 private:
  template <class Body> void launch(long long blocks, Body body) {
    for (long long b = 0; b < blocks; ++b) {
      grid_.run(static_cast<unsigned>(b), selecting::threads, order_, body);
    }
  }

  thread_order order_;
  grid_simulator grid_;
};

template <class Key> void check(std::uint64_t most) {
  std::mt19937_64 draw(7);
  for (const auto order :
       {thread_order::ascending, thread_order::descending, thread_order::odd_first}) {
    for (const long long length : {1, 700}) {
      constexpr long long rows = 3;
      constexpr int wanted = selecting::most_wanted;
      std::vector<Key> keys(static_cast<std::size_t>(rows * length));
      for (Key& k : keys) k = static_cast<Key>(most ? draw() % most : draw());
      std::vector<long long> places(static_cast<std::size_t>(rows * wanted));
      for (auto& p : places) p = static_cast<long long>(draw() % static_cast<unsigned>(length));
      places[1] = places[0];
      places[2] = length - 1;
      places[3] = 0;
      on_host<Key> run(order);
      const std::vector<Key> found = run(keys, places, rows, wanted, 2);
      for (long long r = 0; r < rows; ++r) {
        std::sort(keys.begin() + r * length, keys.begin() + (r + 1) * length);
      }
      std::vector<Key> expected;
      for (std::size_t i = 0; i < places.size(); ++i) {
        const auto row = static_cast<long long>(i) / wanted;
        expected.push_back(keys[static_cast<std::size_t>(row * length + places[i])]);
      }
      CHECK((found == expected));
      CHECK((run.pick(keys, places, rows, wanted) == expected));
    }
  }
}

}  // namespace

TEST_CASE("the kernels that select keys, on the host") {
  for (const std::uint64_t most : {0, 1000}) {
    check<std::uint8_t>(most);
    check<std::uint16_t>(most);
    check<std::uint32_t>(most);
    check<std::uint64_t>(most);
  }
}

}  // namespace select_on_host_test

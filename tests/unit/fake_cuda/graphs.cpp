// Sequences of launches as CUDA graphs, on a driver that runs kernels on the host.

#include <cstring>

#include "tests/catch.hpp"
#include "tests/unit/fake_cuda/fake_device.hpp"

namespace graphs_test {

using namespace sinter::runtime;

namespace {

// *to = *to * 3 + n
void step(const std::uint64_t* p, unsigned) {
  auto& to = *reinterpret_cast<std::uint64_t*>(p[0]);
  to = to * 3 + p[1];
}

std::shared_ptr<loaded_kernel> load_step(device& d) {
  const std::uint64_t image[] = {reinterpret_cast<std::uint64_t>(&step), 2};
  return d.load(std::as_bytes(std::span(image)), "step");
}

struct sequence {
  device& d;
  std::shared_ptr<loaded_kernel> kernel = load_step(d);
  std::unique_ptr<launch_memory> memory = nullptr;

  /// Runs one kernel a number over `cell`.
  void run(std::uint64_t& cell, const std::vector<std::uint64_t>& numbers) {
    std::vector<std::uint64_t> slots;
    for (std::uint64_t n : numbers) {
      slots.push_back(reinterpret_cast<std::uint64_t>(&cell));
      slots.push_back(n);
    }
    std::vector<launch_record> list;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      list.push_back({kernel.get(), {1, 1, "step", ""}, {slots.data() + 2 * i, 2}});
    }
    d.launch_all(list, memory);
  }
};

std::uint64_t expected(std::uint64_t v, const std::vector<std::uint64_t>& numbers) {
  for (std::uint64_t n : numbers) v = v * 3 + n;
  return v;
}

}  // namespace

TEST_CASE("a sequence that comes again with the same slots becomes one graph") {
  const auto d = make_device();
  sequence s{*d};
  const auto before = counts();
  std::uint64_t cell = 1, want = 1;
  for (int i = 0; i < 10; ++i) {
    s.run(cell, {1, 2, 3, 4});
    want = expected(want, {1, 2, 3, 4});
    REQUIRE(cell == want);
  }
  const auto after = counts();
  CHECK(after.launches - before.launches == 4);
  CHECK(after.graphs - before.graphs == 1);
  CHECK(after.graph_launches - before.graph_launches == 9);
  CHECK(after.changes == before.changes);
}

TEST_CASE("buffers that are handed round have a graph each") {
  const auto d = make_device();
  sequence s{*d};
  std::uint64_t cells[3] = {1, 2, 3}, want[3] = {1, 2, 3};
  const auto before = counts();
  for (int i = 0; i < 30; ++i) {
    s.run(cells[i % 3], {5, 6, 7});
    want[i % 3] = expected(want[i % 3], {5, 6, 7});
    REQUIRE(cells[i % 3] == want[i % 3]);
  }
  const auto after = counts();
  CHECK(after.graphs - before.graphs == 3);
  CHECK(after.graph_launches - before.graph_launches == 27);
}

TEST_CASE("one number that always changes is changed in the graph") {
  const auto d = make_device();
  sequence s{*d};
  std::uint64_t cell = 1, want = 1;
  s.run(cell, {1, 2, 3, 0});
  s.run(cell, {1, 2, 3, 0});
  want = expected(expected(want, {1, 2, 3, 0}), {1, 2, 3, 0});
  const auto before = counts();
  for (std::uint64_t i = 1; i < 20; ++i) {
    s.run(cell, {1, 2, 3, i});
    want = expected(want, {1, 2, 3, i});
    REQUIRE(cell == want);
  }
  const auto after = counts();
  CHECK(after.launches == before.launches);
  CHECK(after.graphs - before.graphs == 1);  // whose nodes do not begin early
  CHECK(after.changes - before.changes == 18);
  CHECK(after.graph_launches - before.graph_launches == 19);
}

TEST_CASE("two kernels, and slots that never come again, are launched as they are") {
  const auto d = make_device();
  const auto before = counts();
  std::uint64_t cell = 1, want = 1;
  sequence two{*d}, all{*d};
  for (int i = 0; i < 8; ++i) two.run(cell, {1, 2});
  for (int i = 0; i < 8; ++i) want = expected(want, {1, 2});
  REQUIRE(cell == want);
  for (std::uint64_t i = 0; i < 12; ++i) {
    all.run(cell, {3 * i, 3 * i + 1, 3 * i + 2});
    want = expected(want, {3 * i, 3 * i + 1, 3 * i + 2});
    REQUIRE(cell == want);
  }
  CHECK(counts().graphs == before.graphs);
  CHECK(counts().launches - before.launches == 16 + 36);
}

}  // namespace graphs_test

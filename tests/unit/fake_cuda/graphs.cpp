// Sequences of launches as CUDA graphs, on a driver that runs kernels on the host.

#include <deque>
#include <string>
#include <thread>

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
  std::shared_ptr<loaded_kernel> kernel = load_step(d), other = load_step(d);
  std::unique_ptr<launch_memory> memory = nullptr;
  std::int64_t blocks = 1;

  /// Runs one kernel per number over `cell`; from number `from` on the other kernel.
  void run(std::uint64_t& cell, const std::vector<std::uint64_t>& numbers, std::size_t from = 99) {
    std::vector<std::uint64_t> slots;
    for (std::uint64_t n : numbers) {
      slots.push_back(reinterpret_cast<std::uint64_t>(&cell));
      slots.push_back(n);
    }
    std::vector<launch_record> list;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      list.push_back({(i < from ? kernel : other).get(),
                      {blocks, 1, "step", ""},
                      {slots.data() + 2 * i, 2}});
    }
    d.launch_all(list, memory);
  }
};

std::uint64_t expected(std::uint64_t v, const std::vector<std::uint64_t>& numbers) {
  for (std::uint64_t n : numbers) v = v * 3 + n;
  return v;
}

/// "4 launches, 1 graphs, 9 graph launches, 0 changes" since `before`.
std::string since(const decltype(counts())& before) {
  const auto now = counts();
  const auto text = [](auto n, const char* what) { return std::to_string(n) + what; };
  return text(now.launches - before.launches, " launches, ") +
         text(now.graphs - before.graphs, " graphs, ") +
         text(now.graph_launches - before.graph_launches, " graph launches, ") +
         text(now.changes - before.changes, " changes");
}

}  // namespace

TEST_CASE("a sequence that comes again with the same slots becomes one graph") {
  const auto d = make_device();
  sequence s{*d};
  const auto before = counts();
  std::uint64_t cell = 1, want = 1;
  for (int i = 0; i < 10; ++i) {
    s.run(cell, {1, 2, 3});
    want = expected(want, {1, 2, 3});
    REQUIRE(cell == want);
  }
  CHECK(since(before) == "3 launches, 1 graphs, 9 graph launches, 0 changes");
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
  // The second cell's graph is changed for the third; then each of the others gets its own.
  CHECK(since(before) == "3 launches, 3 graphs, 29 graph launches, 3 changes");
}

TEST_CASE("more sets of slots than graphs are changed in the graphs there are") {
  const auto d = make_device();
  sequence s{*d};
  std::uint64_t cells[20] = {}, want[20] = {};
  const auto before = counts();
  for (int i = 0; i < 200; ++i) {
    s.run(cells[i % 20], {5, 6, 7});
    want[i % 20] = expected(want[i % 20], {5, 6, 7});
    REQUIRE(cells[i % 20] == want[i % 20]);
  }
  const auto after = counts();
  CHECK(after.launches - before.launches == 3);
  CHECK(after.graphs - before.graphs == 16);
  CHECK(after.graph_launches - before.graph_launches == 199);
}

TEST_CASE("one number that always changes is changed in the graph") {
  const auto d = make_device();
  sequence s{*d};
  std::uint64_t cell = 1, want = 1;
  s.run(cell, {1, 2, 3, 0});
  want = expected(want, {1, 2, 3, 0});
  const auto before = counts();
  for (std::uint64_t i = 1; i < 20; ++i) {
    s.run(cell, {1, 2, 3, i});
    want = expected(want, {1, 2, 3, i});
    REQUIRE(cell == want);
  }
  CHECK(since(before) == "0 launches, 1 graphs, 19 graph launches, 18 changes");
}

TEST_CASE("slots that never come again are set in one graph") {
  const auto d = make_device();
  sequence s{*d};
  const auto before = counts();
  std::uint64_t cell = 1, want = 1;
  for (std::uint64_t i = 0; i < 12; ++i) {
    s.run(cell, {3 * i, 3 * i + 1, 3 * i + 2});
    want = expected(want, {3 * i, 3 * i + 1, 3 * i + 2});
    REQUIRE(cell == want);
  }
  CHECK(since(before) == "3 launches, 1 graphs, 11 graph launches, 30 changes");
}

TEST_CASE("a single kernel becomes a graph where it has few blocks") {
  const auto d = make_device();
  std::uint64_t cell = 1, want = 1;
  sequence one{*d};
  auto before = counts();
  for (std::uint64_t i = 0; i < 12; ++i) {
    one.run(cell, {i / 2});
    want = expected(want, {i / 2});
    REQUIRE(cell == want);
  }
  CHECK(since(before) == "3 launches, 1 graphs, 9 graph launches, 4 changes");
  sequence large{*d};
  large.blocks = 1 << 20;
  before = counts();
  for (int i = 0; i < 12; ++i) large.run(cell, {1, 2});
  CHECK(since(before) == "24 launches, 0 graphs, 0 graph launches, 0 changes");
}

TEST_CASE("blocks change in a graph, other kernels are another graph") {
  const auto d = make_device();
  sequence s{*d};
  std::uint64_t cell = 1, want = 1;
  const auto run = [&](std::int64_t blocks, std::size_t from) {
    s.blocks = blocks;
    s.run(cell, {1, 2, 3}, from);
    want = expected(want, {1, 2, 3});
    REQUIRE(cell == want);
  };
  run(1, 99);
  run(1, 99);
  auto before = counts();
  run(2, 99);
  CHECK(since(before) == "0 launches, 0 graphs, 1 graph launches, 3 changes");
  before = counts();
  run(2, 1);
  run(2, 99);
  run(2, 1);
  CHECK(since(before) == "0 launches, 1 graphs, 3 graph launches, 0 changes");
}

TEST_CASE("each thread's stream has graphs of its own") {
  const auto d = make_device();
  sequence s{*d};
  std::uint64_t cell = 1;
  for (int i = 0; i < 3; ++i) s.run(cell, {1, 2, 3});
  const auto before = counts();
  std::thread([&] {
    for (int i = 0; i < 3; ++i) s.run(cell, {1, 2, 3});
  }).join();
  CHECK(since(before) == "0 launches, 1 graphs, 3 graph launches, 0 changes");
}

TEST_CASE("a device keeps 512 graphs, those that were launched last") {
  const auto d = make_device();
  std::uint64_t cell = 1;
  std::deque<sequence> all;
  for (int i = 0; i < 513; ++i) {
    all.push_back({*d});
    all.back().run(cell, {1, 2, 3});
    all.back().run(cell, {1, 2, 3});
  }
  auto before = counts();
  all[1].run(cell, {1, 2, 3});
  CHECK(since(before) == "0 launches, 0 graphs, 1 graph launches, 0 changes");
  before = counts();
  all[0].run(cell, {1, 2, 3});  // replaces the third one's
  all[1].run(cell, {1, 2, 3});
  CHECK(since(before) == "0 launches, 1 graphs, 2 graph launches, 0 changes");
  before = counts();
  all[2].run(cell, {1, 2, 3});
  CHECK(since(before) == "0 launches, 1 graphs, 1 graph launches, 0 changes");
}

TEST_CASE("long graphs are as many as have 65,536 kernels") {
  const auto d = make_device();
  std::uint64_t cell = 1;
  const std::vector<std::uint64_t> numbers(20000, 1);
  std::deque<sequence> all;
  for (int i = 0; i < 4; ++i) {
    all.push_back({*d});
    all.back().run(cell, numbers);
    all.back().run(cell, numbers);
  }
  auto before = counts();
  for (int i = 1; i < 4; ++i) all[static_cast<std::size_t>(i)].run(cell, numbers);
  CHECK(since(before) == "0 launches, 0 graphs, 3 graph launches, 0 changes");
  before = counts();
  all[0].run(cell, numbers);
  all[1].run(cell, numbers);
  CHECK(since(before) == "0 launches, 2 graphs, 2 graph launches, 0 changes");
}

}  // namespace graphs_test

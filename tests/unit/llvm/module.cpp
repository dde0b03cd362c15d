// The compiler and the loader themselves: stages, threads, faults, and bits that depend only on the
// kernel and its input.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "../../catch.hpp"
#include "harness.hpp"
#include "ir/interpreter.hpp"
#include "runtime/device.hpp"

namespace module_test {

using namespace llvm_tests;

namespace {

ir::kernel scaled_exp(int kept = 1, int reduced = 0, ir::op code = ir::op::exp) {
  builder w(kept, reduced);
  const dtype t = dtype::float32;
  std::vector<ir::step> steps(static_cast<std::size_t>(kept + reduced), any);
  steps.back() = one;
  const auto x = w.load(w.input(t, steps));
  const auto y = w.op(code, t, w.op(ir::op::multiply, t, x, w.scalar(t)));
  if (reduced == 0) {
    w.store(w.output(t, steps), y);
  } else {
    w.store(w.output(t, {one, zero}), w.reduce(ir::op::add, y));
  }
  return w.k;
}

std::string message_of(std::span<const std::byte> image, const std::string& entry) {
  try {
    doors()->loader->load(image, entry);
  } catch (const runtime::device_error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("The stages asked for come with the code") {
  if (!doors()) return;
  const codegen::compiled plain = doors()->compiler->compile(scaled_exp(), {});
  CHECK(plain.stages.empty());
  const codegen::compiled all = doors()->compiler->compile(scaled_exp(), {true, true, false});
  REQUIRE(all.stages.size() == 2);
  CHECK(all.stages[0].first == "llvm");
  CHECK(all.stages[0].second.find("%in0.v") != std::string::npos);
  CHECK(all.stages[0].second.find("%multiply") != std::string::npos);
  CHECK(all.stages[1].first == "asm");
  CHECK(all.stages[1].second.find("kernel:") != std::string::npos);
  CHECK(all.image == plain.image);
}

TEST_CASE("The name of a kernel is not in its code") {
  if (!doors()) return;
  ir::kernel k = scaled_exp();
  const codegen::compiled a = doors()->compiler->compile(k, {});
  k.name = "another";
  k.notes = {"y = exp(x)"};
  CHECK(a.image == doors()->compiler->compile(k, {}).image);
  CHECK(a.entry == "kernel");
}

TEST_CASE("Kernels compile, load and run on several threads at once") {
  if (!doors()) return;
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (std::size_t id = 0; id < wrong.size(); ++id) {
    threads.emplace_back([id, &wrong] {
      for (int round = 0; round < 8; ++round) {
        problem p = complete({scaled_exp(1, 1), {9, 50 + static_cast<int>(id)}, {}});
        p.k.schedule.unroll = 1 + round % 4;
        p.contents = fill::small;
        p.scalars = {0x3c000000};
        std::vector<memory> mine = memories_of(p), theirs = mine;
        const auto slots = slots_in(p, mine), others = slots_in(p, theirs);
        const std::int64_t blocks = ir::block_count(p.k, slots.data());
        ir::run_kernel(p.k, slots.data(), 0, blocks);
        const codegen::compiled c = doors()->compiler->compile(p.k, {});
        doors()->loader->load(c.image, c.entry)->entry()(others.data(), 0, blocks);
        for (std::size_t row = 0; row < 9; ++row) {
          float a, b;
          std::memcpy(&a, mine[1].bytes.data() + mine[1].origin + 4 * row, 4);
          std::memcpy(&b, theirs[1].bytes.data() + theirs[1].origin + 4 * row, 4);
          wrong[id] += !(std::abs(a - b) <= 1e-5f * std::abs(a));
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (int w : wrong) CHECK(w == 0);
}

TEST_CASE("Who computes a row, and in which block, does not show in its bits") {
  if (!doors()) return;
  for (const ir::lane_axis lanes : {ir::lane_axis::reduced, ir::lane_axis::kept}) {
    problem p = complete({scaled_exp(1, 1), {67, 301}, {}});
    p.k.schedule.lanes = lanes;
    p.contents = fill::small;
    p.scalars = {0x3dcccccd};
    std::vector<std::byte> first;
    for (const int rows : {1, 3, 8, 16, 67}) {
      p.k.schedule.rows = rows;
      std::vector<memory> memories = memories_of(p);
      const auto slots = slots_in(p, memories);
      const std::int64_t blocks = ir::block_count(p.k, slots.data());
      const codegen::compiled c = doors()->compiler->compile(p.k, {});
      const auto code = doors()->loader->load(c.image, c.entry);
      for (std::int64_t b = blocks; b-- > 0;) code->entry()(slots.data(), b, b + 1);
      if (first.empty()) first = memories[1].bytes;
      CHECK(memories[1].bytes == first);
    }
  }
}

TEST_CASE("A damaged object is refused") {
  if (!doors()) return;
  const codegen::compiled c = doors()->compiler->compile(scaled_exp(), {});
  const std::span<const std::byte> image(c.image);
  CHECK(message_of(image.first(10), "kernel").find("not an object file") != std::string::npos);
  CHECK(message_of({}, "kernel").find("not an object file") != std::string::npos);
  CHECK(message_of(image, "colonel").find("no kernel 'colonel'") != std::string::npos);
}

TEST_CASE("A function that nobody defines is named") {
  if (!doors()) return;
  codegen::compiled c = doors()->compiler->compile(scaled_exp(1, 0, ir::op::exp2), {});
  const std::string name = "Sleef_exp2", other = "Sleef_fxp2";
  const auto letter = [](std::byte b, char c) { return static_cast<char>(b) == c; };
  const auto found = std::search(c.image.begin(), c.image.end(), name.begin(), name.end(), letter);
  REQUIRE(found != c.image.end());
  std::memcpy(&*found, other.data(), other.size());
  CHECK(message_of(c.image, c.entry).find("nobody defines Sleef_fxp2") != std::string::npos);
}

TEST_CASE("Code for another CPU has another fingerprint") {
  if (!doors()) return;
  for (const auto& c : doors()->others) {
    CHECK(c->fingerprint() != doors()->compiler->fingerprint());
  }
}

}  // namespace module_test

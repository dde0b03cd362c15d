// Library calls among kernels, recorded as parts of graphs.

#include <functional>
#include <thread>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/fake_cuda/libraries.hpp"
#include "tests/unit/fake_cuda/fake_device.hpp"

namespace calls_test {

namespace sn = sinter;
using namespace sinter::runtime;

namespace {

/// A function of the fake driver.
template <class F> F* driver_function(const char* name) {
  counts();
  return reinterpret_cast<F*>(dlsym(dlopen(SINTER_FAKE_CUDA, RTLD_NOW), name));
}

// *to = *to * 3 + n
void step(const std::uint64_t* p, unsigned) {
  auto& to = *reinterpret_cast<std::uint64_t*>(p[0]);
  to = to * 3 + p[1];
}

struct call final : library_call {
  std::function<void()> work;
  void queue() const override { work(); }
};

/// A kernel, a call that launches it twice, and a kernel.
struct sequence {
  device& d;
  std::shared_ptr<loaded_kernel> kernel;
  std::unique_ptr<launch_memory> memory = nullptr;
  std::size_t bytes_taken = 0;  // allocated by the call
  std::int64_t calls = 0;

  explicit sequence(device& on) : d(on) {
    const std::uint64_t image[] = {reinterpret_cast<std::uint64_t>(&step), 2};
    kernel = d.load(std::as_bytes(std::span(image)), "step");
  }

  void run(std::uint64_t& cell, std::uint64_t first, std::uint64_t within) {
    const auto to = reinterpret_cast<std::uint64_t>(&cell);
    const launch_config one{1, 1, "step", ""};
    const std::uint64_t before[] = {to, first}, inside[] = {to, within}, behind[] = {to, 9};
    call c;
    c.work = [&] {
      ++calls;
      if (bytes_taken > 0) d.allocate(bytes_taken);
      for (int i = 0; i < 2; ++i) d.launch(*kernel, one, inside);
    };
    const launch_record list[] = {{kernel.get(), one, before},
                                  {nullptr, {0, 0, "call", ""}, inside, &c},
                                  {kernel.get(), one, behind}};
    d.launch_all(list, memory);
  }
};

std::uint64_t expected(std::uint64_t v, std::uint64_t first, std::uint64_t within) {
  for (const std::uint64_t n : {first, within, within, std::uint64_t{9}}) v = v * 3 + n;
  return v;
}

}  // namespace

TEST_CASE("a call that comes again with the same words is part of one graph") {
  const auto d = make_device();
  sequence s(*d);
  std::uint64_t cell = 1, want = 1;
  const auto before = counts();
  for (std::uint64_t i = 0; i < 10; ++i) {
    s.run(cell, 5, 7);
    want = expected(want, 5, 7);
    REQUIRE(cell == want);
  }
  const auto after = counts();
  CHECK(s.calls == 2);  // the first, and the recorded one
  CHECK(after.captured - before.captured == 2);
  CHECK(after.graphs - before.graphs == 1);
  CHECK(after.graph_launches - before.graph_launches == 9);
  CHECK(after.launches - before.launches == 4);
}

TEST_CASE("kernels around a call that stays change in its graph") {
  const auto d = make_device();
  sequence s(*d);
  std::uint64_t cell = 1, want = 1;
  for (std::uint64_t i = 0; i < 2; ++i) s.run(cell, 5, 7);
  cell = want = 1;
  const auto before = counts();
  for (std::uint64_t i = 0; i < 10; ++i) {
    s.run(cell, i, 7);
    want = expected(want, i, 7);
    REQUIRE(cell == want);
  }
  const auto after = counts();
  CHECK(s.calls == 2);
  CHECK(after.graphs == before.graphs);
  CHECK(after.changes - before.changes == 10);
}

TEST_CASE("a call that never comes again is queued, and the kernels around it are graphs") {
  const auto d = make_device();
  sequence s(*d);
  std::uint64_t cell = 1, want = 1;
  const auto before = counts();
  for (std::uint64_t i = 0; i < 10; ++i) {
    s.run(cell, 5, i);
    want = expected(want, 5, i);
    REQUIRE(cell == want);
  }
  const auto after = counts();
  CHECK(s.calls == 10);
  CHECK(after.captured == before.captured);
  CHECK(after.graphs - before.graphs == 2);  // one kernel each, once queued four times
  CHECK(after.graph_launches - before.graph_launches == 2 * 7);
  CHECK(after.launches - before.launches == 10 * 2 + 2 * 3);
}

TEST_CASE("a call that takes memory is not recorded") {
  const auto d = make_device();
  sequence s(*d);
  s.bytes_taken = 1000;
  std::uint64_t cell = 1, want = 1;
  for (std::uint64_t i = 0; i < 6; ++i) {
    s.run(cell, 5, 7);
    want = expected(want, 5, 7);
    REQUIRE(cell == want);
  }
  CHECK(s.calls == 7);  // each time, and one failed recording
  d->allocate(1000);    // nothing is recorded any more
}

TEST_CASE("a driver that refuses graphs within graphs has its calls one by one") {
  const auto nests = driver_function<decltype(fake_cuda_nests)>("fake_cuda_nests");
  const auto d = make_device();
  sequence s(*d);
  std::uint64_t cell = 1, want = 1;
  nests(false);
  for (std::uint64_t i = 0; i < 6; ++i) {
    s.run(cell, 5, 7);
    want = expected(want, 5, 7);
    REQUIRE(cell == want);
  }
  nests(true);
  CHECK(s.calls == 7);
}

TEST_CASE("each thread's stream records calls of its own") {
  const auto d = make_device();
  sequence s(*d);
  std::uint64_t cell = 1, want = 1;
  for (int i = 0; i < 3; ++i) s.run(cell, 5, 7);
  CHECK(s.calls == 2);
  std::thread([&] {
    for (int i = 0; i < 3; ++i) s.run(cell, 5, 7);
  }).join();
  CHECK(s.calls == 4);
  for (int i = 0; i < 6; ++i) want = expected(want, 5, 7);
  CHECK(cell == want);
}

TEST_CASE("products and the kernels around them are one graph, in a function and in a loop") {
  void* const cublas = dlopen(SINTER_FAKE_CUBLAS, RTLD_NOW);
  REQUIRE(cublas);
  const auto products = [&] {
    return reinterpret_cast<decltype(fake_cublas_counts)*>(dlsym(cublas, "fake_cublas_counts"))()
        ->products;
  };
  counts();
  const auto scope = sn::use("cuda");
  using floats = sn::array<float>;
  floats x, w;
  try {
    x = sn::asarray(std::vector<float>(512 * 512, 0.5f)).reshape({512, 512});
    w = x + 1.0f;
    sn::eval(x, w);
  } catch (const sn::error&) {
    WARN("left out: nobody compiles for a GPU");
    return;
  }
  const auto layers = [&](const floats& a) {
    return sn::tanh(sn::matmul(sn::tanh(sn::matmul(a, w)) - 1.0f, w)) * 0.5f;
  };
  SECTION("a function") {
    const auto f = sn::fuse(layers);
    for (int i = 0; i < 20; ++i) sn::eval(f(x));
    const auto before = counts();
    const auto asked = products();
    for (int i = 0; i < 50; ++i) sn::eval(f(x));
    const auto after = counts();
    CHECK(products() == asked);
    CHECK(after.graph_launches - before.graph_launches == 50);
    CHECK(after.launches == before.launches);
  }
  SECTION("a loop") {
    const auto run = [&] {
      sn::eval(sn::fori_loop(0, 200, [&](auto, const floats& a) { return layers(a); }, x));
    };
    run();
    const auto before = counts();
    const auto asked = products();
    run();
    const auto after = counts();
    CHECK(products() - asked <= 100);  // of 400, while a cycle is found and recorded
    CHECK(after.graph_launches - before.graph_launches <= 100);  // several rounds each
    CHECK(after.launches - before.launches <= 40);
  }
}

}  // namespace calls_test

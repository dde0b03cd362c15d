// Functions that are traced once and replayed.

#include <cmath>
#include <thread>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace sn = sinter;
using sn::slice;
using floats = sn::array<float>;

TEST_CASE("a fused function is called once a signature, and gives what it would have given") {
  int calls = 0;
  const auto f = sn::fuse([&calls](floats x, floats y) {
    ++calls;
    return sn::exp(x) * 2 + y;
  });
  for (int i = 0; i < 5; ++i) {
    const floats x = sn::asarray(std::vector<float>{1, 2, static_cast<float>(i)}),
                 y = sn::asarray(std::vector<float>{3, 4, 5});
    CHECK(f(x, y).to_host() == floats(sn::exp(x) * 2 + y).to_host());
  }
  CHECK(calls == 1);
  const floats z = sn::ones<float>({2, 2});
  CHECK(f(z, z).shape(0) == 2);
  CHECK(calls == 2);
  CHECK(f(z, z + 1).to_host() == floats(sn::exp(z) * 2 + z + 1).to_host());
  CHECK(calls == 2);
}

TEST_CASE("several results, arguments that are results, and captured arrays") {
  const floats c = sn::asarray(std::vector<float>{10, 20});
  const auto f = sn::fuse([c](floats x, floats y) { return std::tuple(x + c, y, c, sn::sum(y)); });
  for (float i = 0; i < 3; ++i) {
    const floats x = sn::asarray(std::vector<float>{1, i}),
                 y = sn::asarray(std::vector<float>{i, 2});
    const auto [a, b, d, e] = f(x, y);
    CHECK(a.to_host() == std::vector<float>{11, 20 + i});
    CHECK(b.to_host() == y.to_host());
    CHECK(d.to_host() == c.to_host());
    CHECK(e.item() == i + 2);
  }
}

TEST_CASE("scalars are part of the signature, by value and type") {
  int calls = 0;
  const auto f = sn::fuse([&calls](floats x, auto k) {
    ++calls;
    return x * k;
  });
  const floats x = sn::asarray(std::vector<float>{1, 2});
  CHECK(f(x, 2).to_host() == std::vector<float>{2, 4});
  CHECK(f(x, 3.0).to_host() == std::vector<float>{3, 6});
  CHECK(f(x, 2).to_host() == std::vector<float>{2, 4});
  CHECK(f(x, 2.0).to_host() == std::vector<float>{2, 4});
  CHECK(calls == 3);
}

TEST_CASE("arguments moved in are updated in place, others keep their value") {
  const auto step = sn::fuse([](floats a, floats b) {
    b(slice(1, -1)) = 0.5f * (a(slice(0, -2)) + a(slice(2, slice::unset)));
    return b;
  });
  floats a = sn::asarray(std::vector<float>{0, 1, 2, 3, 9, 5}), b = sn::zeros<float>({6});
  sn::eval(a, b);
  b = step(a, b);  // traced
  const floats kept = b;
  const std::vector<float> value = kept.to_host();
  const auto before = sn::session_statistics().copies;
  floats c = step(a, b);
  CHECK(sn::session_statistics().copies == before + 1);
  CHECK(kept.to_host() == value);
  c = step(a, std::move(c));
  CHECK(sn::session_statistics().copies == before + 1);
  CHECK(c.to_host() == value);
  CHECK(value == std::vector<float>{0, 1, 2, 5.5, 4, 0});
}

TEST_CASE("a function that reads, or draws without a seed, is called every time") {
  int calls = 0;
  const auto reads = sn::fuse([&calls](floats x) {
    ++calls;
    return sn::sum(x).item() > 0 ? floats(x + 1) : floats(x - 1);
  });
  CHECK(reads(sn::ones<float>({2})).to_host() == std::vector<float>{2, 2});
  CHECK(reads(-sn::ones<float>({2})).to_host() == std::vector<float>{-2, -2});
  CHECK(calls == 2);
  const auto draws = sn::fuse([](floats x) { return x + sn::random::uniform<float>({8}); });
  const floats zero = sn::zeros<float>({8});
  CHECK(draws(zero).to_host() != draws(zero).to_host());
}

TEST_CASE("a function that changes what it captured by reference is called every time") {
  floats state = sn::zeros<float>({4});
  sn::eval(state);
  const auto f = sn::fuse([&state](floats x) {
    state(slice(0, 2)) = x;
    return state * 2;
  });
  for (float i = 1; i < 4; ++i) {
    const floats x = sn::full<float>({2}, i);
    CHECK(f(x).to_host() == std::vector<float>{2 * i, 2 * i, 0, 0});
    CHECK(state.to_host() == std::vector<float>{i, i, 0, 0});
  }
}

TEST_CASE("rejected: with `check`, captured values that changed") {
  float k = 2;
  const auto f = sn::fuse([&k](floats x) { return x * k; }, {.check = true});
  const floats x = sn::ones<float>({2});
  CHECK(f(x).to_host() == std::vector<float>{2, 2});
  CHECK(f(x).to_host() == std::vector<float>{2, 2});
  k = 3;
  try {
    f(x);
    FAIL("nothing was thrown");
  } catch (const sn::value_error& e) {
    CHECK(std::string(e.what()).find("[fuse] the function records something else") == 0);
  }
}

TEST_CASE("fused functions nest, and threads share one") {
  const auto inner = sn::fuse([](floats x) { return x * x; });
  const auto outer = sn::fuse([&](floats x) { return inner(x) + inner(x + 1); });
  const auto work = [&] {
    std::vector<float> sums;
    for (float i = 0; i < 20; ++i) sums.push_back(outer(sn::full<float>({3}, i)).to_host()[1]);
    return sums;
  };
  const auto expected = work();
  CHECK(expected[2] == 4 + 9);
  std::vector<std::vector<float>> got(3);
  std::vector<std::thread> threads;
  for (auto& g : got) threads.emplace_back([&] { g = work(); });
  for (auto& t : threads) t.join();
  for (const auto& g : got) CHECK(g == expected);
}

TEST_CASE("chains longer than the pending bound are one trace") {
  int calls = 0;
  const auto f = sn::fuse([&calls](floats x) {
    ++calls;
    for (int i = 0; i < 100; ++i) x = floats(x * 0.5f + 1);
    return x;
  });
  const floats x = sn::ones<float>({3});
  const auto first = f(x).to_host();
  CHECK(f(x).to_host() == first);
  CHECK(std::abs(first[0] - 2) < 1e-5f);
  CHECK(calls == 1);
}

// Functions traced once and replayed.

#include <cmath>
#include <thread>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace fuse_test {

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

TEST_CASE("what a fused function checks is checked at every call, for that call alone") {
  using longs = sn::array<std::int64_t>;
  int calls = 0;
  const auto pick = sn::fuse([&calls](const floats& x, const longs& i) {
    ++calls;
    return sn::take(x, i) * 2;
  });
  const floats x = sn::asarray(std::vector<float>{1, 2, 3});
  const auto at = [](std::int64_t a, std::int64_t b) -> longs {
    return sn::asarray(std::vector<std::int64_t>{a, b});
  };
  const floats bad_first = pick(x, at(0, 3)), good = pick(x, at(2, 1)), bad = pick(x, at(-4, 0));
  CHECK(calls == 1);
  CHECK_THROWS_AS(bad_first.to_host(), sn::index_error);
  CHECK(good.to_host() == std::vector<float>{6, 4});
  CHECK_THROWS_AS(bad.to_host(), sn::index_error);
  CHECK_THROWS_AS(bad.to_host(), sn::index_error);

  // An argument's checks propagate to what is computed from it, when recorded and when replayed.
  const auto twice = sn::fuse([](const floats& y) { return y + y; });
  CHECK_THROWS_AS(twice(bad).to_host(), sn::index_error);
  CHECK(twice(good).to_host() == std::vector<float>{12, 8});
  CHECK_THROWS_AS(twice(bad_first).to_host(), sn::index_error);
}

TEST_CASE("a fused factorisation says which call was singular") {
  using doubles = sn::array<double>;
  int calls = 0;
  const auto solve = sn::fuse([&calls](const doubles& a, const doubles& b) {
    ++calls;
    return sn::linalg::solve(a, b) + 1;
  });
  const auto diagonal = [](double last) -> doubles {
    return sn::asarray(std::vector<double>{2, 0, 0, last}).reshape({2, 2});
  };
  const doubles b = sn::ones<double>({2});
  const doubles first = solve(diagonal(4), b), singular = solve(diagonal(0), b),
                last = solve(diagonal(1), b);
  CHECK(calls == 1);
  CHECK(first.to_host() == std::vector<double>{1.5, 1.25});
  CHECK_THROWS_AS(singular.to_host(), sn::linalg_error);
  CHECK(last.to_host() == std::vector<double>{1.5, 2});
}

TEST_CASE("a loop that checks an index each round is recorded once, and says what was wrong") {
  const auto walk = [](const floats& x, std::int64_t rounds) {
    const auto plans = sn::session_statistics();
    const floats sum = sn::fori_loop(
        0, rounds,
        [&](const auto& i, const floats& s) { return sn::cumsum(s + sn::take(x, i)); },
        floats(sn::zeros<float>({2})));
    CHECK(sn::session_statistics().plans - plans.plans <= 4);
    return sum;
  };
  const floats x = sn::ones<float>({400});
  CHECK(std::isfinite(walk(x, 12).to_host()[1]));
  CHECK_THROWS_AS(walk(x, 401).to_host(), sn::index_error);
  CHECK_THROWS_AS(walk(x, 700).to_host(), sn::index_error);
}

TEST_CASE("another precision of products is another signature") {
  int calls = 0;
  const auto f = sn::fuse([&calls](const floats& x) {
    ++calls;
    return sn::matmul(x, x);
  });
  const floats x = sn::ones<float>({2, 2});
  CHECK(f(x).to_host() == std::vector<float>(4, 2));
  {
    const sn::precision fast({.matmul = sn::matmul_mode::tf32});
    CHECK(f(x).to_host() == std::vector<float>(4, 2));
  }
  CHECK(calls == 2);
}

TEST_CASE("what no argument changes is computed once, for all calls and rounds") {
  const auto scope = sn::use("cpu");
  const floats a = sn::astype<float>(
      sn::random::integers<int>({64, 64}, {.seed = 1, .low = 0, .high = 9}));
  const floats b = sn::ones<float>({64, 3});
  sn::eval(a, b);
  const auto off = a - sn::diag(sn::diagonal(a));  // recorded in the function, a call at a time
  const auto f = sn::fuse([&](const floats& x) { return sn::matmul(off, x) / sn::sum(a); });
  const auto launches = [&](auto&& body) {
    const auto before = sn::session_statistics().launches;
    body();
    return sn::session_statistics().launches - before;
  };
  sn::eval(f(b));
  CHECK(launches([&] { sn::eval(f(b)); }) == 2);  // the product, the quotient
  const auto rounds = launches([&] {
    sn::eval(sn::fori_loop(
        0, 40, [&](const auto&, const floats& x) { return floats(b - sn::matmul(off, x)); }, b));
  });
  CHECK(rounds <= 3 * 40 + 2);  // a copy to add to, the product, the counter
  CHECK(f(b).to_host() == floats(sn::matmul(off, b) / sn::sum(a)).to_host());
}

TEST_CASE("what was computed for a function's calls is still there at the next one") {
  // As large as the result, and not referenced elsewhere: the first call could overwrite it.
  const sn::array<double> x{1, 2, 3};
  const sn::array<std::int64_t> order{2, 0, 1};
  const auto f = sn::fuse([&](sn::array<double> a) { return a(order); });
  for (int k = 0; k < 3; ++k) CHECK(sn::to_string(f(x)) == "[3. 1. 2.]");
  const auto round = [&](auto, auto a) { return sn::array<double>(a(order)); };
  CHECK(sn::to_string(sn::array<double>(sn::fori_loop(0, 4, round, x))) == "[3. 1. 2.]");
  const sn::array<double> table{4, 9, 16};
  const auto roots = sn::fuse([&](sn::array<double> a) { return a + sn::cbrt(sn::sqrt(table)); });
  const std::string first = sn::to_string(roots(x));
  CHECK(sn::to_string(roots(x)) == first);
}

TEST_CASE("what repeats something smaller is not stored for it, unless it is small") {
  const auto scope = sn::use("cpu");
  const auto stored = [](std::int64_t n) {
    const floats x = sn::ones<float>({n}), y = sn::ones<float>({1000, n});
    sn::eval(x, y);
    const auto f = sn::fuse([&](const floats& z) {
      return z * (x * sn::expand_dims(sn::arange<float>(1000), 1)) + sn::arange<float>(n);
    });
    const auto before = sn::memory().used;
    sn::eval(f(y));
    return sn::memory().used - before;
  };
  CHECK(stored(10000) < 10000);       // neither the range nor its combination with another
  CHECK(stored(1000) < 4 * 1000 * 1000);
  CHECK(stored(1000) >= 4 * 1000);    // the range
}

}  // namespace fuse_test

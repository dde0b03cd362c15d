// Short loops in recorded functions: their rounds are statements, replayed with the rest.

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/unit/engine/traced.hpp"

namespace written_out_test {

namespace sn = sinter;
using doubles = sn::array<double>;
using sn::_;
using sn::slice;
using traced_tests::text_of;

namespace {

doubles matrix() {
  return doubles(sn::reshape(sn::arange<double>(16), {4, 4}) / 16 + sn::eye<double>(4));
}

/// Rounds that need several kernels: each element depends on all of the previous round.
struct power_rounds {
  int* calls;
  std::int64_t rounds;

  auto operator()(doubles x) const {
    return sn::fori_loop(0, rounds, [this](auto i, doubles v) {
      ++*calls;
      const doubles w = sn::matmul(matrix(), v);
      return doubles(w / sn::max(w) + 0.01 * i);
    }, x);
  }
};

/// The calls of the body during the second call of `f`.
template <class F> int calls_again(F f, int& calls, const doubles& a, const doubles& b) {
  auto fused = sn::fuse(f);
  fused(a);
  calls = 0;
  const doubles got = fused(b);
  const int again = calls;
  CHECK(sn::allclose(got, f(b), {.rtol = 1e-13}).item());
  return again;
}

}  // namespace

TEST_CASE("a loop of few rounds is replayed with the function it is in") {
  int calls = 0;
  const doubles a = sn::ones<double>({4}), b = sn::arange<double>(4) + 1;
  CHECK(calls_again(power_rounds{&calls, 5}, calls, a, b) == 0);
  CHECK(calls_again(power_rounds{&calls, 1}, calls, a, b) == 0);
  // With many rounds each call records one.
  CHECK(calls_again(power_rounds{&calls, 100}, calls, a, b) > 0);
}

TEST_CASE("a loop's slices and what its rounds keep are replayed too") {
  int calls = 0;
  const auto f = [&](doubles x, doubles rows) {
    return sn::scan([&](doubles v, doubles row) {
      ++calls;
      const doubles w = sn::matmul(matrix(), v) + row;
      return std::pair(w, std::tuple(sn::sum(w), doubles(w * 2)));
    }, x, rows);
  };
  auto fused = sn::fuse(f);
  const doubles x = sn::ones<double>({4}), rows = sn::reshape(sn::arange<double>(28), {7, 4});
  fused(x, rows);
  calls = 0;
  const auto [last, kept] = fused(doubles(x + 1), rows);
  CHECK(calls == 0);
  const auto [wanted, all] = f(doubles(x + 1), rows);
  CHECK(sn::array_equal(last, wanted).item());
  CHECK(sn::array_equal(std::get<0>(kept), std::get<0>(all)).item());
  CHECK(sn::array_equal(std::get<1>(kept), std::get<1>(all)).item());
  CHECK(std::get<1>(kept).shape(0) == 7);
}

TEST_CASE("backwards, without slices, and with carries that no round changes") {
  const auto f = [](doubles x) {
    const auto reversed = sn::scan([](doubles v, doubles row) {
      const doubles w = sn::cumsum(v) - row;
      return std::pair(w, sn::max(w));
    }, x, sn::outer(x, x), {.reverse = true});
    const auto [sum, same, rank_0] = sn::fori_loop(0, 3, [](auto, doubles v, doubles s, auto n) {
      return std::tuple(doubles(sn::flip(sn::cumsum(v)) + s), s, n * 2);
    }, std::tuple(x, x, doubles(1.5)));
    const auto [end, none] = sn::scan([](doubles v, doubles) {
      return std::pair(doubles(sn::cumsum(v)), sn::sum(v));
    }, x, sn::zeros<double>({0, 2}));
    return std::tuple(reversed.first, reversed.second, sum, same, rank_0, end, none);
  };
  auto fused = sn::fuse(f);
  const doubles x = sn::arange<double>(5) - 2;
  const auto wanted = f(x);
  for (int k = 0; k < 3; ++k) {
    const auto got = fused(x);
    std::apply([&](const auto&... g) {
      std::apply([&](const auto&... w) { CHECK((sn::array_equal(g, w).item() && ...)); }, wanted);
    }, got);
  }
}

TEST_CASE("a short loop inside of a long one is part of its rounds") {
  int calls = 0;
  const auto f = [&](doubles x) {
    return sn::fori_loop(0, 80, [&](auto, doubles v) {
      return sn::fori_loop(0, 3, [&](auto, doubles u) {
        ++calls;
        return doubles(sn::cumsum(u) / sn::max(sn::abs(u)));
      }, v);
    }, x);
  };
  const doubles x = sn::arange<double>(6) + 1;
  doubles wanted = x;
  for (int k = 0; k < 240; ++k) wanted = sn::cumsum(wanted) / sn::max(sn::abs(wanted));
  CHECK(sn::allclose(f(x), wanted, {.rtol = 1e-12}).item());
  // Traced once on placeholders and recorded once, for both the round and the inner loop.
  CHECK(calls < 40);
}

TEST_CASE("what a round that is written out returns is checked") {
  const doubles x = sn::ones<double>({3});
  int round = 0;
  auto uneven = sn::fuse([&](doubles v) {
    return sn::scan([&](doubles s, doubles) {
      const std::int64_t n = ++round > 2 ? 2 : 1;
      return std::pair(doubles(sn::cumsum(s)), sn::zeros<double>({n}));
    }, v, sn::zeros<double>({4, 1})).second;
  });
  CHECK(text_of<sn::shape_error>([&] { uneven(x); }).find("a round keeps") != std::string::npos);
}

}  // namespace written_out_test

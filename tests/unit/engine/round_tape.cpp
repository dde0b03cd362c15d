// Repeated rounds are replayed from a tape: with the same values as written-out rounds, for any
// number of rounds and any cycle of buffers.

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace round_tape_test {

namespace sn = sinter;
using doubles = sn::array<double>;
using integers = sn::array<std::int64_t>;

namespace {

/// The body alone, `rounds` times; integers, whose sums do not depend on order.
template <class Body, class Carry> Carry written_out(int rounds, Body body, Carry x) {
  for (int i = 0; i < rounds; ++i) {
    x = std::apply([&](const auto&... part) { return body(integers(i), part...); }, x);
    std::apply([](auto&... part) { (sn::eval(part), ...); }, x);
  }
  return x;
}

template <class Carry> std::vector<std::int64_t> values(const Carry& x) {
  std::vector<std::int64_t> all;
  std::apply(
      [&](const auto&... part) {
        (std::ranges::copy(part.to_host(), std::back_inserter(all)), ...);
      },
      x);
  return all;
}

/// Numbers of rounds around every cycle length, start and end.
template <class Body, class Carry> void check_rounds(Body body, const Carry& start) {
  for (const int rounds : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 17, 64, 203}) {
    CAPTURE(rounds);
    const Carry got = sn::fori_loop(0, rounds, body, start);
    CHECK(values(got) == values(written_out(rounds, body, start)));
  }
}

integers numbers(std::int64_t n) {
  const integers x = sn::arange(n) * 7 % 5 + 1;
  sn::eval(x);
  return x;
}

}  // namespace

TEST_CASE("taped rounds: carries that are computed, kept, handed on, and captured") {
  const integers outside = numbers(6);
  using two = std::tuple<integers, integers>;
  using three = std::tuple<integers, integers, integers>;
  check_rounds(
      [](integers, integers x, integers y) {
        return two(y, (x + y + sn::sum(x)) % 1000003);  // Fibonacci: each block lives two rounds
      },
      two(numbers(6), numbers(6)));
  check_rounds(
      [](integers i, integers x, integers y, integers z) {
        return three(z, x, (y * 3 + sn::sum(z) + i) % 1000003);
      },
      three(numbers(6), numbers(6) + 1, numbers(6) + 2));
  check_rounds(
      [&](integers, integers x, integers y, integers z) {
        return three(outside, y, (z + sn::sum(x) + outside) % 1000003);
      },
      three(numbers(6), numbers(6), numbers(6)));
}

TEST_CASE("taped rounds: updates in place, products, and several kernels a round") {
  const integers m = numbers(36).reshape({6, 6});
  using two = std::tuple<integers, integers>;
  check_rounds(
      [&](integers i, integers x, integers y) {
        x(sn::slice(1, 5)) = (x(sn::slice(0, 4)) + x(sn::slice(2, 6)) + i) % 1000003;
        const integers moved = sn::matmul(m, x) % 1000003;
        return two(x, (y + moved + sn::cumsum(x)) % 1000003);
      },
      two(numbers(6), numbers(6)));
}

TEST_CASE("taped rounds launch what replayed ones do, and are not looked up one by one") {
  const auto scope = sn::use("cpu");  // a GPU may launch them as one kernel
  const doubles start = sn::ones<double>({8});
  const auto run = [&](int rounds) {
    sn::eval(sn::fori_loop(0, rounds, [](auto, auto x) { return x + sn::sum(x) * 0.0; }, start));
  };
  run(40);
  const auto before = sn::session_statistics();
  run(1040);
  const auto middle = sn::session_statistics();
  run(40);
  const auto after = sn::session_statistics();
  const std::int64_t most = middle.launches - before.launches;
  const std::int64_t few = after.launches - middle.launches;
  CHECK(most - few >= 1000);
  CHECK((most - few) % 1000 == 0);
  const auto looked = [](const auto& a, const auto& b) { return b.plan_hits - a.plan_hits; };
  CHECK(looked(before, middle) <= looked(middle, after) + 8);
}

TEST_CASE("a round is numbered where somebody looks at its number") {
  const auto scope = sn::use("cpu");
  const doubles start = sn::ones<double>({8});
  sn::eval(start);
  const auto launches = [&](int rounds, auto body) {
    const auto before = sn::session_statistics().launches;
    sn::eval(sn::fori_loop(0, rounds, body, start));
    return sn::session_statistics().launches - before;
  };
  const auto plain = [](auto, auto x) { return x + sn::sum(x) * 0.0; };
  const auto numbered = [](auto i, auto x) { return x + sn::sum(x) * 0.0 + i; };
  CHECK(launches(500, plain) - launches(100, plain) == 400);
  CHECK(launches(500, numbered) - launches(100, numbered) >= 800);
  const auto sums = [](auto i, auto x) { return x + sn::max(x) * 0.0 + sn::astype<double>(i); };
  CHECK(sn::fori_loop(5, 105, sums, start).to_host()[7] == 1 + 109 * 50);
}

TEST_CASE("taped rounds of a scan write each to its own place") {
  const integers xs = numbers(300).reshape({100, 3});
  const auto [last, kept] = sn::scan(
      [](integers x, integers row) {
        const integers y = (x + row + sn::sum(x)) % 1009;
        return std::pair(y, std::tuple(y * 2, integers(sn::max(y))));
      },
      numbers(3), xs);
  const auto& [rows, most] = kept;
  integers x = numbers(3);
  for (std::int64_t i = 0; i < 100; ++i) {
    x = (x + xs(i) + sn::sum(x)) % 1009;
    CHECK(rows(i).to_host() == integers(x * 2).to_host());
    CHECK(most(i).item() == sn::max(x).item());
  }
  CHECK(last.to_host() == x.to_host());
}

TEST_CASE("a taped while_loop ends in any round of a cycle") {
  for (const int most : {1, 2, 5, 8, 9, 10, 11, 12, 13, 14, 99, 100}) {
    CAPTURE(most);
    const auto [x, y, n] = sn::while_loop(
        [&](integers, integers, integers n) { return n < most; },
        [](integers x, integers y, integers n) {
          return std::tuple(y, integers((x + y + sn::sum(x)) % 1000003), integers(n + 1));
        },
        std::tuple(numbers(6), numbers(6), integers(0)));
    std::tuple<integers, integers> want(numbers(6), numbers(6));
    want = written_out(
        most,
        [](integers, integers a, integers b) {
          return std::tuple(b, integers((a + b + sn::sum(a)) % 1000003));
        },
        want);
    CHECK(n.item() == most);
    CHECK(x.to_host() == std::get<0>(want).to_host());
    CHECK(y.to_host() == std::get<1>(want).to_host());
    // One loop's results survive the next loop.
    CHECK(sn::sum(x + y).item() == sn::sum(std::get<0>(want) + std::get<1>(want)).item());
  }
}

TEST_CASE("a taped round that finds a singular matrix says so where its values are read") {
  // x(0, 0) counts down to zero: only the matrix of round 150 is singular.
  const auto run = [](int rounds) {
    return sn::fori_loop(
        0, rounds,
        [](auto i, doubles x) {
          const doubles d = sn::where(sn::eye<double>(5) > 0.0, 150.0 - sn::astype<double>(i), 0.0);
          return doubles(x * 0.5 + sn::linalg::inv(d));
        },
        sn::eye<double>(5) * 1.0);
  };
  CHECK(sn::isfinite(run(150)).to_host()[0]);
  const doubles wrong = run(301);
  CHECK_THROWS_AS(wrong.to_host(), sn::linalg_error);
  CHECK_THROWS_AS(doubles(wrong + 1.0).to_host(), sn::linalg_error);
}

TEST_CASE("an index that leaves its range in a taped round is said") {
  const doubles x = sn::arange<double>(1000);
  const auto run = [&](int rounds) {
    return sn::fori_loop(
        0, rounds,
        [&](auto i, doubles y) {
          const integers at = sn::arange(4) + i * 3;
          return doubles(y + sn::take(x, at) + sn::sum(y) * 0.0);
        },
        doubles{0, 0, 0, 0});
  };
  CHECK(run(330).to_host()[0] == 3.0 * 330 * 329 / 2);
  CHECK_THROWS_AS(run(400).to_host(), sn::index_error);
}

TEST_CASE("a while_loop that writes where its carry says tells what leaves its range") {
  const auto run = [](int rounds) {
    return sn::while_loop([=](auto k, auto) { return k < rounds; },
                          [](auto k, doubles x) {
                            x(k) = sn::astype<double>(k) + x(sn::maximum(k - 1, 0));
                            return std::tuple(integers(k + 1), x);
                          },
                          std::tuple{integers(0), doubles(sn::zeros<double>({400}))});
  };
  const auto [k, x] = run(400);
  CHECK(k.item() == 400);
  CHECK(x.to_host()[399] == 399.0 * 400 / 2);
  CHECK_THROWS_AS(std::get<1>(run(401)).to_host(), sn::index_error);
}

}  // namespace round_tape_test

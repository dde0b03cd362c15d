// Loops whose body calls libraries: round by round, with the same bits as written-out rounds.

#include <algorithm>
#include <cmath>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/unit/engine/refusal.hpp"

namespace control_calls_test {

namespace sn = sinter;
using doubles = sn::array<double>;

namespace {

doubles matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  const doubles x = sn::random::uniform<double>({rows, columns}, {.seed = seed});
  sn::eval(x);
  return x;
}

/// Written-out rounds have sums in other kernels: a GPU adds them in another order.
bool near(const std::vector<double>& a, const std::vector<double>& b) {
  const auto close = [](double x, double y) { return std::abs(x - y) <= 1e-12 * std::abs(y); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), close);
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return sn::current_device().what == sn::device::kind::cpu ? a == b : near(a, b);
}

doubles next(const doubles& m, const doubles& x) {
  const doubles y = sn::matmul(m, x * 0.5) + 1.0;
  return doubles(y / sn::sum(y));
}

}  // namespace

TEST_CASE("a body takes what is carried one by one or, as in JAX, as one tuple") {
  using pair = std::tuple<doubles, doubles>;
  const doubles a = sn::arange<double>(4), b = a + 1, xs = sn::ones<double>({5, 4});
  const auto apart = [](auto, auto p, auto q) { return std::tuple(p + q, q * 0.5); };
  const auto whole = [&](auto i, pair c) { return apart(i, std::get<0>(c), std::get<1>(c)); };
  const auto any = [&](auto i, auto c) {
    return std::apply([&](auto... v) { return apart(i, v...); }, c);
  };
  const auto [p, q] = sn::fori_loop(0, 5, apart, std::tuple(a, b));
  const auto [pw, qw] = sn::fori_loop(0, 5, whole, std::tuple(a, b));
  const auto [pa, qa] = sn::fori_loop(0, 5, any, std::pair(a, b));
  CHECK(p.to_host() == pw.to_host());
  CHECK(p.to_host() == pa.to_host());
  CHECK(q.to_host() == qa.to_host());
  const auto [rest, small] = sn::while_loop(
      [](auto c) { return sn::max(std::get<1>(c)) > 1; },
      [](auto c) { return pair(std::get<0>(c) + 1.0, std::get<1>(c) * 0.5); }, std::tuple(a, b));
  CHECK(rest.to_host() == std::vector<double>{2, 3, 4, 5});
  const auto [last, all] = sn::scan(
      [](auto m, auto n, auto x) { return std::pair(std::tuple(m + x, n * 0.5), m * n); },
      std::tuple(a, b), xs);
  CHECK(std::get<0>(last).to_host() == std::vector<double>{5, 6, 7, 8});
  CHECK(doubles(all(1)).to_host() == std::vector<double>{0.5, 2, 4.5, 8});
}

TEST_CASE("a scan with products keeps numbers, rows and large arrays of every round") {
  const doubles m = matrix(40, 40, 1), start = matrix(40, 150, 2), xs = matrix(30, 150, 3);
  const auto [last, kept] = sn::scan(
      [&](const doubles& x, const doubles& row) {
        const doubles y = next(m, x + row);
        return std::pair(y, std::tuple(sn::sum(y * y), y(0), y, sn::arange(3)));
      },
      start, xs);
  const auto& [sums, rows, all, numbers] = kept;  // 40 x 150 is copied, the others are not
  doubles x = start;
  std::vector<double> want_sums, want_rows, want_all;
  const auto add = [](std::vector<double>& to, const doubles& y) {
    const auto host = y.to_host();
    to.insert(to.end(), host.begin(), host.end());
  };
  for (int i = 0; i < 30; ++i) {
    x = next(m, doubles(x + xs(i)));
    add(want_sums, sn::sum(x * x));
    add(want_rows, x(0));
    add(want_all, x);
  }
  CHECK(same(sums.to_host(), want_sums));
  CHECK(same(rows.to_host(), want_rows));
  CHECK(same(all.to_host(), want_all));
  CHECK(same(last.to_host(), x.to_host()));
  CHECK(numbers(29).to_host() == std::vector<int>{0, 1, 2});
}

TEST_CASE("what a scan with products keeps may be of any type") {
  const doubles m = matrix(5, 5, 1);
  const auto [last, kept] = sn::scan(
      [&](const doubles& x, std::tuple<>) {
        const doubles y = next(m, x);
        const auto z = sn::astype<std::complex<double>>(y) * std::complex<double>(0, 1);
        return std::pair(y, std::tuple(y > 0.04, sn::astype<sn::float16>(y),
                                       sn::array<std::complex<double>>(z),
                                       sn::astype<std::int8_t>(y * 100.0)));
      },
      m, std::tuple<>(), {.length = 12});
  const auto& [flags, halves, complex, bytes] = kept;
  doubles x = m;
  for (int i = 0; i < 12; ++i) {
    x = next(m, x);
    CHECK(sn::array_equal(flags(i), x > 0.04).item());
    CHECK(sn::array_equal(halves(i), sn::astype<sn::float16>(x)).item());
    CHECK(sn::array_equal(sn::imag(complex(i)), x).item());
    CHECK(sn::array_equal(bytes(i), sn::astype<std::int8_t>(x * 100.0)).item());
  }
}

TEST_CASE("counted and conditional loops with products, transforms and sorts") {
  const doubles m = matrix(16, 16, 1), start = matrix(16, 16, 2);
  const auto body = [&](const doubles& x) {
    const doubles y = next(m, x);
    const doubles f = sn::real(sn::fft::ifft(sn::fft::fft(y) * 2.0));
    return doubles(sn::sort(f) + y);
  };
  const doubles counted = sn::fori_loop(0, 25, [&](auto, auto x) { return body(x); }, start);
  const auto [x, n] = sn::while_loop(
      [](auto, auto k) { return k < 25; },
      [&](auto y, auto k) { return std::tuple(body(y), k + 1); },
      std::tuple(start, std::int64_t{0}));
  doubles want = start;
  for (int i = 0; i < 25; ++i) want = body(want);
  // Written out, a step's sum may share a kernel with another step's complex numbers, whose vectors
  // are shorter: then the order of addition differs.
  CHECK(near(counted.to_host(), want.to_host()));
  CHECK(near(x.to_host(), want.to_host()));
  CHECK(counted.to_host() == x.to_host());
  CHECK(n.item() == 25);
}

TEST_CASE("what a loop has given stays as it is when the loop runs again") {
  const doubles m = matrix(8, 8, 1);
  const auto run = [&](const doubles& start) {
    return sn::scan(
        [&](const doubles& x, std::tuple<>) {
          const doubles y = next(m, x);
          return std::pair(y, y);
        },
        start, std::tuple<>(), {.length = 9});
  };
  const auto first = run(m);
  const auto values = first.second.to_host();
  const auto again = run(first.first);
  CHECK(first.second.to_host() == values);
  CHECK(again.second(8).to_host() != first.second(8).to_host());
}

TEST_CASE("an index out of range in one round of many is said when the value is read") {
  const doubles x = sn::arange<double>(10);
  const auto run = [&](std::int64_t rounds) {
    return sn::fori_loop(
        0, rounds,
        [&](auto i, auto y) {
          const sn::array<std::int64_t> at = sn::arange(4) + i;
          return doubles(y + sn::take(x, at) + sn::sum(y) * 0.0);
        },
        doubles{0, 0, 0, 0});
  };
  CHECK(run(7).to_host() == std::vector<double>{21, 28, 35, 42});
  const doubles wrong = run(200);
  CHECK_THROWS_AS(wrong.to_host(), sn::index_error);
  CHECK_THROWS_AS(doubles(wrong * 2.0).to_host(), sn::index_error);
  CHECK(run(7).to_host() == std::vector<double>{21, 28, 35, 42});
}

TEST_CASE("a condition that is read each round sees an index that has just left its range") {
  const doubles x = sn::arange<double>(10);
  const auto run = [&](double most) {
    const auto [y, i] = sn::while_loop(
        [&](auto y, auto) { return sn::sum(y) < most; },
        [&](auto y, auto i) {
          const sn::array<std::int64_t> at = sn::arange(4) + i;
          return std::tuple(doubles(y + sn::take(x, at)), i + 1);
        },
        std::tuple(doubles{0, 0, 0, 0}, std::int64_t{0}));
    return y.to_host();
  };
  CHECK(run(30) == std::vector<double>{3, 6, 9, 12});
  CHECK_THROWS_AS(run(1e6), sn::index_error);
}

TEST_CASE("rounds of a scan that keep arrays of different shapes are rejected") {
  const doubles m = matrix(4, 4, 1);
  int calls = 0;
  const auto body = [&](const doubles& x, std::tuple<>) {
    const doubles y = next(m, x);
    return std::pair(y, doubles(y(sn::slice(0, ++calls))));
  };
  const auto run = [&](sn::location where) {
    sn::scan(body, m, std::tuple<>(), {.length = 3}, where);
  };
  const auto here = sn::location::current();
  CHECK(sn::test::shape_refusal([&] { run(here); }, here) ==
        "[scan] a round keeps float64 of shape (2, 4), another one float64 of shape (1, 4)");
}

}  // namespace control_calls_test

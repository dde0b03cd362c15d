// Elementwise loops inside elementwise loops: one kernel, with the results of C++ loops.

#include <cmath>

#include <sinter/sinter.hpp>

#include "engine/evaluation/snapshot.hpp"
#include "ir/passes/pipeline.hpp"
#include "tests/catch.hpp"
#include "tests/unit/engine/traced.hpp"

namespace control_nested_test {

namespace sn = sinter;
using traced_tests::kernels;
namespace ir = sinter::ir;
using floats = sn::array<float>;
using doubles = sn::array<double>;
using counts = sn::array<std::int64_t>;

namespace {

doubles ramp(std::int64_t n) {
  const doubles x = sn::arange<double>(n) / static_cast<double>(n);
  sn::eval(x);
  return x;
}

/// f of every element.
template <class F>
std::vector<double> each(const doubles& x, F f) {
  std::vector<double> all = x.to_host();
  for (double& v : all) v = f(v);
  return all;
}

}  // namespace

TEST_CASE("a counted loop in a counted loop is one kernel") {
  const doubles x = ramp(1003);
  const doubles y = sn::fori_loop(
      0, 7,
      [](auto i, auto v) {
        const doubles w = v + sn::astype<double>(i);
        return 0.5 + sn::fori_loop(
                         0, 3, [&](auto k, auto u) { return u * 0.5 + sn::astype<double>(k + i); },
                         w);
      },
      x);
  CHECK(kernels({y}) == 1);
  CHECK(y.to_host() == each(x, [](double v) {
          for (int i = 0; i < 7; ++i) {
            double u = v + i;
            for (int k = 0; k < 3; ++k) u = u * 0.5 + (k + i);
            v = 0.5 + u;
          }
          return v;
        }));
}

TEST_CASE("no rounds outside, inside, or of some elements") {
  const doubles x = ramp(37);
  const auto nested = [&](std::int64_t outer, std::int64_t inner) {
    return doubles(sn::fori_loop(
        0, outer,
        [&](auto, auto v) {
          return 1.0 + sn::fori_loop(0, inner, [](auto, auto u) { return u * 2.0; }, v);
        },
        x));
  };
  CHECK(nested(0, 3).to_host() == x.to_host());
  CHECK(nested(3, 0).to_host() == each(x, [](double v) { return v + 1 + 1 + 1; }));
  CHECK(nested(2, 1).to_host() == each(x, [](double v) { return 1 + 2 * (1 + 2 * v); }));
  // Each element has its own number of rounds, in the inner and the outer loop.
  const auto [y, n] = sn::while_loop(
      [](auto v, auto) { return v < 40.0; },
      [](auto v, auto n) {
        const doubles limit = v * 3.0 + 1.0;
        const doubles w = sn::while_loop(
            [&](auto u) { return u < limit && u > 0.2; }, [](auto u) { return u * 1.25; }, v);
        return std::tuple(w + 0.5, n + 1);
      },
      std::tuple(x * 100.0, sn::zeros<std::int64_t>({37})));
  CHECK(kernels({y, n}) == 1);
  const auto from = x.to_host();
  for (std::size_t e = 0; e < from.size(); ++e) {
    double v = from[e] * 100.0;
    std::int64_t rounds = 0;
    for (; v < 40; ++rounds) {
      double u = v;
      while (u < v * 3.0 + 1.0 && u > 0.2) u *= 1.25;
      v = u + 0.5;
    }
    CHECK(y.to_host()[e] == v);
    CHECK(n.to_host()[e] == rounds);
  }
}

TEST_CASE("two loops in a loop, the second of what the first gives, and three deep") {
  const doubles x = ramp(64), c = doubles(ramp(64) * 3.0);
  sn::eval(c);
  const doubles y = sn::fori_loop(
      1, 4,
      [&](auto i, auto v) {
        const auto [a, n] = sn::while_loop(
            [](auto u, auto) { return u < 2.0; },
            [&](auto u, auto n) { return std::tuple(u + c * 0.25 + 0.125, n + 1); },
            std::tuple(v, sn::zeros<std::int64_t>({64})));
        const doubles b = sn::fori_loop(
            0, 2,
            [&](auto, auto u) {
              return sn::fori_loop(0, i, [&](auto, auto w) { return w * 0.5 + v; }, u);
            },
            a);
        return b - a * 0.25 + sn::astype<double>(n);
      },
      x);
  CHECK(kernels({y}) == 1);
  const auto from = x.to_host(), add = c.to_host(), got = y.to_host();
  for (std::size_t e = 0; e < from.size(); ++e) {
    double v = from[e];
    for (int i = 1; i < 4; ++i) {
      double a = v;
      int n = 0;
      for (; a < 2.0; ++n) a = a + add[e] * 0.25 + 0.125;
      double b = a;
      for (int k = 0; k < 2 * i; ++k) b = b * 0.5 + v;
      v = b - a * 0.25 + n;
    }
    CHECK(got[e] == v);
  }
}

TEST_CASE("carries of rank 0 beside arrays, and nothing else") {
  const doubles x = ramp(9);
  const auto [y, total] = sn::fori_loop(
      0, 4,
      [](auto i, auto v, auto t) {
        const counts sum = sn::fori_loop(0, i + 1, [](auto k, auto s) { return s + k; }, t);
        const doubles w =
            sn::fori_loop(0, 2, [&](auto, auto u) { return u + sn::astype<double>(sum); }, v);
        return std::tuple(w, sum);
      },
      std::tuple(x, std::int64_t{1}));
  std::int64_t t = 1;
  double add = 0;
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k <= i; ++k) t += k;
    add += 2.0 * static_cast<double>(t);
  }
  CHECK(total.item() == t);
  CHECK(sn::allclose(y, x + add, {.rtol = 1e-15}).item());
  const auto collatz = sn::while_loop(
      [](auto n, auto) { return n > 1; },
      [](auto n, auto steps) {
        const auto [half, more] = sn::while_loop(
            [](auto m, auto) { return m % 2 == 0; },
            [](auto m, auto k) { return std::tuple(sn::floor_divide(m, std::int64_t{2}), k + 1); },
            std::tuple(n, steps));
        const auto odd = half > 1;
        return std::tuple(counts(sn::where(odd, 3 * half + 1, half)),
                          counts(sn::where(odd, more + 1, more)));
      },
      std::tuple(std::int64_t{27}, std::int64_t{0}));
  CHECK(std::get<1>(collatz).item() == 111);
}

TEST_CASE("cond in a loop chooses at every element, also between loops") {
  const doubles x = ramp(50);
  const auto [y, k] = sn::fori_loop(
      0, 5,
      [](auto, auto v, auto k) {
        const doubles next = sn::cond(
            k % 2 == 0,
            [](auto u) {
              return sn::fori_loop(0, 3, [](auto, auto w) { return sn::sin(w) + 0.1; }, u);
            },
            [](auto u) { return u * u * u - u; }, v);
        return std::tuple(next, k + 1);
      },
      std::tuple(x, std::int64_t{0}));
  CHECK(kernels({y}) == 1);
  doubles by_hand = x;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; i % 2 == 0 && j < 3; ++j) by_hand = doubles(sn::sin(by_hand) + 0.1);
    if (i % 2 != 0) by_hand = doubles(by_hand * by_hand * by_hand - by_hand);
    sn::eval(by_hand);
  }
  CHECK(sn::array_equal(y, by_hand).item());
  CHECK(k.item() == 5);
}

TEST_CASE("loops in loops inside of rows, of halves, of complex numbers, of a vmap") {
  const floats x = sn::astype<float>(ramp(600).reshape({20, 30}));
  sn::eval(x);
  const auto f = [](auto v) {
    return sn::fori_loop(
        0, 3,
        [](auto, auto u) {
          return 1.0f - sn::fori_loop(0, 2, [](auto, auto w) { return w * w * 0.5f; }, u);
        },
        v);
  };
  floats by_hand = x;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 2; ++k) by_hand = floats(by_hand * by_hand * 0.5f);
    by_hand = floats(1.0f - by_hand);
  }
  sn::eval(by_hand);
  const floats normal = f(x) / sn::sum(f(x), {.axis = 1, .keepdims = true});
  CHECK(sn::array_equal(f(x), by_hand).item());
  CHECK(sn::allclose(normal, by_hand / sn::sum(by_hand, {.axis = 1, .keepdims = true})).item());
  CHECK(sn::array_equal(sn::vmap(f)(x), by_hand).item());
  using halves = sn::array<sn::float16>;
  halves h = sn::astype<sn::float16>(x);
  const halves g = sn::fori_loop(
      0, 2,
      [](auto, auto u) {
        return sn::fori_loop(0, 2, [](auto, auto w) { return w * w + w; }, u);
      },
      h);
  for (int i = 0; i < 4; ++i) h = halves(h * h + h);
  CHECK(sn::array_equal(g, h).item());
  using complexes = sn::array<std::complex<double>>;
  const complexes c = sn::astype<std::complex<double>>(ramp(7)) * std::complex<double>(0.3, 0.2);
  const complexes z = sn::fori_loop(
      0, 2,
      [&](auto, auto u) {
        return c + sn::fori_loop(0, 2, [&](auto, auto w) { return w * w + c; }, u);
      },
      c);
  CHECK(kernels({z}) == 1);
  complexes w = c;
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 2; ++k) w = complexes(w * w + c);
    w = complexes(c + w);
  }
  CHECK(sn::array_equal(z, w).item());
}

TEST_CASE("a scan inside a loop, and a loop inside a scan, run round by round") {
  const doubles x = ramp(6), rows = doubles(ramp(12).reshape({2, 6}));
  sn::eval(rows);
  const auto [last, all] = sn::scan(
      [](auto c, auto row) {
        const doubles next =
            sn::fori_loop(0, 3, [&](auto, auto v) { return v * 0.5 + row; }, c);
        return std::pair(next, next);
      },
      x, rows);
  const auto from = x.to_host(), add = rows.to_host(), got = all.to_host();
  for (std::size_t e = 0; e < 6; ++e) {
    double v = from[e];
    for (std::size_t r = 0; r < 2; ++r) {
      for (int k = 0; k < 3; ++k) v = v * 0.5 + add[r * 6 + e];
      CHECK(got[r * 6 + e] == v);
    }
  }
  const doubles y = sn::fori_loop(
      0, 2,
      [&](auto, auto v) {
        return sn::scan([](auto c, auto row) { return std::pair(c * 0.5 + row, c); }, v, rows)
            .first;
      },
      x);
  for (std::size_t e = 0; e < 6; ++e) {
    double v = from[e];
    for (int i = 0; i < 2; ++i) {
      for (std::size_t r = 0; r < 2; ++r) v = v * 0.5 + add[r * 6 + e];
    }
    CHECK(y.to_host()[e] == v);
  }
}

TEST_CASE("a loop in a branch runs where the branch is chosen alone: elsewhere it need not end") {
  const counts start = sn::zeros<std::int64_t>({});
  const auto halved = [](counts v) {
    return sn::while_loop([](counts u) { return u != 1; },
                          [](counts u) { return counts(sn::floor_divide(u, 2)); }, v);
  };
  const auto more = [](counts v) { return counts(v + 8); };
  const auto result = sn::fori_loop(
      0, 2, [&](auto, counts x) { return sn::cond(x >= 1, halved, more, x); }, start);
  CHECK(kernels({result}) == 1);
  CHECK(result.item() == 1);
  const auto other = sn::fori_loop(
      0, 3, [&](auto, counts x) { return sn::cond(x < 1, more, halved, x); }, start);
  CHECK(kernels({other}) == 1);
  CHECK(other.item() == 1);
}

TEST_CASE("loops in both branches, one behind the other, and in branches of branches: one kernel") {
  const auto from = std::vector<double>{0.5, 1.5, 2.5, 3.5};
  const doubles x(from);
  // In each round: if the sum is below 40 a counted loop, else a loop until each element is small;
  // in the first case one more loop, except in the second round.
  const auto round = [](auto i, doubles v) {
    return sn::cond(
        sn::full<double>({}, 3) * i < 4.0,
        [&](doubles u) {
          const doubles w = sn::fori_loop(0, i + 2, [](auto, doubles y) { return y * 1.5; }, u);
          return sn::cond(
              i < 1, [](doubles y) { return sn::fori_loop(0, 3, [](auto k, doubles z) {
                                       return doubles(z + sn::astype<double>(k));
                                     }, y); },
              [](doubles y) { return doubles(y - 1.0); }, w);
        },
        [](doubles u) {
          return sn::while_loop([](doubles y) { return y > 2.0; },
                                [](doubles y) { return y * 0.5; }, u);
        },
        v);
  };
  const doubles y = sn::fori_loop(0, 5, round, x);
  CHECK(kernels({y}) == 1);
  const auto got = y.to_host();
  for (std::size_t e = 0; e < from.size(); ++e) {
    double v = from[e];
    for (int i = 0; i < 5; ++i) {
      if (3 * i < 4) {
        for (int k = 0; k < i + 2; ++k) v *= 1.5;
        if (i < 1) {
          for (int k = 0; k < 3; ++k) v += k;
        } else {
          v -= 1;
        }
      } else {
        while (v > 2) v *= 0.5;
      }
    }
    CHECK(got[e] == v);
  }
}

}  // namespace control_nested_test

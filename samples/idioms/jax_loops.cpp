// JAX's control flow: fori_loop, while_loop, cond and scan, alone and inside one another.

#include <cmath>

#include <sinter/sinter.hpp>

#include "samples/idioms/expect.hpp"

namespace sn = sinter;
using doubles = sn::array<double>;
using counts = sn::array<std::int64_t>;

namespace {

// def cube_root(a):
//     return lax.while_loop(lambda x: jnp.abs(x**3 - a) > 1e-12 * a,
//                           lambda x: x - (x**3 - a) / (3 * x**2), a)
// Every element of an array converges by itself (JAX: vmap(cube_root)).
doubles cube_root(const doubles& a) {
  return sn::while_loop([&](auto x) { return sn::abs(x * x * x - a) > 1e-12 * a; },
                        [&](auto x) { return x - (x * x * x - a) / (3 * x * x); }, a);
}

// def collatz(n):
//     def halve(n, k): return lax.while_loop(lambda c: c[0] % 2 == 0, ..., (n, k))
// A loop in a loop is one kernel too.
counts collatz_steps(const counts& first) {
  const auto [n, steps] = sn::while_loop(
      [](auto n, auto) { return n > 1; },
      [](auto n, auto k) {
        const auto [odd, halved] = sn::while_loop(
            [](auto m, auto) { return m % 2 == 0; },
            [](auto m, auto j) { return std::tuple(m >> 1, j + 1); }, std::tuple(n, k));
        const auto more = odd > 1;
        return std::tuple(sn::where(more, 3 * odd + 1, odd), sn::where(more, halved + 1, halved));
      },
      std::tuple(first, sn::zeros_like(first)));
  return steps;
}

// def mandelbrot(c):                                       # of a point, then vmap
//     going = lambda s: (jnp.abs(s[0]) <= 2) & (s[1] < 50)
//     return lax.while_loop(going, lambda s: (s[0]**2 + c, s[1] + 1), (0j, 0))[1]
counts mandelbrot(const sn::array<std::complex<double>>& c) {
  const auto [z, n] = sn::while_loop(
      [](auto z, auto n) { return sn::abs(z) <= 2.0 && n < 50; },
      [&](auto z, auto n) { return std::tuple(z * z + c, n + 1); },
      std::tuple(sn::zeros_like(c), sn::zeros<std::int64_t>(c.shape())));
  return n;
}

// def cumulative(xs): return lax.scan(lambda c, x: (c + x, c + x), 0.0, xs)
doubles cumulative(const doubles& xs) {
  return sn::scan([](auto c, auto x) { return std::pair(c + x, c + x); }, 0.0, xs).second;
}

// def step(h, x): h = jnp.tanh(W @ h + U @ x); return h, h
// h, all = lax.scan(step, h0, xs)
doubles recurrent(const doubles& w, const doubles& u, const doubles& xs) {
  const auto [last, all] = sn::scan(
      [&](auto h, auto x) {
        const doubles next = sn::tanh(sn::matmul(w, h) + sn::matmul(u, x));
        return std::pair(next, next);
      },
      sn::zeros<double>({2}), xs);
  return all;
}

}  // namespace

int main() {
  expectations expect;
  const doubles roots = cube_root({8, 27, 2, 1e9});
  expect("cube root of 27", roots(1).item(), 3, 1e-12);
  expect("cube root of a billion", roots(3).item(), 1000, 1e-9);

  expect("steps of Collatz from 27", static_cast<double>(collatz_steps({1, 7, 27})(2).item()), 111);

  using namespace std::complex_literals;
  const counts n = mandelbrot({0.0 + 0i, 1.0 + 0i, -1.0 + 0i, 0.3 + 0.6i, 2.0 + 2i});
  expect("rounds at 0", static_cast<double>(n(0).item()), 50);
  expect("rounds at 1: 1, 2, 5", static_cast<double>(n(1).item()), 3);
  expect("rounds at 2 + 2i", static_cast<double>(n(4).item()), 1);

  // lax.fori_loop(0, 10, lambda i, x: x + i, 0)
  const auto sum = sn::fori_loop(0, 10, [](auto i, auto x) { return x + i; }, std::int64_t{0});
  expect("sum of 0, ..., 9", static_cast<double>(sum.item()), 45);

  // lax.cond(x.sum() > 0, jnp.cumsum, lambda x: x - x.mean(), x)
  const doubles x{1, 2, 3};
  const doubles chosen = sn::cond(
      sn::sum(x) > 0, [](auto v) { return sn::cumsum(v); },
      [](auto v) { return v - sn::mean(v); }, x);
  expect("cond", chosen(2).item(), 6);

  expect("cumulative([1, 2, 3])[2]", cumulative(x)(2).item(), 6);

  const doubles w = 0.5 * sn::eye<double>(2), u = sn::eye<double>(2);
  const doubles xs = sn::ones<double>({3, 2});
  const double by_hand = std::tanh(0.5 * std::tanh(0.5 * std::tanh(1.0) + 1.0) + 1.0);
  expect("a recurrent net after 3 steps", recurrent(w, u, xs)(2, 1).item(), by_hand, 1e-12);
  return expect.result();
}

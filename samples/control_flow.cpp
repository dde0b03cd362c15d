// Control flow of JAX's user guide: loops whose bodies are traced, in as few kernels as they need.

#include <iostream>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

namespace sn = sinter;
using floats = sn::array<float>;

namespace {

/// Each point iterates until it escapes: one kernel for any number of rounds.
void mandelbrot() {
  const int width = 64, height = 20, rounds = 60;
  const floats re = sn::linspace<float>(-2.1f, 0.7f, width)(sn::newaxis, sn::_);
  const floats im = sn::linspace<float>(-1.2f, 1.2f, height)(sn::_, sn::newaxis);
  const floats cr = re + 0 * im, ci = 0 * re + im, zero = sn::zeros_like(cr);
  const auto [x, y, n] = sn::while_loop(
      [=](auto x, auto y, auto n) { return x * x + y * y < 4 && n < rounds; },
      [&](auto x, auto y, auto n) {
        return std::tuple(x * x - y * y + cr, 2 * x * y + ci, n + 1);
      },
      std::tuple(zero, zero, sn::zeros<int>({height, width})));
  const std::vector<int> count = n.to_host();
  for (int row = 0; row < height; ++row) {
    std::string line;
    for (int column = 0; column < width; ++column) {
      const int k = count[static_cast<std::size_t>(row * width + column)];
      line += k == rounds ? '#' : k > 8 ? '+' : k > 4 ? '.' : ' ';
    }
    std::cout << line << '\n';
  }
}

/// Newton's iteration for square roots, to convergence.
floats root(const floats& x) {
  return sn::while_loop([&](auto r) { return sn::abs(r * r - x) > 1e-6f * x; },
                        [&](auto r) { return 0.5f * (r + x / r); }, x);
}

/// An exponential moving average of every column, and its last value.
void smooth() {
  const floats prices = 100 + sn::cumsum(sn::random::normal<float>({250, 3}, {.seed = 1}),
                                         {.axis = 0});
  const auto [last, ema] = sn::scan(
      [](auto mean, auto price) {
        const floats next = 0.9f * mean + 0.1f * price;
        return std::pair(next, next);
      },
      floats(prices(0)), prices);
  std::cout << "moving averages end at " << last << ", halfway they were " << ema(125) << "\n";
}

/// The largest eigenvalue by power iteration: not elementwise, one plan per round.
void power() {
  const floats a = sn::random::uniform<float>({50, 50}, {.seed = 2}), m = a + a.T();
  const floats v = sn::fori_loop(
      0, 100,
      [&](auto, auto v) {
        const floats w = sn::matmul(m, v);
        return w / sn::sqrt(sn::sum(w * w));
      },
      sn::ones<float>({50}));
  std::cout << "largest eigenvalue " << sn::vecdot(v, floats(sn::matmul(m, v))).item() << "\n";
}

/// A distance between two vectors, as a matrix of the distances of many.
void distances() {
  const auto distance = [](auto x, auto y) { return sn::sqrt(sn::sum((x - y) * (x - y))); };
  const auto to_all = sn::vmap(distance, {.in_axes = {std::nullopt, 0}});
  const floats points = sn::random::uniform<float>({5, 3}, {.seed = 3});
  std::cout << "distances\n" << sn::vmap(to_all, {.in_axes = {0, std::nullopt}})(points, points)
            << "\n";
}

}  // namespace

int main() {
  mandelbrot();
  const floats two = root(floats{2, 3, 10000});
  std::cout << "roots of 2, 3 and 10000: " << two << "\n";
  smooth();
  power();
  distances();
}

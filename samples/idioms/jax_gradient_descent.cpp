// Logistic regression as in JAX's tutorials, with the gradient written by hand.

#include <sinter/sinter.hpp>

#include "samples/idioms/expect.hpp"

namespace sn = sinter;
using doubles = sn::array<double>;

namespace {

struct samples {
  doubles x, y;  // (n, features), (n) of 0 and 1
};

// def loss(w):
//     preds = sigmoid(jnp.dot(inputs, w))
//     label_probs = preds * targets + (1 - preds) * (1 - targets)
//     return -jnp.mean(jnp.log(label_probs))
doubles loss(const samples& s, const doubles& w) {
  const doubles p = sn::sigmoid(sn::matmul(s.x, w));
  return -sn::mean(sn::log(p * s.y + (1 - p) * (1 - s.y)));
}

// grad(loss)(w), by hand
doubles gradient(const samples& s, const doubles& w) {
  const doubles off = sn::sigmoid(sn::matmul(s.x, w)) - s.y;
  return sn::matmul(s.x.T(), off) / static_cast<double>(s.x.shape(0));
}

}  // namespace

int main() {
  expectations expect;
  // inputs = jnp.array([[0.52, 1.12, 0.77], [0.88, -1.08, 0.15], ...]), targets = ...
  const samples four{doubles{0.52, 1.12, 0.77, 0.88, -1.08, 0.15, 0.52, 0.06, -1.30, 0.74, -2.49,
                             1.39}
                         .reshape({4, 3}),
                     {1, 1, 0, 1}};
  const doubles w0{0, 0, 0};
  expect("loss before: log 2", loss(four, w0).item(), std::log(2.0));
  expect("gradient before: mean (1/2 - y) x", gradient(four, w0)(0).item(),
         (-0.52 - 0.88 + 0.52 - 0.74) / 8);

  // Against differences of the loss in every direction, all at once.
  const double h = 1e-6;
  const doubles w{0.3, -0.2, 0.5}, steps = h * sn::eye<double>(3);
  const auto at = sn::vmap([&](auto d) { return loss(four, w + d); });
  const doubles slope = (at(steps) - at(-steps)) / (2 * h);
  expect("gradient - differences", sn::max(sn::abs(gradient(four, w) - slope)).item(), 0, 1e-8);

  // def update(i, w): return w - 0.5 * grad(loss)(w)
  // w = lax.fori_loop(0, 500, update, w0)
  sn::random::generator rng(3);
  const doubles truth{2, -1, 0.5}, x = rng.normal<double>({1000, 3});
  const samples many{x, sn::astype<double>(sn::matmul(x, truth) > 0)};
  const doubles found = sn::fori_loop(
      0, 500, [&](auto, auto v) { return v - 0.5 * gradient(many, v); }, w0);
  const auto right = (sn::matmul(many.x, found) > 0) == (many.y > 0.5);
  expect("accuracy after 500 steps", sn::mean(sn::astype<double>(right)).item(), 1, 0.01);
  const doubles direction = found / sn::linalg::norm(found);
  expect("direction of w", sn::vecdot(direction, truth / sn::linalg::norm(truth)).item(), 1, 1e-2);
  return expect.result();
}

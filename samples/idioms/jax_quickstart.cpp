// JAX's quickstart: selu, jit, vmap of a prediction, and keys.

#include <cmath>

#include <sinter/sinter.hpp>

#include "samples/idioms/expect.hpp"

namespace sn = sinter;
using floats = sn::array<float>;

namespace {

// def selu(x, alpha=1.67, lmbda=1.05):
//     return lmbda * jnp.where(x > 0, x, alpha * jnp.exp(x) - alpha)
floats selu(const floats& x, float alpha = 1.67f, float lambda = 1.05f) {
  return lambda * sn::where(x > 0, x, alpha * sn::exp(x) - alpha);
}

/// A net for one image: weights and biases by layer.
struct layer {
  floats w, b;
};

// def predict(params, image):
//     activations = image
//     for w, b in params[:-1]:
//         activations = jax.nn.relu(jnp.dot(w, activations) + b)
//     w, b = params[-1]
//     logits = jnp.dot(w, activations) + b
//     return logits - logsumexp(logits)
floats predict(const std::vector<layer>& net, const floats& image) {
  floats x = image;
  for (std::size_t k = 0; k + 1 < net.size(); ++k) {
    x = sn::maximum(sn::matmul(net[k].w, x) + net[k].b, 0);
  }
  const floats logits = sn::matmul(net.back().w, x) + net.back().b;
  return logits - sn::logsumexp(logits);
}

// keys = random.split(key, len(sizes))
// [(scale * random.normal(w_key, (n, m)), ...) for m, n, k in zip(sizes[:-1], sizes[1:], keys)]
std::vector<layer> random_net(const std::vector<std::int64_t>& sizes, sn::random::generator key) {
  auto keys = key.split(static_cast<std::int64_t>(sizes.size()));
  std::vector<layer> net;
  for (std::size_t k = 0; k + 1 < sizes.size(); ++k) {
    net.push_back({keys[k].normal<float>({sizes[k + 1], sizes[k]}) * 0.1,
                   keys[k].normal<float>({sizes[k + 1]}) * 0.1});
  }
  return net;
}

}  // namespace

int main() {
  expectations expect;
  // x = jnp.arange(5.0)
  // selu(x)
  const floats x = sn::arange<float>(5);
  expect("selu(x)[3]", selu(x)(3).item(), 3.15);
  expect("selu(-1)", selu({-1})(0).item(), 1.05 * 1.67 * (std::exp(-1.0) - 1));

  // selu_jit = jax.jit(selu): here any expression is compiled; fuse also records it only once.
  const auto selu_jit = sn::fuse([](const floats& v) { return selu(v); });
  expect("selu_jit(x)[3]", floats(selu_jit(x))(3).item(), 3.15);

  // batched_predict = vmap(predict, in_axes=(None, 0))
  const auto net = random_net({64, 32, 10}, sn::random::generator(0));
  const floats images = sn::random::normal<float>({16, 64}, {.seed = 1});
  const auto batched_predict = sn::vmap([&](auto image) { return predict(net, image); });
  const floats all = batched_predict(images);
  expect("rows of batched_predict(images)", static_cast<double>(all.shape(0)), 16);
  const floats one = predict(net, images(7));
  expect("row 7 is predict(image 7)", sn::max(sn::abs(all(7) - one)).item(), 0, 1e-5);
  expect("its probabilities sum to", sn::sum(sn::exp(one)).item(), 1, 1e-5);

  // batched_apply = vmap(jnp.linalg.solve): any function of arrays, libraries' too
  const floats m = sn::random::normal<float>({8, 3, 3}, {.seed = 2}) + 4 * sn::eye<float>(3);
  const floats v = sn::ones<float>({8, 3});
  const floats solved = sn::vmap([](auto a, auto b) { return sn::linalg::solve(a, b); })(m, v);
  const floats back = sn::vmap([](auto a, auto b) { return sn::matmul(a, b); })(m, solved);
  expect("a @ solve(a, b) - b", sn::max(sn::abs(back - v)).item(), 0, 1e-4);
  return expect.result();
}

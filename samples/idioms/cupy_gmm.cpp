// A mixture of Gaussians with diagonal covariances by expectation and maximisation, after the
// example in CuPy's repository.

#include <numbers>

#include <sinter/sinter.hpp>

#include "samples/idioms/expect.hpp"

namespace sn = sinter;
using doubles = sn::array<double>;

namespace {

struct mixture {
  doubles weights, means, covariances;  // (k), (k, features), (k, features)
};

// def estimate_log_prob(X, inv_cov, means):
//     n_features = X.shape[1]
//     log_det = cp.sum(cp.log(inv_cov), axis=1)
//     d = ((X[:, None, :] - means) ** 2 * inv_cov).sum(axis=2)
//     return -.5 * (n_features * np.log(2 * np.pi) + d) + .5 * log_det
doubles log_density(const doubles& x, const mixture& m) {
  const doubles inverse = 1.0 / m.covariances;
  const doubles off = x(sn::_, sn::newaxis, sn::_) - m.means;
  const doubles d = sn::sum(off * off * inverse, {.axis = 2});
  const double constant = static_cast<double>(x.shape(1)) * std::log(2 * std::numbers::pi);
  return -0.5 * (constant + d) + 0.5 * sn::sum(sn::log(inverse), {.axis = 1});
}

// weighted = estimate_log_prob(...) + cp.log(weights)
// log_norm = cp.log(cp.sum(cp.exp(weighted), axis=1))      (here without overflow)
// log_resp = weighted - log_norm[:, None]
doubles responsibilities(const doubles& x, const mixture& m) {
  return sn::softmax(log_density(x, m) + sn::log(m.weights), {.axis = 1});
}

// nk = cp.sum(resp, axis=0)
// means = resp.T @ X / nk[:, None]
// covariances = resp.T @ (X * X) / nk[:, None] - means ** 2 + reg
mixture maximised(const doubles& x, const doubles& resp) {
  const doubles nk = sn::sum(resp, {.axis = 0}) + 1e-15, each = nk(sn::_, sn::newaxis);
  const doubles means = sn::matmul(resp.T(), x) / each;
  const doubles squares = sn::matmul(resp.T(), x * x) / each;
  return {nk / static_cast<double>(x.shape(0)), means, squares - means * means + 1e-6};
}

}  // namespace

int main() {
  expectations expect;
  sn::random::generator rng(7);
  const doubles scale{0.5, 0.2};
  const doubles x = sn::concatenate({doubles(rng.normal<double>({3000, 2}) * scale + 1.0),
                                     doubles(rng.normal<double>({1000, 2}) * 0.3 - 1.0)});
  // A first guess: the two ends of the first axis.
  mixture m{{0.5, 0.5}, doubles{2, 2, -2, -2}.reshape({2, 2}), sn::ones<double>({2, 2})};
  double before = 0;
  for (int round = 0; round < 100; ++round) {
    m = maximised(x, responsibilities(x, m));
    // lower_bound = log_norm.mean()
    const doubles joint = log_density(x, m) + sn::log(m.weights);
    const double bound = sn::mean(sn::logsumexp(joint, {.axis = 1})).item();
    if (std::abs(bound - before) < 1e-6) break;
    before = bound;
  }
  expect("weight of the first component", m.weights(0).item(), 0.75, 0.01);
  expect("its mean", m.means(0, 0).item(), 1, 0.05);
  expect("its deviations", sn::sqrt(m.covariances)(0, 0).item(), 0.5, 0.03);
  expect("its other deviation", sn::sqrt(m.covariances)(0, 1).item(), 0.2, 0.02);
  const auto pred = sn::argmax(responsibilities(x, m), {.axis = 1});
  expect("how many belong to the second", static_cast<double>(sn::sum(pred).item()), 1000, 20);
  return expect.result();
}

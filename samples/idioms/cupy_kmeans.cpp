// k-means by Lloyd's rounds, after the example in CuPy's repository.

#include <utility>

#include <sinter/sinter.hpp>

#include "samples/idioms/expect.hpp"

namespace sn = sinter;
using floats = sn::array<float>;
using labels = sn::array<std::int64_t>;

namespace {

// distance = cp.linalg.norm(X[:, None, :] - centers[None, :, :], axis=2)
// pred = cp.argmin(distance, axis=1)
labels nearest(const floats& x, const floats& centers) {
  const floats off = x(sn::_, sn::newaxis, sn::_) - centers(sn::newaxis, sn::_, sn::_);
  return sn::argmin(sn::linalg::norm(off, {.axis = 2}), {.axis = 1});
}

// mask = pred[:, None] == cp.arange(k)
// centers = (mask.T @ X) / mask.sum(axis=0)[:, None]
floats means(const floats& x, const labels& pred, std::int64_t k) {
  const floats mask = sn::astype<float>(pred(sn::_, sn::newaxis) == sn::arange(k));
  return sn::matmul(mask.T(), x) / sn::sum(mask, {.axis = 0})(sn::_, sn::newaxis);
}

// for _ in range(max_iter):
//     ...
//     if cp.all(new_pred == pred): break
std::pair<floats, labels> kmeans(const floats& x, const floats& first, int most_rounds) {
  floats centers = first;
  labels pred = nearest(x, centers);
  for (int round = 0; round < most_rounds; ++round) {
    centers = means(x, pred, first.shape(0));
    const labels next = nearest(x, centers);
    if (sn::all(next == pred).item()) break;
    pred = next;
  }
  return {centers, pred};
}

}  // namespace

int main() {
  expectations expect;
  // X = cp.concatenate([0.3 * cp.random.randn(500, 2) + 1, 0.3 * cp.random.randn(500, 2) - 1])
  sn::random::generator rng(1);
  const floats x = sn::concatenate({floats(rng.normal<float>({500, 2}) * 0.3 + 1),
                                    floats(rng.normal<float>({500, 2}) * 0.3 - 1)});
  const auto [centers, pred] = kmeans(x, x(sn::slice(499, 501)), 100);
  expect("center of the first 500, x", centers(0, 0).item(), 1, 0.05);
  expect("center of the others, y", centers(1, 1).item(), -1, 0.05);
  expect("how many belong to the second", static_cast<double>(sn::sum(pred).item()), 500, 2);
  return expect.result();
}

// The first pages of CuPy's user guide: arrays, norms, masks, and expressions where CuPy needs
// kernels of one's own (@cp.fuse, ElementwiseKernel, ReductionKernel).

#include <sinter/sinter.hpp>

#include "samples/idioms/expect.hpp"

namespace sn = sinter;
using floats = sn::array<float>;

namespace {

// @cp.fuse()
// def squared_diff(x, y):
//     return (x - y) * (x - y)
// Arrays, expressions and numbers; an expression in `auto` owns its operands.
auto squared_diff(const auto& x, const auto& y) { return (x - y) * (x - y); }

// def softplus(x):
//     return cp.maximum(0, x) + cp.log1p(cp.exp(-cp.abs(x)))
floats softplus(const floats& x) {
  return sn::maximum(0, x) + sn::log1p(sn::exp(-sn::abs(x)));
}

// l2norm = cp.ReductionKernel('T x', 'T y', 'x * x', 'a + b', 'y = sqrt(a)', '0', 'l2norm')
// y = l2norm(x, axis=1)
floats l2norm_of_rows(const floats& x) { return sn::sqrt(sn::sum(x * x, {.axis = 1})); }

}  // namespace

int main() {
  expectations expect;

  // x = cp.array([1, 2, 3], dtype=cp.float32)
  // cp.linalg.norm(x)
  const floats x{1, 2, 3};
  expect("cp.linalg.norm(x)", sn::linalg::norm(x).item(), 3.741657);

  // a = cp.arange(10, dtype=cp.float32).reshape(2, 5)
  // b = cp.arange(5, dtype=cp.float32)
  // squared_diff(a, b).sum()
  const floats a = sn::arange<float>(10).reshape({2, 5}), b = sn::arange<float>(5);
  expect("squared_diff(a, b).sum()", sn::sum(squared_diff(a, b)).item(), 125);
  expect("squared_diff(a, 5)[1, 4]", squared_diff(a, 5)(1, 4).item(), 16);

  expect("softplus(1)", softplus({1})(0).item(), 1.313262);
  expect("softplus(-100)", softplus({-100})(0).item(), 0);
  expect("l2norm(a, axis=1)[1]", l2norm_of_rows(a)(1).item(), 15.968719);

  // ((a - a.mean(axis=1, keepdims=True)) ** 2).mean(axis=1), in one kernel
  const auto centred = a - sn::mean(a, {.axis = 1, .keepdims = true});
  expect("variance of rows", sn::mean(centred * centred, {.axis = 1})(0).item(), 2);

  // c = a.copy(); c[c > 6] = 0; c[:, ::2] += 1
  floats c = a;  // arrays are values: there is nothing to copy
  c(c > 6) = 0;
  c(sn::_, sn::slice(0, 5, 2)) += 1;
  expect("a mask and a slice assigned", sn::sum(c).item(), 27);
  expect("a is what it was", sn::sum(a).item(), 45);

  // y = cp.zeros(5); cp.add.at(y, [1, 3, 1], 2)
  const auto places = sn::asarray(std::vector<int>{1, 3, 1});
  expect("cp.add.at(y, [1, 3, 1], 2)[1]", sn::zeros<float>({5}).at(places).add(2)(1).item(), 4);

  // cp.asnumpy(a), a.get()
  const std::vector<float> host = a.to_host();
  expect("a.get()[7]", host[7], 7);
  return expect.result();
}

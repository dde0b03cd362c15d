// Conjugate gradients, after the example in CuPy's repository: a C++ loop that reads one value per
// round, and the same as a while_loop, which records its round once.

#include <sinter/sinter.hpp>

#include "samples/idioms/expect.hpp"

namespace sn = sinter;
using doubles = sn::array<double>;

namespace {

// x = cp.zeros_like(b)
// r0 = b - A @ x
// p = r0
// for i in range(max_iter):
//     a = (r0 @ r0) / (p @ (A @ p))
//     x = x + p * a
//     r1 = r0 - (A @ p) * a
//     if cp.linalg.norm(r1) < tol: return x
//     p = r1 + p * ((r1 @ r1) / (r0 @ r0))
//     r0 = r1
doubles fit(const doubles& a, const doubles& b, double tolerance, int most_rounds) {
  doubles x = sn::zeros_like(b), r0 = b - sn::matmul(a, x), p = r0;
  for (int i = 0; i < most_rounds; ++i) {
    const doubles ap = sn::matmul(a, p);
    const doubles step = sn::vecdot(r0, r0) / sn::vecdot(p, ap);
    x = x + p * step;
    const doubles r1 = r0 - ap * step;
    if (sn::linalg::norm(r1).item() < tolerance) return x;
    p = r1 + p * (sn::vecdot(r1, r1) / sn::vecdot(r0, r0));
    r0 = r1;
  }
  return x;
}

// The same as lax.while_loop: its body is recorded once and replayed as one plan.
doubles fit_traced(const doubles& a, const doubles& b, double tolerance, int most_rounds) {
  const auto [x, r, p, n] = sn::while_loop(
      [=](auto, auto r, auto, auto n) {
        return sn::linalg::norm(r) >= tolerance && n < most_rounds;
      },
      [&](auto x, auto r0, auto p, auto n) {
        const doubles ap = sn::matmul(a, p);
        const doubles step = sn::vecdot(r0, r0) / sn::vecdot(p, ap);
        const doubles r1 = r0 - ap * step;
        const doubles next = r1 + p * (sn::vecdot(r1, r1) / sn::vecdot(r0, r0));
        return std::tuple(x + p * step, r1, next, n + 1);
      },
      std::tuple(sn::zeros_like(b), b, b, 0));
  return x;
}

}  // namespace

int main() {
  expectations expect;
  // A = cp.random.randint(-50, 50, size=(n, n)); A = (A + A.T) + n * 50 * cp.eye(n)
  const std::int64_t n = 200;
  const doubles m = sn::random::uniform<double>({n, n}, {.seed = 1, .low = -50, .high = 50});
  const doubles a = m + m.T() + 50.0 * static_cast<double>(n) * sn::eye<double>(n);
  const doubles known = sn::random::uniform<double>({n}, {.seed = 2, .low = -50, .high = 50});
  const doubles b = sn::matmul(a, known);
  sn::eval(a, b);
  expect("|x - known|", sn::linalg::norm(fit(a, b, 1e-6, 400) - known).item(), 0, 1e-6);
  expect("|x - known|, traced", sn::linalg::norm(fit_traced(a, b, 1e-6, 400) - known).item(), 0,
         1e-6);
  expect("|x - known|, by factorisation",
         sn::linalg::norm(sn::linalg::solve(a, b) - known).item(), 0, 1e-6);
  return expect.result();
}

#include "bench/suite/tridiagonal.hpp"

namespace suite {

doubles solved(const tridiagonal& m) {
  const auto rows = [](const doubles& x) { return doubles(sn::moveaxis(x, -1, 0)); };
  const doubles zero = sn::zeros_like(m.b(sn::ellipsis, 0));
  const auto [last, eliminated] = sn::scan(
      [](auto before, auto row) {
        const auto [a, b, c, d] = row;
        const doubles w = 1 / (b - a * std::get<0>(before));
        const std::tuple next(doubles(c * w), doubles((d - a * std::get<1>(before)) * w));
        return std::pair(next, next);
      },
      std::tuple(zero, zero), std::tuple(rows(m.a), rows(m.b), rows(m.c), rows(m.d)));
  const auto [first, x] = sn::scan(
      [](auto after, auto row) {
        const doubles x = std::get<1>(row) - std::get<0>(row) * after;
        return std::pair(x, x);
      },
      zero, eliminated, {.reverse = true});
  return sn::moveaxis(x, 0, -1);
}

std::vector<double> solved_by_hand(const std::vector<double>& a, const std::vector<double>& b,
                                   const std::vector<double>& c, const std::vector<double>& d) {
  const std::size_t n = b.size();
  std::vector<double> above(n), x(n);
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = b[k] - (k ? a[k] * above[k - 1] : 0);
    above[k] = c[k] / pivot;
    x[k] = (d[k] - (k ? a[k] * x[k - 1] : 0)) / pivot;
  }
  for (std::size_t k = n - 1; k-- > 0;) x[k] -= above[k] * x[k + 1];
  return x;
}

}  // namespace suite

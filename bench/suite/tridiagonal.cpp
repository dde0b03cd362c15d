#include "bench/suite/tridiagonal.hpp"

#include <algorithm>

namespace suite {

doubles solved(const tridiagonal& m) {
  const index n = m.a.shape(-1);
  const auto at = [](const doubles& x, index k) { return x(sn::ellipsis, k); };
  std::vector<doubles> c, d;
  for (index k = 0; k < n; ++k) {
    const doubles w = k == 0 ? doubles(1 / at(m.b, k)) : 1 / (at(m.b, k) - at(m.a, k) * c.back());
    d.push_back(k == 0 ? doubles(at(m.d, k) * w) : (at(m.d, k) - at(m.a, k) * d.back()) * w);
    c.push_back(at(m.c, k) * w);
  }
  std::vector<doubles> x{d.back()};
  for (index k = n - 2; k >= 0; --k) {
    const auto i = static_cast<std::size_t>(k);
    x.push_back(d[i] - c[i] * x.back());
  }
  std::reverse(x.begin(), x.end());
  return sn::stack(x, -1);
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

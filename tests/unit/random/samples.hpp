#pragma once
// Tests whether numbers follow a distribution. Seeds are fixed, so a test that passes once always
// passes; one true sample in ten thousand, or fewer, would exceed the bounds.

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>
#include <vector>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace random_tests {

namespace sn = sinter;

inline constexpr std::int64_t many = 100'000;

template <class X> std::vector<double> values(X&& x) {
  return sn::astype<double>(std::forward<X>(x)).to_array().to_host();
}

inline double normal_cdf(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

/// Kolmogorov and Smirnov: the largest distance from the distribution's CDF, times sqrt(n). Above
/// 2.22 for one sample in ten thousand.
inline double ks_distance(std::vector<double> x, const std::function<double(double)>& cdf) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double distance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double p = cdf(x[i]);
    if (!(p >= 0 && p <= 1)) return INFINITY;
    distance =
        std::max({distance, static_cast<double>(i + 1) / n - p, p - static_cast<double>(i) / n});
  }
  return distance * std::sqrt(n);
}

template <class X> void check_ks(X&& x, const std::function<double(double)>& cdf) {
  CHECK(ks_distance(values(std::forward<X>(x)), cdf) < 2.22);
}

/// The mean within five standard errors, the variance within 10 % or `tolerance`.
template <class X> void check_moments(X&& x, double mean, double variance, double tolerance = 0.1) {
  const auto v = values(std::forward<X>(x));
  const auto n = static_cast<double>(v.size());
  double sum = 0, squares = 0;
  for (double a : v) sum += a;
  for (double a : v) squares += (a - sum / n) * (a - sum / n);
  CHECK(std::abs(sum / n - mean) <= 5 * std::sqrt(variance / n));
  CHECK(squares / n == Approx(variance).epsilon(tolerance));
}

/// Chi-square of counts of 0, 1, ... against their probabilities, in standard deviations from its
/// mean. Values with fewer than 10 expected are merged.
inline double chi_square(const std::vector<double>& x,
                         const std::function<double(std::int64_t)>& pmf) {
  const auto n = static_cast<double>(x.size());
  const auto top = static_cast<std::int64_t>(*std::max_element(x.begin(), x.end()));
  std::vector<double> counts(static_cast<std::size_t>(top) + 1);
  for (double v : x) {
    if (v < 0 || v != std::floor(v)) return INFINITY;
    ++counts[static_cast<std::size_t>(v)];
  }
  double sum = 0, rest = n, seen = 0, expected = 0, cells = 0;
  for (std::int64_t k = 0; k <= top; ++k) {
    expected += n * pmf(k);
    seen += counts[static_cast<std::size_t>(k)];
    if (expected < 10) continue;
    sum += (seen - expected) * (seen - expected) / expected;
    rest -= expected;
    expected = seen = 0;
    ++cells;
  }
  const double tail = std::max(rest, expected);
  if (tail > 10) sum += (seen - tail) * (seen - tail) / tail, ++cells;
  if (tail < 1 && seen > 20) return INFINITY;
  return cells < 2 ? 0 : (sum - (cells - 1)) / std::sqrt(2 * (cells - 1));
}

template <class X> void check_counts(X&& x, const std::function<double(std::int64_t)>& pmf) {
  CHECK(chi_square(values(std::forward<X>(x)), pmf) < 4.5);
}

/// The correlation of two samples, in standard errors.
inline double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) mx += x[i] / n, my += y[i] / n;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
    xy += (x[i] - mx) * (y[i] - my);
  }
  return xy / std::sqrt(xx * yy) * std::sqrt(n);
}

}  // namespace random_tests

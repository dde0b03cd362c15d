#pragma once
// Fits and curves through points: interpolation, polynomials, phases. Computed in double, as in
// NumPy.

#include <optional>

#include <sinter/quantiles.hpp>

namespace sinter {

struct interp_options {
  std::optional<double> left = {}, right = {};  // beyond the ends; none: the outermost values
};

struct unwrap_options {
  std::optional<double> discont = {};  // the smallest jump; none, or less than it: half a period
  std::int64_t axis = -1;
  double period = 6.283185307179586;
};

namespace detail {

any_array interp(const any_array& x, const any_array& xp, const any_array& fp,
                 const interp_options& o = {}, location where = location::current());
any_array polyfit(const any_array& x, const any_array& y, std::int64_t degree,
                  location where = location::current());
any_array roots(const any_array& p, location where = location::current());
any_array unwrap(const any_array& x, const unwrap_options& o = {},
                 location where = location::current());

}  // namespace detail

// Overloads for arrays whose dtype is known only at run time.
using detail::interp;
using detail::polyfit;
using detail::roots;
using detail::unwrap;

/// Piecewise linear interpolation at x through the points (xp, fp): the shape of x. xp must be
/// increasing, else the values are meaningless. dtype: double. Throws shape_error unless xp and fp
/// are vectors of one length, value_error if they are empty. Lazy; takes log2(n) gathers for n
/// points. `interp(x, xp, fp)`, `interp(x, {0, 1, 4}, {0, 5, 6})`
template <detail::ordered X, detail::ordered P = array<double>, detail::ordered F = array<double>>
auto interp(X&& x, P&& xp, F&& fp, const interp_options& options = {},
            location where = location::current()) {
  return array<double>(detail::interp(
      detail::to_any(std::forward<X>(x), where), detail::to_any(std::forward<P>(xp), where),
      detail::to_any(std::forward<F>(fp), where), options, where));
}

/// The same at a single point: shape (). `double(interp(0.5, xp, fp))`
template <scalar S, detail::ordered P = array<double>, detail::ordered F = array<double>>
auto interp(S x, P&& xp, F&& fp, const interp_options& options = {},
            location where = location::current()) {
  return interp(array<double>(static_cast<double>(x)), std::forward<P>(xp), std::forward<F>(fp),
                options, where);
}

/// The coefficients of the least-squares polynomial of a degree through the points (x, y), highest
/// power first: shape (degree + 1), or (degree + 1, k) for y of shape (n, k). dtype: double. Throws
/// shape_error, value_error for a negative degree or no points. `polyfit(x, y, 2)`
template <detail::ordered X = array<double>, detail::ordered Y = array<double>>
auto polyfit(X&& x, Y&& y, std::int64_t degree, location where = location::current()) {
  return array<double>(detail::polyfit(detail::to_any(std::forward<X>(x), where),
                                       detail::to_any(std::forward<Y>(y), where), degree, where));
}

/// The roots of the polynomial with coefficients p, highest power first, in no particular order.
/// They are the eigenvalues of its companion matrix. Zeros at either end of p determine how many
/// there are, so p is evaluated. dtype: complex<double>. Throws shape_error unless p is a vector.
/// `roots(p)`
template <detail::expression P> auto roots(P&& p, location where = location::current()) {
  return array<std::complex<double>>(
      detail::roots(detail::to_any(std::forward<P>(p), where), where));
}

/// Removes jumps from phases: where neighbours differ by more than half a period, adds whole
/// periods to all elements after the jump. dtype: a real float, double for integers. Throws
/// axis_error. `unwrap(x)`
template <detail::ordered X>
auto unwrap(X&& x, const unwrap_options& options = {}, location where = location::current()) {
  return detail::quantile_of<X>(
      detail::unwrap(detail::to_any(std::forward<X>(x), where), options, where));
}

}  // namespace sinter

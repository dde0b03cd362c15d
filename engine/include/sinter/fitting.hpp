#pragma once
// Curves through points: interpolation, polynomials, phases. Computed in double, as NumPy does.

#include <optional>

#include <sinter/quantiles.hpp>

namespace sinter {

struct interp_options {
  std::optional<double> left = {}, right = {};  // beyond the ends; none: the outermost values
};

struct unwrap_options {
  std::optional<double> discont = {};  // what is a jump; none, or less: half a period
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

// For arrays whose dtype is known at run time only: the same functions.
using detail::interp;
using detail::polyfit;
using detail::roots;
using detail::unwrap;

/// The piecewise linear function through (xp, fp) at x: of x's shape. xp rises; where it does not,
/// values mean nothing. dtype: double. Throws shape_error unless xp and fp are vectors of one
/// length, value_error if they are empty. Lazy, log2(n) gathered steps. `interp(x, xp, fp)`
template <detail::ordered X, detail::ordered P, detail::ordered F>
auto interp(X&& x, P&& xp, F&& fp, const interp_options& options = {},
            location where = location::current()) {
  return array<double>(detail::interp(
      detail::to_any(std::forward<X>(x), where), detail::to_any(std::forward<P>(xp), where),
      detail::to_any(std::forward<F>(fp), where), options, where));
}

/// At one place: of no dimension. `double(interp(0.5, xp, fp))`
template <scalar S, detail::ordered P, detail::ordered F>
auto interp(S x, P&& xp, F&& fp, const interp_options& options = {},
            location where = location::current()) {
  return interp(array<double>(static_cast<double>(x)), std::forward<P>(xp), std::forward<F>(fp),
                options, where);
}

/// The coefficients of the polynomial of a degree that is nearest to y at x by least squares, the
/// highest power first: (degree + 1), or (degree + 1, k) for y (n, k). dtype: double. Throws
/// shape_error, value_error for a negative degree or no points. `polyfit(x, y, 2)`
template <detail::ordered X, detail::ordered Y>
auto polyfit(X&& x, Y&& y, std::int64_t degree, location where = location::current()) {
  return array<double>(detail::polyfit(detail::to_any(std::forward<X>(x), where),
                                       detail::to_any(std::forward<Y>(y), where), degree, where));
}

/// The roots of the polynomial with coefficients p, the highest power first: eigenvalues of its
/// companion matrix, in no order. Zeros at either end of p decide how many there are, so p is
/// evaluated. dtype: complex<double>. Throws shape_error unless p is a vector. `roots(p)`
template <detail::expression P> auto roots(P&& p, location where = location::current()) {
  return array<std::complex<double>>(
      detail::roots(detail::to_any(std::forward<P>(p), where), where));
}

/// Phases without jumps: where neighbours differ by more than half a period, whole periods are
/// added to all behind. dtype: a real float, double for integers. Throws axis_error. `unwrap(x)`
template <detail::ordered X>
auto unwrap(X&& x, const unwrap_options& options = {}, location where = location::current()) {
  return detail::quantile_of<X>(
      detail::unwrap(detail::to_any(std::forward<X>(x), where), options, where));
}

}  // namespace sinter

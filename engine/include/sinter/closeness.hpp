#pragma once
// Comparisons of whole arrays, and replacement of non-finite values. All are lazy: the answers are
// arrays of shape (), which convert to bool in conditions.

#include <optional>

#include <sinter/operators.hpp>
#include <sinter/reductions.hpp>

namespace sinter {

struct close_options {
  double rtol = 1e-5, atol = 1e-8;
  bool equal_nan = false;
};

struct equal_options {
  bool equal_nan = false;
};

struct nan_options {
  double nan = 0;                                  // replaces NaN
  std::optional<double> posinf = {}, neginf = {};  // none: the largest finite numbers
};

namespace detail {

any_array isclose(const any_array& a, const any_array& b, const close_options& o = {},
                  location where = location::current());
any_array allclose(const any_array& a, const any_array& b, const close_options& o = {},
                   location where = location::current());
any_array array_equal(const any_array& a, const any_array& b, const equal_options& o = {},
                      location where = location::current());
any_array array_equiv(const any_array& a, const any_array& b, location where = location::current());
any_array nan_to_num(const any_array& x, const nan_options& o = {},
                     location where = location::current());
any_array isreal(const any_array& x, location where = location::current());
any_array iscomplex(const any_array& x, location where = location::current());

}  // namespace detail

using detail::allclose;
using detail::array_equal;
using detail::array_equiv;
using detail::isclose;
using detail::iscomplex;
using detail::isreal;
using detail::nan_to_num;

/// Whether |a - b| <= atol + rtol |b|, element by element; equal infinities are close. dtype: bool.
/// Throws shape_error. `isclose(a, b, {.rtol = 1e-3})`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto isclose(A&& a, B&& b, const close_options& options = {},
             location where = location::current()) {
  return array<bool>(detail::isclose(detail::to_any(std::forward<A>(a), where),
                                     detail::to_any(std::forward<B>(b), where), options, where));
}
template <detail::expression A, scalar V>
auto isclose(A&& a, V b, const close_options& options = {}, location where = location::current()) {
  const array<detail::value_of<A>> x(detail::to_any(std::forward<A>(a), where));
  return isclose(x, x * 0 + b, options, where);
}

/// Whether all elements are close: shape (). Throws shape_error. `if (allclose(a, b)) ...`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto allclose(A&& a, B&& b, const close_options& options = {},
              location where = location::current()) {
  return array<bool>(detail::allclose(detail::to_any(std::forward<A>(a), where),
                                      detail::to_any(std::forward<B>(b), where), options, where));
}

/// Whether the shapes and all elements are equal: shape (). Throws nothing. `array_equal(a, b)`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto array_equal(A&& a, B&& b, const equal_options& options = {},
                 location where = location::current()) {
  return array<bool>(detail::array_equal(detail::to_any(std::forward<A>(a), where),
                                         detail::to_any(std::forward<B>(b), where), options,
                                         where));
}

/// Whether the shapes broadcast and all elements are equal: shape (). Throws nothing.
/// `array_equiv(a, b)`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto array_equiv(A&& a, B&& b, location where = location::current()) {
  return array<bool>(detail::array_equiv(detail::to_any(std::forward<A>(a), where),
                                         detail::to_any(std::forward<B>(b), where), where));
}

/// Replaces NaN and infinities in x by finite numbers. dtype: that of x. Throws nothing.
/// `nan_to_num(x, {.nan = -1})`
template <detail::expression X>
auto nan_to_num(X&& x, const nan_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::nan_to_num(detail::to_any(std::forward<X>(x), where), options, where));
}

/// Whether each imaginary part is 0. dtype: bool. Throws nothing. `isreal(z)`
template <detail::expression X> auto isreal(X&& x, location where = location::current()) {
  return array<bool>(detail::isreal(detail::to_any(std::forward<X>(x), where), where));
}

/// Whether each imaginary part is not 0. dtype: bool. Throws nothing. `iscomplex(z)`
template <detail::expression X> auto iscomplex(X&& x, location where = location::current()) {
  return array<bool>(detail::iscomplex(detail::to_any(std::forward<X>(x), where), where));
}

namespace detail {
/// The absent bound of `clip`: `std::nullopt` or `{}`.
struct no_bound {
  no_bound() = default;
  no_bound(std::nullopt_t) {}
};
}  // namespace detail

/// `clip` with only one bound. Throws shape_error for a bound that does not broadcast with x.
/// `clip(x, std::nullopt, 5)`, `clip(x, 0, {})`
template <detail::expression X, detail::operand V>
auto clip(X&& x, detail::no_bound, V&& high) {
  return minimum(std::forward<X>(x), std::forward<V>(high));
}
template <detail::expression X, detail::operand V>
auto clip(X&& x, V&& low, detail::no_bound) {
  return maximum(std::forward<X>(x), std::forward<V>(low));
}

}  // namespace sinter

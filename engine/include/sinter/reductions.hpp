#pragma once
// Reductions over any axes. They are lazy, and fuse with what produces and what consumes them.
//
// `.axis` is one axis, several, or (by default) all; negative ones count from the end. `.keepdims`
// leaves the reduced axes in place with extent 1. All throw axis_error for an axis out of range or
// given twice; a number has axes 0 and -1, but not for means, variances, medians and quantiles, as
// in NumPy. Half types accumulate in float.
//
// `.where` is a mask that broadcasts to the array: elements where it does not hold are passed over.
// Throws shape_error. `.initial` is a number that takes part in the result, and is all of it where
// nothing else is. Throws dtype_error for one of a higher kind than the result's (a fraction among
// integers), value_error for an integer it does not have.

#include <optional>

#include <sinter/arguments.hpp>

namespace sinter {

/// Of what has a value without elements: `mean(x, {.axis = 0, .where = x > 0})`.
struct masked_options {
  [[no_unique_address]] detail::by_name named = detail::by_name(0);
  axis_list axis = {};
  bool keepdims = false;
  array<bool> where = {};  // none: everywhere
};

/// Of what combines elements two by two: `max(x, {.initial = 0, .where = valid})`.
struct fold_options {
  [[no_unique_address]] detail::by_name named = detail::by_name(0);
  axis_list axis = {};
  bool keepdims = false;
  std::optional<any_number> initial = {};
  array<bool> where = {};  // none: everywhere
};

/// Which axes, of any reduction: `const reduction_options rows{.axis = -1, .keepdims = true}` is
/// for `max`, `sum` and `median` alike.
struct reduction_options {
  [[no_unique_address]] detail::by_name named = detail::by_name(0);
  axis_list axis = {};
  bool keepdims = false;

  operator masked_options() const { return {.axis = axis, .keepdims = keepdims}; }
  operator fold_options() const { return {.axis = axis, .keepdims = keepdims}; }
};

struct variance_options {
  [[no_unique_address]] detail::by_name named = detail::by_name(0);
  axis_list axis = {};
  double correction = 0;  // the divisor is count - correction: 1 for a sample
  bool keepdims = false;
  array<bool> where = {};  // none: everywhere
};

struct arg_options {
  std::optional<std::int64_t> axis = {};  // none: the index into the flattened array
  bool keepdims = false;
};

namespace detail {

constexpr dtype sum_type(dtype t) {
  if (is_bool(t) || is_signed(t)) return dtype::int64;
  return is_unsigned(t) ? dtype::uint64 : t;
}
constexpr dtype mean_type(dtype t) { return is_inexact(t) ? t : dtype::float64; }
constexpr dtype variance_type(dtype t) { return real_of(mean_type(t)); }

any_array sum(const any_array& x, const fold_options& o = {},
              location where = location::current());
any_array prod(const any_array& x, const fold_options& o = {},
              location where = location::current());
any_array max(const any_array& x, const fold_options& o = {},
              location where = location::current());
any_array min(const any_array& x, const fold_options& o = {},
              location where = location::current());
any_array any(const any_array& x, const masked_options& o = {},
              location where = location::current());
any_array all(const any_array& x, const masked_options& o = {},
              location where = location::current());
any_array mean(const any_array& x, const masked_options& o = {},
              location where = location::current());
any_array count_nonzero(const any_array& x, const reduction_options& o = {},
              location where = location::current());
any_array var(const any_array& x, const variance_options& o = {},
              location where = location::current());
any_array stddev(const any_array& x, const variance_options& o = {},
              location where = location::current());
any_array argmax(const any_array& x, const arg_options& o = {},
              location where = location::current());
any_array argmin(const any_array& x, const arg_options& o = {},
              location where = location::current());

template <class X>
concept ordered = expression<X> && !is_complex(dtype_of_argument<X>);
template <class X>
concept unordered = expression<X> && is_complex(dtype_of_argument<X>);

}  // namespace detail

// For arrays whose dtype is known at run time only: the same functions.
using detail::all;
using detail::any;
using detail::argmax;
using detail::argmin;
using detail::count_nonzero;
using detail::max;
using detail::mean;
using detail::min;
using detail::prod;
using detail::stddev;
using detail::sum;
using detail::var;

/// The sum; 0 for no elements. dtype: int64 or uint64 for integers and bool, else that of x.
/// `sum(x, {.axis = {0, 2}, .keepdims = true})`
template <detail::expression X>
auto sum(X&& x, const fold_options& options = {}, location where = location::current()) {
  using R = element_of<detail::sum_type(detail::dtype_of_argument<X>)>;
  return array<R>(detail::sum(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The product; 1 for no elements. dtype: int64 or uint64 for integers and bool, else that of x.
/// `prod(x, {.axis = -1})`
template <detail::expression X>
auto prod(X&& x, const fold_options& options = {}, location where = location::current()) {
  using R = element_of<detail::sum_type(detail::dtype_of_argument<X>)>;
  return array<R>(detail::prod(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The largest element; NaN if there is one. dtype: that of x, not complex. Throws value_error for
/// no elements. `max(x, {.axis = 0})`
template <detail::ordered X>
auto max(X&& x, const fold_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::max(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The smallest element; NaN if there is one. dtype: that of x, not complex. Throws value_error for
/// no elements. `min(x, {.axis = 0})`
template <detail::ordered X>
auto min(X&& x, const fold_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::min(detail::to_any(std::forward<X>(x), where), options, where));
}

/// Is any element not 0; false for no elements. dtype: bool. `any(x > 3)`
template <detail::expression X>
auto any(X&& x, const masked_options& options = {}, location where = location::current()) {
  return array<bool>(detail::any(detail::to_any(std::forward<X>(x), where), options, where));
}

/// Are all elements not 0; true for no elements. dtype: bool. `all(isfinite(x))`
template <detail::expression X>
auto all(X&& x, const masked_options& options = {}, location where = location::current()) {
  return array<bool>(detail::all(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The mean; NaN for no elements. dtype: double for integers and bool, else that of x.
/// `mean(x, {.axis = 1, .keepdims = true})`
template <detail::expression X>
auto mean(X&& x, const masked_options& options = {}, location where = location::current()) {
  using R = element_of<detail::mean_type(detail::dtype_of_argument<X>)>;
  return array<R>(detail::mean(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The mean of |x - mean(x)|^2, in two passes. dtype: double for integers and bool, the real type
/// for complex x, else that of x. `var(x, {.axis = 0, .correction = 1})`
template <detail::expression X>
auto var(X&& x, const variance_options& options = {}, location where = location::current()) {
  using R = element_of<detail::variance_type(detail::dtype_of_argument<X>)>;
  return array<R>(detail::var(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The square root of `var`, dtype the same. NumPy's `std`.
/// `stddev(x, {.axis = 0, .correction = 1})`
template <detail::expression X>
auto stddev(X&& x, const variance_options& options = {}, location where = location::current()) {
  using R = element_of<detail::variance_type(detail::dtype_of_argument<X>)>;
  return array<R>(detail::stddev(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The index of the first largest element, or of the first NaN: along one axis, or into the
/// flattened array. dtype: int64. Throws value_error for no elements. `argmax(x, {.axis = 1})`
template <detail::ordered X>
auto argmax(X&& x, const arg_options& options = {}, location where = location::current()) {
  return array<std::int64_t>(
      detail::argmax(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The index of the first smallest element, or of the first NaN: along one axis, or into the
/// flattened array. dtype: int64. Throws value_error for no elements. `argmin(x)`
template <detail::ordered X>
auto argmin(X&& x, const arg_options& options = {}, location where = location::current()) {
  return array<std::int64_t>(
      detail::argmin(detail::to_any(std::forward<X>(x), where), options, where));
}

// Complex numbers have no order; without these the functions for any dtype would take them.
template <detail::unordered X>
void max(X&&, const fold_options& = {}, location = {}) = delete;
template <detail::unordered X>
void min(X&&, const fold_options& = {}, location = {}) = delete;
template <detail::unordered X>
void argmax(X&&, const arg_options& = {}, location = {}) = delete;
template <detail::unordered X>
void argmin(X&&, const arg_options& = {}, location = {}) = delete;

/// How many elements are not 0. dtype: int64. `count_nonzero(x == 3, {.axis = 0})`
template <detail::expression X>
auto count_nonzero(X&& x, const reduction_options& options = {},
                   location where = location::current()) {
  return array<std::int64_t>(
      detail::count_nonzero(detail::to_any(std::forward<X>(x), where), options, where));
}

}  // namespace sinter

#pragma once
// Reductions over any axes. They are lazy, and fuse with their producers and consumers.
//
// `.axis` is one axis, several, or (by default) all; negative axes count from the end. `.keepdims`
// keeps the reduced axes with extent 1. All throw axis_error for an axis out of range or given
// twice. An array of rank 0 accepts the axes 0 and -1, but not in means, variances, medians and
// quantiles, as in NumPy. Half types accumulate in float.
//
// `.where` is a mask that broadcasts to the array, else shape_error is thrown; elements where it is
// false are skipped. `.initial` is a number that takes part in the reduction, and is its value if
// there are no elements. It throws dtype_error if it is of a higher kind than the result (a
// fraction for integers), value_error for an integer that the result's dtype cannot represent.

#include <optional>

#include <sinter/arguments.hpp>

namespace sinter {

/// Options of reductions that are defined without elements: `mean(x, {.axis = 0, .where = x > 0})`.
struct masked_options {
  [[no_unique_address]] detail::by_name named = detail::by_name(0);
  axis_list axis = {};
  bool keepdims = false;
  array<bool> where = {};  // none: everywhere
};

/// Options of reductions that combine elements in pairs: `max(x, {.initial = 0, .where = valid})`.
struct fold_options {
  [[no_unique_address]] detail::by_name named = detail::by_name(0);
  axis_list axis = {};
  bool keepdims = false;
  std::optional<any_number> initial = {};
  array<bool> where = {};  // none: everywhere
};

/// Axis options of any reduction: `const reduction_options rows{.axis = -1, .keepdims = true}` fits
/// `max`, `sum` and `median` alike.
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
  double ddof = 0;        // NumPy's name for it; either is given
  bool keepdims = false;
  array<bool> where = {};  // none: everywhere

  double removed() const { return correction + ddof; }
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

// Overloads for arrays whose dtype is known only at run time.
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

/// The sum; 0 without elements. dtype: int64 or uint64 for integers and bool, else that of x.
/// `sum(x, {.axis = {0, 2}, .keepdims = true})`
template <detail::expression X>
auto sum(X&& x, const fold_options& options = {}, location where = location::current()) {
  using R = element_of<detail::sum_type(detail::dtype_of_argument<X>)>;
  return array<R>(detail::sum(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The product; 1 without elements. dtype: int64 or uint64 for integers and bool, else that of x.
/// `prod(x, {.axis = -1})`
template <detail::expression X>
auto prod(X&& x, const fold_options& options = {}, location where = location::current()) {
  using R = element_of<detail::sum_type(detail::dtype_of_argument<X>)>;
  return array<R>(detail::prod(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The maximum; NaN if any element is NaN. dtype: that of x, not complex. Throws value_error
/// without elements, or for `.where` without `.initial`. `max(x, {.axis = 0})`
template <detail::ordered X>
auto max(X&& x, const fold_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::max(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The minimum; NaN if any element is NaN. dtype: that of x, not complex. Throws value_error
/// without elements, or for `.where` without `.initial`. `min(x, {.axis = 0})`
template <detail::ordered X>
auto min(X&& x, const fold_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::min(detail::to_any(std::forward<X>(x), where), options, where));
}

/// Whether any element is nonzero; false without elements. dtype: bool. `any(x > 3)`
template <detail::expression X>
auto any(X&& x, const masked_options& options = {}, location where = location::current()) {
  return array<bool>(detail::any(detail::to_any(std::forward<X>(x), where), options, where));
}

/// Whether all elements are nonzero; true without elements. dtype: bool. `all(isfinite(x))`
template <detail::expression X>
auto all(X&& x, const masked_options& options = {}, location where = location::current()) {
  return array<bool>(detail::all(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The mean; NaN without elements. dtype: double for integers and bool, else that of x.
/// `mean(x, {.axis = 1, .keepdims = true})`
template <detail::expression X>
auto mean(X&& x, const masked_options& options = {}, location where = location::current()) {
  using R = element_of<detail::mean_type(detail::dtype_of_argument<X>)>;
  return array<R>(detail::mean(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The variance, the mean of |x - mean(x)|^2, in two passes. dtype: double for integers and bool,
/// the real type for complex x, else that of x. `var(x, {.axis = 0, .correction = 1})`
template <detail::expression X>
auto var(X&& x, const variance_options& options = {}, location where = location::current()) {
  using R = element_of<detail::variance_type(detail::dtype_of_argument<X>)>;
  return array<R>(detail::var(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The standard deviation, the square root of `var`, with the same dtype. NumPy's `std`.
/// `stddev(x, {.axis = 0, .correction = 1})`
template <detail::expression X>
auto stddev(X&& x, const variance_options& options = {}, location where = location::current()) {
  using R = element_of<detail::variance_type(detail::dtype_of_argument<X>)>;
  return array<R>(detail::stddev(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The index of the first maximum, or of the first NaN, along one axis or in the flattened array.
/// dtype: int64. Throws value_error without elements. `argmax(x, {.axis = 1})`
template <detail::ordered X>
auto argmax(X&& x, const arg_options& options = {}, location where = location::current()) {
  return array<std::int64_t>(
      detail::argmax(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The index of the first minimum, or of the first NaN, along one axis or in the flattened array.
/// dtype: int64. Throws value_error without elements. `argmin(x)`
template <detail::ordered X>
auto argmin(X&& x, const arg_options& options = {}, location where = location::current()) {
  return array<std::int64_t>(
      detail::argmin(detail::to_any(std::forward<X>(x), where), options, where));
}

// Complex numbers have no order; without these the overloads for any dtype would accept them.
template <detail::unordered X>
void max(X&&, const fold_options& = {}, location = {}) = delete;
template <detail::unordered X>
void min(X&&, const fold_options& = {}, location = {}) = delete;
template <detail::unordered X>
void argmax(X&&, const arg_options& = {}, location = {}) = delete;
template <detail::unordered X>
void argmin(X&&, const arg_options& = {}, location = {}) = delete;

/// The number of nonzero elements. dtype: int64. `count_nonzero(x == 3, {.axis = 0})`
template <detail::expression X>
auto count_nonzero(X&& x, const reduction_options& options = {},
                   location where = location::current()) {
  return array<std::int64_t>(
      detail::count_nonzero(detail::to_any(std::forward<X>(x), where), options, where));
}

}  // namespace sinter

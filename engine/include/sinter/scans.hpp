#pragma once
// Scans: each element combined with all before it along an axis. They are lazy, and fuse with what
// produces and what consumes them.
//
// Without `.axis` the array is flattened, as in NumPy; negative axes count from the end. The shape
// stays, but a number becomes a vector. All throw axis_error for an axis out of range. Half types
// accumulate in float. Float sums and products are combined in a fixed order that depends on shape
// and axis alone, so they have the same bits on every run of a device, fused or not; their rounding
// errors grow like those of blocked sums, slower than one after the other. Cost: each element is
// read and written once.

#include <optional>

#include <sinter/reductions.hpp>

namespace sinter {

struct scan_options {
  std::optional<std::int64_t> axis = {};  // none: over the flattened array
};

struct cumulative_options {
  std::optional<std::int64_t> axis = {};  // none: for arrays of one dimension
  bool include_initial = false;           // begin with the sum or product of no elements
};

namespace detail {

any_array cumsum(const any_array& x, const scan_options& o = {},
                 location where = location::current());
any_array cumprod(const any_array& x, const scan_options& o = {},
                  location where = location::current());
any_array nancumsum(const any_array& x, const scan_options& o = {},
                    location where = location::current());
any_array nancumprod(const any_array& x, const scan_options& o = {},
                     location where = location::current());
any_array cummax(const any_array& x, const scan_options& o = {},
                 location where = location::current());
any_array cummin(const any_array& x, const scan_options& o = {},
                 location where = location::current());
any_array cumulative_logsumexp(const any_array& x, const scan_options& o = {},
                               location where = location::current());
any_array cumulative_sum(const any_array& x, const cumulative_options& o = {},
                         location where = location::current());
any_array cumulative_prod(const any_array& x, const cumulative_options& o = {},
                          location where = location::current());

}  // namespace detail

// For arrays whose dtype is known at run time only: the same functions.
using detail::cummax;
using detail::cummin;
using detail::cumprod;
using detail::cumsum;
using detail::cumulative_logsumexp;
using detail::cumulative_prod;
using detail::cumulative_sum;
using detail::nancumprod;
using detail::nancumsum;

/// The sums of the elements up to each one. dtype: int64 or uint64 for integers and bool, else that
/// of x. `cumsum(x, {.axis = -1})`
template <detail::expression X>
auto cumsum(X&& x, const scan_options& options = {}, location where = location::current()) {
  using R = element_of<detail::sum_type(detail::dtype_of_argument<X>)>;
  return array<R>(detail::cumsum(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The products of the elements up to each one. dtype: int64 or uint64 for integers and bool, else
/// that of x. Complex products take log2(length) passes. `cumprod(1 + rate, {.axis = 0})`
template <detail::expression X>
auto cumprod(X&& x, const scan_options& options = {}, location where = location::current()) {
  using R = element_of<detail::sum_type(detail::dtype_of_argument<X>)>;
  return array<R>(detail::cumprod(detail::to_any(std::forward<X>(x), where), options, where));
}

/// `cumsum` with 0 for NaN. `nancumsum(x, {.axis = -1})`
template <detail::expression X>
auto nancumsum(X&& x, const scan_options& options = {}, location where = location::current()) {
  using R = element_of<detail::sum_type(detail::dtype_of_argument<X>)>;
  return array<R>(detail::nancumsum(detail::to_any(std::forward<X>(x), where), options, where));
}

/// `cumprod` with 1 for NaN. `nancumprod(x, {.axis = -1})`
template <detail::expression X>
auto nancumprod(X&& x, const scan_options& options = {}, location where = location::current()) {
  using R = element_of<detail::sum_type(detail::dtype_of_argument<X>)>;
  return array<R>(detail::nancumprod(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The largest of the elements up to each one; NaN from the first NaN on. dtype: that of x, not
/// complex. NumPy's `maximum.accumulate`. `cummax(price)`
template <detail::ordered X>
auto cummax(X&& x, const scan_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::cummax(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The smallest of the elements up to each one; NaN from the first NaN on. dtype: that of x, not
/// complex. NumPy's `minimum.accumulate`. `cummin(price)`
template <detail::ordered X>
auto cummin(X&& x, const scan_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::cummin(detail::to_any(std::forward<X>(x), where), options, where));
}

/// log(cumsum(exp(x))) without overflow on the way; -inf stands for nothing. dtype: that of x,
/// which is float. NumPy's `logaddexp.accumulate`. `cumulative_logsumexp(x, {.axis = 1})`
template <detail::ordered X>
requires(is_inexact(detail::dtype_of_argument<X>)) auto cumulative_logsumexp(
    X&& x, const scan_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::cumulative_logsumexp(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The array API's `cumsum`: an axis is wanted unless there is one only, and `.include_initial`
/// puts a 0 in front. Throws axis_error. `cumulative_sum(counts, {.include_initial = true})`
template <detail::expression X>
auto cumulative_sum(X&& x, const cumulative_options& options = {},
                    location where = location::current()) {
  using R = element_of<detail::sum_type(detail::dtype_of_argument<X>)>;
  return array<R>(
      detail::cumulative_sum(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The array API's `cumprod`: an axis is wanted unless there is one only, and `.include_initial`
/// puts a 1 in front. Throws axis_error. `cumulative_prod(x, {.axis = 0, .include_initial = true})`
template <detail::expression X>
auto cumulative_prod(X&& x, const cumulative_options& options = {},
                     location where = location::current()) {
  using R = element_of<detail::sum_type(detail::dtype_of_argument<X>)>;
  return array<R>(
      detail::cumulative_prod(detail::to_any(std::forward<X>(x), where), options, where));
}

// Complex numbers have no order; without these the functions for any dtype would take them.
template <detail::unordered X> void cummax(X&&, const scan_options& = {}, location = {}) = delete;
template <detail::unordered X> void cummin(X&&, const scan_options& = {}, location = {}) = delete;
template <detail::expression X>
requires(!is_inexact(detail::dtype_of_argument<X>) ||
         is_complex(
             detail::dtype_of_argument<X>)) void cumulative_logsumexp(X&&, const scan_options& = {},
                                                                      location = {}) = delete;

}  // namespace sinter

#pragma once
// Scans: each element is combined with all elements before it along an axis. They are lazy, and
// fuse with their producers and consumers.
//
// Without `.axis` the array is flattened, as in NumPy; negative axes count from the end. The shape
// is kept, except that a number becomes a vector. All throw axis_error for an axis out of range.
// Half types accumulate in float. Float sums and products are combined in a fixed order that
// depends only on shape and axis, so they have the same bits in every run on a device, fused or
// not. Their rounding errors grow like those of blocked sums, slower than those of sequential sums.
// Cost: each element is read and written once.

#include <optional>

#include <sinter/reductions.hpp>

namespace sinter {

struct scan_options {
  std::optional<std::int64_t> axis = {};  // none: over the flattened array
};

struct cumulative_options {
  std::optional<std::int64_t> axis = {};  // none: only for one-dimensional arrays
  bool include_initial = false;           // starts with the sum or product of no elements
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

// Overloads for arrays whose dtype is known only at run time.
using detail::cummax;
using detail::cummin;
using detail::cumprod;
using detail::cumsum;
using detail::cumulative_logsumexp;
using detail::cumulative_prod;
using detail::cumulative_sum;
using detail::nancumprod;
using detail::nancumsum;

/// The cumulative sums. dtype: int64 or uint64 for integers and bool, else that of x.
/// `cumsum(x, {.axis = -1})`
template <detail::expression X>
auto cumsum(X&& x, const scan_options& options = {}, location where = location::current()) {
  using R = element_of<detail::sum_type(detail::dtype_of_argument<X>)>;
  return array<R>(detail::cumsum(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The cumulative products. dtype: int64 or uint64 for integers and bool, else that of x. Complex
/// products take log2(length) passes. `cumprod(1 + rate, {.axis = 0})`
template <detail::expression X>
auto cumprod(X&& x, const scan_options& options = {}, location where = location::current()) {
  using R = element_of<detail::sum_type(detail::dtype_of_argument<X>)>;
  return array<R>(detail::cumprod(detail::to_any(std::forward<X>(x), where), options, where));
}

/// `cumsum` with NaN counted as 0. `nancumsum(x, {.axis = -1})`
template <detail::expression X>
auto nancumsum(X&& x, const scan_options& options = {}, location where = location::current()) {
  using R = element_of<detail::sum_type(detail::dtype_of_argument<X>)>;
  return array<R>(detail::nancumsum(detail::to_any(std::forward<X>(x), where), options, where));
}

/// `cumprod` with NaN counted as 1. `nancumprod(x, {.axis = -1})`
template <detail::expression X>
auto nancumprod(X&& x, const scan_options& options = {}, location where = location::current()) {
  using R = element_of<detail::sum_type(detail::dtype_of_argument<X>)>;
  return array<R>(detail::nancumprod(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The cumulative maximum; NaN from the first NaN on. dtype: that of x, not complex. NumPy's
/// `maximum.accumulate`. `cummax(price)`
template <detail::ordered X>
auto cummax(X&& x, const scan_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::cummax(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The cumulative minimum; NaN from the first NaN on. dtype: that of x, not complex. NumPy's
/// `minimum.accumulate`. `cummin(price)`
template <detail::ordered X>
auto cummin(X&& x, const scan_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::cummin(detail::to_any(std::forward<X>(x), where), options, where));
}

/// log(cumsum(exp(x))) without intermediate overflow; -inf contributes nothing. dtype: that of x, a
/// float. NumPy's `logaddexp.accumulate`. `cumulative_logsumexp(x, {.axis = 1})`
template <detail::ordered X>
requires(is_inexact(detail::dtype_of_argument<X>)) auto cumulative_logsumexp(
    X&& x, const scan_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::cumulative_logsumexp(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The array API's `cumsum`: an axis is required unless there is only one, and `.include_initial`
/// prepends a 0. Throws axis_error. `cumulative_sum(counts, {.include_initial = true})`
template <detail::expression X>
auto cumulative_sum(X&& x, const cumulative_options& options = {},
                    location where = location::current()) {
  using R = element_of<detail::sum_type(detail::dtype_of_argument<X>)>;
  return array<R>(
      detail::cumulative_sum(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The array API's `cumprod`: an axis is required unless there is only one, and `.include_initial`
/// prepends a 1. Throws axis_error. `cumulative_prod(x, {.axis = 0, .include_initial = true})`
template <detail::expression X>
auto cumulative_prod(X&& x, const cumulative_options& options = {},
                     location where = location::current()) {
  using R = element_of<detail::sum_type(detail::dtype_of_argument<X>)>;
  return array<R>(
      detail::cumulative_prod(detail::to_any(std::forward<X>(x), where), options, where));
}

// Complex numbers have no order; without these the overloads for any dtype would accept them.
template <detail::unordered X> void cummax(X&&, const scan_options& = {}, location = {}) = delete;
template <detail::unordered X> void cummin(X&&, const scan_options& = {}, location = {}) = delete;
template <detail::expression X>
requires(!is_inexact(detail::dtype_of_argument<X>) ||
         is_complex(
             detail::dtype_of_argument<X>)) void cumulative_logsumexp(X&&, const scan_options& = {},
                                                                      location = {}) = delete;

}  // namespace sinter

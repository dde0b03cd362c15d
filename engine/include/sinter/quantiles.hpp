#pragma once
// Medians and quantiles: the elements that stand at a few places of a sort along the axes, which
// are selected without one where rows are long (above 4096 elements): in time proportional to the
// length. Lazy. `.axis` and `.keepdims` as in `sum`; a NaN makes the result NaN, but the nan...
// forms leave them out. dtype: that of x, double for integers and bool; not complex. Of no elements
// they are NaN.
//
// With `.weights` an element counts as often as its weight says, which needs no whole number;
// `.method` is then inverted_cdf, as in NumPy. The weights have the shape of x, or that of the axes
// in `.axis`. They throw shape_error if not, dtype_error for complex ones, value_error for another
// method, and when read for weights that are negative, or not finite or all zero in a row.

#include <vector>

#include <sinter/reductions.hpp>

namespace sinter {

/// Which number stands for a quantile that falls between two elements: NumPy's names (Hyndman and
/// Fan, American Statistician 50, 1996).
enum class quantile_method : std::uint8_t {
  inverted_cdf,
  averaged_inverted_cdf,
  closest_observation,
  interpolated_inverted_cdf,
  hazen,
  weibull,
  linear,
  median_unbiased,
  normal_unbiased,
  lower,
  higher,
  midpoint,
  nearest,
};
namespace detail {
template <>
inline constexpr enum_words option_words<quantile_method> = {
    "quantile_method",
    "inverted_cdf, averaged_inverted_cdf, closest_observation, interpolated_inverted_cdf, hazen, "
    "weibull, linear, median_unbiased, normal_unbiased, lower, higher, midpoint, nearest"};
}

struct quantile_options {
  axis_list axis = {};
  detail::worded<quantile_method> method = quantile_method::linear;
  bool keepdims = false;
  any_array weights = {};  // how much each element counts; no array: all the same
};

namespace detail {

any_array median(const any_array& x, const reduction_options& o = {},
                 location where = location::current());
any_array nanmedian(const any_array& x, const reduction_options& o = {},
                    location where = location::current());
/// q in units of 1 / scale: 1 for quantiles, 100 for percentiles.
any_array quantiles(const any_array& x, const any_array& q, const quantile_options& o, double scale,
                    bool skip_nan, std::string_view op, location where);
any_array quantiles(const any_array& x, const std::vector<double>& q, bool single,
                    const quantile_options& o, double scale, bool skip_nan, std::string_view op,
                    location where);

template <class X> using quantile_of = array<element_of<mean_type(dtype_of_argument<X>)>>;

}  // namespace detail

// For arrays whose dtype is known at run time only: the same functions.
using detail::median;
using detail::nanmedian;

/// The middle element, or the mean of the two in the middle. Throws axis_error.
/// `median(x, {.axis = 0})`
template <detail::ordered X>
auto median(X&& x, const reduction_options& options = {}, location where = location::current()) {
  return detail::quantile_of<X>(
      detail::median(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The median of what is not NaN; NaN if nothing is left. Throws axis_error.
/// `nanmedian(x, {.axis = 0})`
template <detail::ordered X>
auto nanmedian(X&& x, const reduction_options& options = {}, location where = location::current()) {
  return detail::quantile_of<X>(
      detail::nanmedian(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The value below which a part q of the elements lies, 0 <= q <= 1. Throws axis_error, value_error
/// for another q. `quantile(x, 0.9, {.axis = 1})`
template <detail::ordered X>
auto quantile(X&& x, double q, const quantile_options& options = {},
              location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where),
                                                  std::vector{q}, true, options, 1, false,
                                                  "quantile", where));
}
/// Several at once, along a new first axis. `quantile(x, {0.25, 0.75})`
template <detail::ordered X>
auto quantile(X&& x, const std::vector<double>& q, const quantile_options& options = {},
              location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where), q,
                                                  false, options, 1, false, "quantile", where));
}
/// Those of an array, whose axes come first. Throws value_error, when read, for a q out of range.
template <detail::ordered X, detail::expression Q>
auto quantile(X&& x, Q&& q, const quantile_options& options = {},
              location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where),
                                                  detail::to_any(std::forward<Q>(q), where),
                                                  options, 1, false, "quantile", where));
}

/// `quantile` with q from 0 to 100. `percentile(x, 90, {.axis = 1})`
template <detail::ordered X>
auto percentile(X&& x, double q, const quantile_options& options = {},
                location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where),
                                                  std::vector{q}, true, options, 100, false,
                                                  "percentile", where));
}
/// Several at once, along a new first axis. `percentile(x, {5, 95})`
template <detail::ordered X>
auto percentile(X&& x, const std::vector<double>& q, const quantile_options& options = {},
                location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where), q,
                                                  false, options, 100, false, "percentile", where));
}
/// Those of an array, whose axes come first. Throws value_error, when read, for a q out of range.
template <detail::ordered X, detail::expression Q>
auto percentile(X&& x, Q&& q, const quantile_options& options = {},
                location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where),
                                                  detail::to_any(std::forward<Q>(q), where),
                                                  options, 100, false, "percentile", where));
}

/// `quantile` of what is not NaN. `nanquantile(x, 0.9, {.axis = 1})`
template <detail::ordered X>
auto nanquantile(X&& x, double q, const quantile_options& options = {},
                 location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where),
                                                  std::vector{q}, true, options, 1, true,
                                                  "nanquantile", where));
}
/// Several at once, along a new first axis. `nanquantile(x, {0.25, 0.75})`
template <detail::ordered X>
auto nanquantile(X&& x, const std::vector<double>& q, const quantile_options& options = {},
                 location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where), q,
                                                  false, options, 1, true, "nanquantile", where));
}

/// Those of an array, whose axes come first. Throws value_error, when read, for a q out of range.
template <detail::ordered X, detail::expression Q>
auto nanquantile(X&& x, Q&& q, const quantile_options& options = {},
                 location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where),
                                                  detail::to_any(std::forward<Q>(q), where),
                                                  options, 1, true, "nanquantile", where));
}

/// `percentile` of what is not NaN. `nanpercentile(x, 90, {.axis = 1})`
template <detail::ordered X>
auto nanpercentile(X&& x, double q, const quantile_options& options = {},
                   location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where),
                                                  std::vector{q}, true, options, 100, true,
                                                  "nanpercentile", where));
}
/// Several at once, along a new first axis. `nanpercentile(x, {5, 95})`
template <detail::ordered X>
auto nanpercentile(X&& x, const std::vector<double>& q, const quantile_options& options = {},
                   location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where), q,
                                                  false, options, 100, true, "nanpercentile",
                                                  where));
}
/// Those of an array, whose axes come first. Throws value_error, when read, for a q out of range.
template <detail::ordered X, detail::expression Q>
auto nanpercentile(X&& x, Q&& q, const quantile_options& options = {},
                   location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where),
                                                  detail::to_any(std::forward<Q>(q), where),
                                                  options, 100, true, "nanpercentile", where));
}

}  // namespace sinter

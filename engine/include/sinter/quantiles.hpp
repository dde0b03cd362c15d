#pragma once
// Medians and quantiles. They are lazy: a few elements of the sorted order along the axes, found by
// selection in linear time for long rows (more than 4096 elements) and by a sort for shorter ones.
// `.axis` and `.keepdims` are as in `sum`. A NaN makes the result NaN, but the nan... functions
// ignore NaN. dtype: that of x, double for integers and bool; not complex. Without elements the
// result is NaN.
//
// With `.weights` each element counts with its weight, which need not be an integer; `.method` must
// then be inverted_cdf, as in NumPy. The weights have the shape of x, or of the axes in `.axis`,
// else shape_error is thrown. Complex weights throw dtype_error, another method throws value_error,
// and rows with negative, non-finite or only zero weights throw value_error when read.

#include <vector>

#include <sinter/reductions.hpp>

namespace sinter {

/// The estimate of a quantile between two elements, with NumPy's names (Hyndman and Fan, American
/// Statistician 50, 1996).
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
  any_array weights = {};  // the weight of each element; no array: all equal
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

// Overloads for arrays whose dtype is known only at run time.
using detail::median;
using detail::nanmedian;

/// The middle element, or the mean of the two middle ones. Throws axis_error.
/// `median(x, {.axis = 0})`
template <detail::ordered X>
auto median(X&& x, const reduction_options& options = {}, location where = location::current()) {
  return detail::quantile_of<X>(
      detail::median(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The median of the elements that are not NaN; NaN if there are none. Throws axis_error.
/// `nanmedian(x, {.axis = 0})`
template <detail::ordered X>
auto nanmedian(X&& x, const reduction_options& options = {}, location where = location::current()) {
  return detail::quantile_of<X>(
      detail::nanmedian(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The value below which a fraction q of the elements lies, 0 <= q <= 1. Throws axis_error,
/// value_error for another q. `quantile(x, 0.9, {.axis = 1})`
template <detail::ordered X>
auto quantile(X&& x, double q, const quantile_options& options = {},
              location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where),
                                                  std::vector{q}, true, options, 1, false,
                                                  "quantile", where));
}
/// Several quantiles, along a new first axis. `quantile(x, {0.25, 0.75})`
template <detail::ordered X>
auto quantile(X&& x, const std::vector<double>& q, const quantile_options& options = {},
              location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where), q,
                                                  false, options, 1, false, "quantile", where));
}
/// Quantiles for an array q, whose axes come first. Throws value_error, when read, for a q out of
/// range.
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
/// Several percentiles, along a new first axis. `percentile(x, {5, 95})`
template <detail::ordered X>
auto percentile(X&& x, const std::vector<double>& q, const quantile_options& options = {},
                location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where), q,
                                                  false, options, 100, false, "percentile", where));
}
/// Percentiles for an array q, whose axes come first. Throws value_error, when read, for a q out of
/// range.
template <detail::ordered X, detail::expression Q>
auto percentile(X&& x, Q&& q, const quantile_options& options = {},
                location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where),
                                                  detail::to_any(std::forward<Q>(q), where),
                                                  options, 100, false, "percentile", where));
}

/// `quantile` of the elements that are not NaN. `nanquantile(x, 0.9, {.axis = 1})`
template <detail::ordered X>
auto nanquantile(X&& x, double q, const quantile_options& options = {},
                 location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where),
                                                  std::vector{q}, true, options, 1, true,
                                                  "nanquantile", where));
}
/// Several quantiles, along a new first axis. `nanquantile(x, {0.25, 0.75})`
template <detail::ordered X>
auto nanquantile(X&& x, const std::vector<double>& q, const quantile_options& options = {},
                 location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where), q,
                                                  false, options, 1, true, "nanquantile", where));
}

/// Quantiles for an array q, whose axes come first. Throws value_error, when read, for a q out of
/// range.
template <detail::ordered X, detail::expression Q>
auto nanquantile(X&& x, Q&& q, const quantile_options& options = {},
                 location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where),
                                                  detail::to_any(std::forward<Q>(q), where),
                                                  options, 1, true, "nanquantile", where));
}

/// `percentile` of the elements that are not NaN. `nanpercentile(x, 90, {.axis = 1})`
template <detail::ordered X>
auto nanpercentile(X&& x, double q, const quantile_options& options = {},
                   location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where),
                                                  std::vector{q}, true, options, 100, true,
                                                  "nanpercentile", where));
}
/// Several percentiles, along a new first axis. `nanpercentile(x, {5, 95})`
template <detail::ordered X>
auto nanpercentile(X&& x, const std::vector<double>& q, const quantile_options& options = {},
                   location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where), q,
                                                  false, options, 100, true, "nanpercentile",
                                                  where));
}
/// Percentiles for an array q, whose axes come first. Throws value_error, when read, for a q out of
/// range.
template <detail::ordered X, detail::expression Q>
auto nanpercentile(X&& x, Q&& q, const quantile_options& options = {},
                   location where = location::current()) {
  return detail::quantile_of<X>(detail::quantiles(detail::to_any(std::forward<X>(x), where),
                                                  detail::to_any(std::forward<Q>(q), where),
                                                  options, 100, true, "nanpercentile", where));
}

}  // namespace sinter

#pragma once
// Further reductions, and functions built from reductions. All are lazy; over rows each is one
// kernel with its producers. `.axis` and `.keepdims` are as in `sum`. All throw axis_error for an
// axis out of range or given twice.

#include <sinter/reductions.hpp>

namespace sinter {

struct axes_options {
  [[no_unique_address]] detail::by_name named = detail::by_name(0);
  axis_list axis = {};  // default: all
};

struct average_options {
  axis_list axis = {};  // default: all
  bool keepdims = false;
};

/// The result of average_returned: both arrays have one shape.
template <class T> struct average_result { array<T> average, sum_of_weights; };

namespace detail {

/// An array or an expression, or a number, which takes the dtype of the array it is joined to.
struct end_value {
  any_array x;
  bool number = false;

  end_value() = default;
  end_value(any_array a) : x(std::move(a)) {}
  template <expression E>
  end_value(const E& e, location where = location::current()) : x(e.to_array(where)) {}
  template <scalar S>
  end_value(S v, location where = location::current())
      : x(sinter::array<S>(v, where)), number(true) {}
};

}  // namespace detail

struct diff_options {
  std::int64_t n = 1;  // how many times
  std::int64_t axis = -1;
  detail::end_value prepend = {}, append = {};  // joined before and after x first: rank 0, or as x
};

struct norm_options {
  double ord = 2;  // the power; infinity: the largest, -infinity: the smallest, 0: the count
  axis_list axis = {};  // default: all, the norm of the flattened array
  bool keepdims = false;
};

struct covariance_options {
  bool rowvar = true;                     // the variables are rows, the observations columns
  std::optional<double> correction = {};  // the divisor is count - correction
  std::optional<double> ddof = {};        // NumPy's name for it; either is given
  bool bias = false;                      // without a correction: 0 instead of 1
  any_array fweights = {};                // repetitions of each observation: integers
  any_array aweights = {};                // the weight of each observation
};

struct trapezoid_options {
  double dx = 1;
  std::int64_t axis = -1;
};

namespace detail {

any_array nansum(const any_array& x, const fold_options& o = {},
                 location where = location::current());
any_array nanprod(const any_array& x, const fold_options& o = {},
                  location where = location::current());
any_array nanmax(const any_array& x, const fold_options& o = {},
                 location where = location::current());
any_array nanmin(const any_array& x, const fold_options& o = {},
                 location where = location::current());
any_array nanmean(const any_array& x, const masked_options& o = {},
                  location where = location::current());
any_array nanvar(const any_array& x, const variance_options& o = {},
                 location where = location::current());
any_array nanstd(const any_array& x, const variance_options& o = {},
                 location where = location::current());
any_array nanargmax(const any_array& x, const arg_options& o = {},
                    location where = location::current());
any_array nanargmin(const any_array& x, const arg_options& o = {},
                    location where = location::current());
any_array ptp(const any_array& x, const reduction_options& o = {},
              location where = location::current());
any_array average(const any_array& x, const any_array& weights, const average_options& o = {},
                  location where = location::current());
/// Returns {average, sum of the weights}.
std::pair<any_array, any_array> average_returned(const any_array& x, const any_array& weights,
                                                 const average_options& o = {},
                                                 location where = location::current());
any_array logsumexp(const any_array& x, const reduction_options& o = {},
                    location where = location::current());
any_array softmax(const any_array& x, const axes_options& o = {},
                  location where = location::current());
any_array log_softmax(const any_array& x, const axes_options& o = {},
                      location where = location::current());
any_array norm_along(const any_array& x, const norm_options& o, location where);
any_array diff(const any_array& x, const diff_options& o = {},
               location where = location::current());
any_array cov(const any_array& x, const covariance_options& o = {},
              location where = location::current());
any_array cov(const any_array& x, const any_array& y, const covariance_options& o = {},
              location where = location::current());
any_array corrcoef(const any_array& x, const covariance_options& o = {},
                   location where = location::current());
any_array corrcoef(const any_array& x, const any_array& y, const covariance_options& o = {},
                   location where = location::current());
any_array trapezoid(const any_array& y, const trapezoid_options& o = {},
                    location where = location::current());
any_array trapezoid(const any_array& y, const any_array& x, const trapezoid_options& o = {},
                    location where = location::current());

template <class X>
concept subtractable = ordered<X> && !is_bool(dtype_of_argument<X>);

template <class X> using mean_of = array<element_of<mean_type(dtype_of_argument<X>)>>;
template <class X> using variance_of = array<element_of<variance_type(dtype_of_argument<X>)>>;
template <class X> using sum_of = array<element_of<sum_type(dtype_of_argument<X>)>>;
/// Integers are averaged in double, whatever the weights.
constexpr dtype average_type(dtype x, dtype weights) {
  return mean_type(promote(mean_type(x), weights));
}
template <class X>
using covariance_of = array<element_of<promote(dtype_of_argument<X>, dtype::float64)>>;
template <class X, class Y>
using covariance_of_both =
    array<element_of<promote(promote(dtype_of_argument<X>, dtype_of_argument<Y>), dtype::float64)>>;

}  // namespace detail

using detail::average;
using detail::average_returned;
using detail::corrcoef;
using detail::cov;
using detail::diff;
using detail::log_softmax;
using detail::logsumexp;
using detail::nanargmax;
using detail::nanargmin;
using detail::nanmax;
using detail::nanmean;
using detail::nanmin;
using detail::nanprod;
using detail::nanstd;
using detail::nansum;
using detail::nanvar;
using detail::ptp;
using detail::softmax;
using detail::trapezoid;

/// `sum` with NaN counted as 0. `nansum(x, {.axis = 0})`
template <detail::expression X>
auto nansum(X&& x, const fold_options& options = {}, location where = location::current()) {
  return detail::sum_of<X>(
      detail::nansum(detail::to_any(std::forward<X>(x), where), options, where));
}

/// `prod` with NaN counted as 1. `nanprod(x, {.axis = 0})`
template <detail::expression X>
auto nanprod(X&& x, const fold_options& options = {}, location where = location::current()) {
  return detail::sum_of<X>(
      detail::nanprod(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The maximum of the elements that are not NaN; NaN if all are. dtype: that of x, not complex.
/// Throws value_error without elements, or for `.where` without `.initial`.
/// `nanmax(x, {.axis = 1})`
template <detail::ordered X>
auto nanmax(X&& x, const fold_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::nanmax(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The minimum of the elements that are not NaN; NaN if all are. dtype: that of x, not complex.
/// Throws value_error without elements, or for `.where` without `.initial`.
/// `nanmin(x, {.axis = 1})`
template <detail::ordered X>
auto nanmin(X&& x, const fold_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::nanmin(detail::to_any(std::forward<X>(x), where), options, where));
}

/// `mean` of the elements that are not NaN; NaN if there are none. `nanmean(x, {.axis = 0})`
template <detail::expression X>
auto nanmean(X&& x, const masked_options& options = {}, location where = location::current()) {
  return detail::mean_of<X>(
      detail::nanmean(detail::to_any(std::forward<X>(x), where), options, where));
}

/// `var` of the elements that are not NaN; NaN if there are no more than `correction` of them.
/// `nanvar(x, {.axis = 0, .correction = 1})`
template <detail::expression X>
auto nanvar(X&& x, const variance_options& options = {}, location where = location::current()) {
  return detail::variance_of<X>(
      detail::nanvar(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The square root of `nanvar`. `nanstd(x)`
template <detail::expression X>
auto nanstd(X&& x, const variance_options& options = {}, location where = location::current()) {
  return detail::variance_of<X>(
      detail::nanstd(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The index of the first maximum of the elements that are not NaN; -1 if all are NaN (NumPy
/// throws, which a lazy function cannot). As in NumPy, NaN counts as -infinity. dtype: int64.
/// Throws axis_error, value_error without elements. `nanargmax(x, {.axis = 1})`
template <detail::ordered X>
auto nanargmax(X&& x, const arg_options& options = {}, location where = location::current()) {
  return array<std::int64_t>(
      detail::nanargmax(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The index of the first minimum of the elements that are not NaN; -1 if all are NaN. dtype:
/// int64. Throws axis_error, value_error without elements. `nanargmin(x)`
template <detail::ordered X>
auto nanargmin(X&& x, const arg_options& options = {}, location where = location::current()) {
  return array<std::int64_t>(
      detail::nanargmin(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The range max - min. dtype: that of x, not complex or bool. Throws value_error without elements.
/// `ptp(x, {.axis = 0})`
template <detail::subtractable X>
auto ptp(X&& x, const reduction_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::ptp(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The weighted average sum(x * weights) / sum(weights). The weights have the shape of x, or that
/// of the axes in the given order. dtype: the promotion of both, double for integers. Weights that
/// sum to 0 give infinities or NaN. Throws shape_error, axis_error. `average(x, w, {.axis = 0})`
template <detail::expression X, detail::expression W>
auto average(X&& x, W&& weights, const average_options& options = {},
             location where = location::current()) {
  using R =
      element_of<detail::average_type(detail::dtype_of_argument<X>, detail::dtype_of_argument<W>)>;
  return array<R>(detail::average(detail::to_any(std::forward<X>(x), where),
                                  detail::to_any(std::forward<W>(weights), where), options, where));
}

/// The same with the sums of the weights, errors included: NumPy's `average` with `returned`.
/// `auto [mean, weight] = average_returned(x, w, {.axis = 0})`
template <detail::expression X, detail::expression W>
auto average_returned(X&& x, W&& weights, const average_options& options = {},
                      location where = location::current()) {
  using R =
      element_of<detail::average_type(detail::dtype_of_argument<X>, detail::dtype_of_argument<W>)>;
  auto [mean, sum] =
      detail::average_returned(detail::to_any(std::forward<X>(x), where),
                               detail::to_any(std::forward<W>(weights), where), options, where);
  return average_result<R>{array<R>(std::move(mean)), array<R>(std::move(sum))};
}

/// The unweighted average, the same as `mean`. `average(x)`
template <detail::expression X>
auto average(X&& x, const reduction_options& options = {}, location where = location::current()) {
  return mean(std::forward<X>(x), options, where);
}

/// log(sum(exp(x))) without intermediate overflow; -infinity without elements. dtype: a real float,
/// double for integers. `logsumexp(x, {.axis = 1})`
template <detail::ordered X>
auto logsumexp(X&& x, const reduction_options& options = {}, location where = location::current()) {
  return detail::mean_of<X>(
      detail::logsumexp(detail::to_any(std::forward<X>(x), where), options, where));
}

/// exp(x) / sum(exp(x)) without intermediate overflow, over some axes, by default all (as in
/// SciPy). dtype: a real float, double for integers. `softmax(x, {.axis = -1})`
template <detail::ordered X>
auto softmax(X&& x, const axes_options& options = {}, location where = location::current()) {
  return detail::mean_of<X>(
      detail::softmax(detail::to_any(std::forward<X>(x), where), options, where));
}

/// log(softmax(x)), accurate where softmax is tiny. `log_softmax(x, {.axis = -1})`
template <detail::ordered X>
auto log_softmax(X&& x, const axes_options& options = {}, location where = location::current()) {
  return detail::mean_of<X>(
      detail::log_softmax(detail::to_any(std::forward<X>(x), where), options, where));
}

inline any_array norm(const any_array& x, const norm_options& options = {},
                      location where = location::current()) {
  return detail::norm_along(x, options, where);
}

/// The norm of vectors along some axes: (sum of |x|^ord)^(1/ord). dtype: a real float, double for
/// integers. Throws value_error for an infinite ord without elements. `norm(x, {.axis = 1})`
template <detail::expression X>
auto norm(X&& x, const norm_options& options = {}, location where = location::current()) {
  return detail::variance_of<X>(
      detail::norm_along(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The differences x[i + 1] - x[i] along an axis, applied n times: the extent shrinks by n. For
/// bool: whether the elements differ. Throws axis_error, value_error for a negative n; shape_error
/// and dtype_error for a `.prepend` or `.append` that does not match x. `diff(x, {.n = 2})`,
/// `diff(x, {.prepend = 0})`
template <detail::expression X>
auto diff(X&& x, const diff_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::diff(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The covariance matrix of n variables: shape (n, n), or () for one variable. An observation
/// counts fweights * aweights times; with both kinds of weights the divisor is NumPy's. dtype:
/// double, complex<double> for complex x. Throws shape_error for more than two dimensions, or
/// unless there is one weight per observation; dtype_error for fweights that are not integers, or
/// complex weights; value_error, when read, for negative weights. `cov(x, {.rowvar = false})`
template <detail::expression X>
auto cov(X&& x, const covariance_options& options = {}, location where = location::current()) {
  return detail::covariance_of<X>(
      detail::cov(detail::to_any(std::forward<X>(x), where), options, where));
}
/// The same with the variables of y after those of x. `cov(x, y, {.bias = true})`
template <detail::expression X, detail::expression Y>
auto cov(X&& x, Y&& y, const covariance_options& options = {},
         location where = location::current()) {
  return detail::covariance_of_both<X, Y>(detail::cov(detail::to_any(std::forward<X>(x), where),
                                                      detail::to_any(std::forward<Y>(y), where),
                                                      options, where));
}

/// Pearson's correlation coefficients: `cov` divided by the product of the standard deviations.
/// Throws what `cov` throws. `corrcoef(x)`
template <detail::expression X>
auto corrcoef(X&& x, const covariance_options& options = {}, location where = location::current()) {
  return detail::covariance_of<X>(
      detail::corrcoef(detail::to_any(std::forward<X>(x), where), options, where));
}
/// The same with the variables of y after those of x. `corrcoef(x, y)(0, 1)`
template <detail::expression X, detail::expression Y>
auto corrcoef(X&& x, Y&& y, const covariance_options& options = {},
              location where = location::current()) {
  return detail::covariance_of_both<X, Y>(
      detail::corrcoef(detail::to_any(std::forward<X>(x), where),
                       detail::to_any(std::forward<Y>(y), where), options, where));
}

/// The integral of y along an axis by the trapezoidal rule, with steps of dx. dtype: a float,
/// double for integers. Throws axis_error. `trapezoid(y, {.dx = 0.1})`
template <detail::expression Y>
auto trapezoid(Y&& y, const trapezoid_options& options = {}, location where = location::current()) {
  return detail::mean_of<Y>(
      detail::trapezoid(detail::to_any(std::forward<Y>(y), where), options, where));
}

/// The same at the points x, of the shape of y, or of the axis alone. `trapezoid(y, x)`
template <detail::expression Y, detail::expression X>
auto trapezoid(Y&& y, X&& x, const trapezoid_options& options = {},
               location where = location::current()) {
  using R = element_of<detail::mean_type(
      promote(detail::dtype_of_argument<Y>, detail::dtype_of_argument<X>))>;
  return array<R>(detail::trapezoid(detail::to_any(std::forward<Y>(y), where),
                                    detail::to_any(std::forward<X>(x), where), options, where));
}

}  // namespace sinter

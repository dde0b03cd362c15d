#pragma once
// Overloads with a plain number where NumPy's second (or third) argument is one: `sum(x, 1)`.
//
// Options are aggregates, so that their members can be named in braces, and an aggregate does not
// convert from a number. Each function therefore has an overload that makes its options.

#include <concepts>
#include <vector>

#include <sinter/aliases.hpp>
#include <sinter/fft.hpp>
#include <sinter/indexing.hpp>
#include <sinter/joining.hpp>
#include <sinter/linalg.hpp>
#include <sinter/products.hpp>
#include <sinter/quantiles.hpp>
#include <sinter/rearrange.hpp>
#include <sinter/scans.hpp>
#include <sinter/sorting.hpp>
#include <sinter/statistics.hpp>
#include <sinter/views.hpp>

namespace sinter {
/// Reduces along an axis or a list of axes, as with `{.axis = axis}`; the errors are the same.
/// `sum(x, 1)`
template <detail::array_like X>
auto sum(X&& x, detail::axes auto axis, location where = location::current()) {
  return sum(std::forward<X>(x), fold_options{.axis = axis}, where);
}
template <detail::array_like X>
auto prod(X&& x, detail::axes auto axis, location where = location::current()) {
  return prod(std::forward<X>(x), fold_options{.axis = axis}, where);
}
template <detail::array_like X>
auto max(X&& x, detail::axes auto axis, location where = location::current()) {
  return max(std::forward<X>(x), fold_options{.axis = axis}, where);
}
template <detail::array_like X>
auto min(X&& x, detail::axes auto axis, location where = location::current()) {
  return min(std::forward<X>(x), fold_options{.axis = axis}, where);
}
template <detail::array_like X>
auto amax(X&& x, detail::axes auto axis, location where = location::current()) {
  return amax(std::forward<X>(x), fold_options{.axis = axis}, where);
}
template <detail::array_like X>
auto amin(X&& x, detail::axes auto axis, location where = location::current()) {
  return amin(std::forward<X>(x), fold_options{.axis = axis}, where);
}
template <detail::array_like X>
auto any(X&& x, detail::axes auto axis, location where = location::current()) {
  return any(std::forward<X>(x), masked_options{.axis = axis}, where);
}
template <detail::array_like X>
auto all(X&& x, detail::axes auto axis, location where = location::current()) {
  return all(std::forward<X>(x), masked_options{.axis = axis}, where);
}
template <detail::array_like X>
auto mean(X&& x, detail::axes auto axis, location where = location::current()) {
  return mean(std::forward<X>(x), masked_options{.axis = axis}, where);
}
template <detail::array_like X>
auto count_nonzero(X&& x, detail::axes auto axis, location where = location::current()) {
  return count_nonzero(std::forward<X>(x), reduction_options{.axis = axis}, where);
}
template <detail::array_like X>
auto median(X&& x, detail::axes auto axis, location where = location::current()) {
  return median(std::forward<X>(x), reduction_options{.axis = axis}, where);
}
template <detail::array_like X>
auto nanmedian(X&& x, detail::axes auto axis, location where = location::current()) {
  return nanmedian(std::forward<X>(x), reduction_options{.axis = axis}, where);
}
template <detail::ordered X>
auto quantile(X&& x, double q, detail::axes auto axis, location where = location::current()) {
  return quantile(std::forward<X>(x), q, quantile_options{.axis = axis}, where);
}
template <detail::ordered X>
auto quantile(X&& x, const std::vector<double>& q, detail::axes auto axis,
              location where = location::current()) {
  return quantile(std::forward<X>(x), q, quantile_options{.axis = axis}, where);
}
template <detail::ordered X>
auto percentile(X&& x, double q, detail::axes auto axis, location where = location::current()) {
  return percentile(std::forward<X>(x), q, quantile_options{.axis = axis}, where);
}
template <detail::ordered X>
auto percentile(X&& x, const std::vector<double>& q, detail::axes auto axis,
                location where = location::current()) {
  return percentile(std::forward<X>(x), q, quantile_options{.axis = axis}, where);
}
template <detail::ordered X>
auto nanquantile(X&& x, double q, detail::axes auto axis, location where = location::current()) {
  return nanquantile(std::forward<X>(x), q, quantile_options{.axis = axis}, where);
}
template <detail::ordered X>
auto nanquantile(X&& x, const std::vector<double>& q, detail::axes auto axis,
                 location where = location::current()) {
  return nanquantile(std::forward<X>(x), q, quantile_options{.axis = axis}, where);
}
template <detail::ordered X>
auto nanpercentile(X&& x, double q, detail::axes auto axis, location where = location::current()) {
  return nanpercentile(std::forward<X>(x), q, quantile_options{.axis = axis}, where);
}
template <detail::ordered X>
auto nanpercentile(X&& x, const std::vector<double>& q, detail::axes auto axis,
                   location where = location::current()) {
  return nanpercentile(std::forward<X>(x), q, quantile_options{.axis = axis}, where);
}
template <detail::array_like X>
auto nansum(X&& x, detail::axes auto axis, location where = location::current()) {
  return nansum(std::forward<X>(x), fold_options{.axis = axis}, where);
}
template <detail::array_like X>
auto nanprod(X&& x, detail::axes auto axis, location where = location::current()) {
  return nanprod(std::forward<X>(x), fold_options{.axis = axis}, where);
}
template <detail::array_like X>
auto nanmax(X&& x, detail::axes auto axis, location where = location::current()) {
  return nanmax(std::forward<X>(x), fold_options{.axis = axis}, where);
}
template <detail::array_like X>
auto nanmin(X&& x, detail::axes auto axis, location where = location::current()) {
  return nanmin(std::forward<X>(x), fold_options{.axis = axis}, where);
}
template <detail::array_like X>
auto nanmean(X&& x, detail::axes auto axis, location where = location::current()) {
  return nanmean(std::forward<X>(x), masked_options{.axis = axis}, where);
}
template <detail::array_like X>
auto ptp(X&& x, detail::axes auto axis, location where = location::current()) {
  return ptp(std::forward<X>(x), reduction_options{.axis = axis}, where);
}
template <detail::array_like X>
auto logsumexp(X&& x, detail::axes auto axis, location where = location::current()) {
  return logsumexp(std::forward<X>(x), reduction_options{.axis = axis}, where);
}
template <detail::array_like X>
auto average(X&& x, detail::axes auto axis, location where = location::current()) {
  return average(std::forward<X>(x), reduction_options{.axis = axis}, where);
}

/// Variances along an axis or a list of axes, as with `{.axis = axis}`; the errors are the same.
/// `stddev(x, 0)`
template <detail::array_like X>
auto var(X&& x, detail::axes auto axis, location where = location::current()) {
  return var(std::forward<X>(x), variance_options{.axis = axis}, where);
}
template <detail::array_like X>
auto stddev(X&& x, detail::axes auto axis, location where = location::current()) {
  return stddev(std::forward<X>(x), variance_options{.axis = axis}, where);
}
template <detail::array_like X>
auto nanvar(X&& x, detail::axes auto axis, location where = location::current()) {
  return nanvar(std::forward<X>(x), variance_options{.axis = axis}, where);
}
template <detail::array_like X>
auto nanstd(X&& x, detail::axes auto axis, location where = location::current()) {
  return nanstd(std::forward<X>(x), variance_options{.axis = axis}, where);
}

/// Positions along one axis, as with `{.axis = axis}`; the errors are the same. `argmax(x, -1)`
template <detail::array_like X>
auto argmax(X&& x, detail::axis_number auto axis, location where = location::current()) {
  return argmax(std::forward<X>(x), arg_options{.axis = axis}, where);
}
template <detail::array_like X>
auto argmin(X&& x, detail::axis_number auto axis, location where = location::current()) {
  return argmin(std::forward<X>(x), arg_options{.axis = axis}, where);
}
template <detail::array_like X>
auto nanargmax(X&& x, detail::axis_number auto axis, location where = location::current()) {
  return nanargmax(std::forward<X>(x), arg_options{.axis = axis}, where);
}
template <detail::array_like X>
auto nanargmin(X&& x, detail::axis_number auto axis, location where = location::current()) {
  return nanargmin(std::forward<X>(x), arg_options{.axis = axis}, where);
}

/// Scans along one axis, as with `{.axis = axis}`; the errors are the same. `cumsum(x, 1)`
template <detail::array_like X>
auto cumsum(X&& x, detail::axis_number auto axis, location where = location::current()) {
  return cumsum(std::forward<X>(x), scan_options{.axis = axis}, where);
}
template <detail::array_like X>
auto cumprod(X&& x, detail::axis_number auto axis, location where = location::current()) {
  return cumprod(std::forward<X>(x), scan_options{.axis = axis}, where);
}
template <detail::array_like X>
auto cummax(X&& x, detail::axis_number auto axis, location where = location::current()) {
  return cummax(std::forward<X>(x), scan_options{.axis = axis}, where);
}
template <detail::array_like X>
auto cummin(X&& x, detail::axis_number auto axis, location where = location::current()) {
  return cummin(std::forward<X>(x), scan_options{.axis = axis}, where);
}
template <detail::array_like X>
auto nancumsum(X&& x, detail::axis_number auto axis, location where = location::current()) {
  return nancumsum(std::forward<X>(x), scan_options{.axis = axis}, where);
}
template <detail::array_like X>
auto nancumprod(X&& x, detail::axis_number auto axis, location where = location::current()) {
  return nancumprod(std::forward<X>(x), scan_options{.axis = axis}, where);
}
template <detail::array_like X>
auto cumulative_logsumexp(X&& x, detail::axis_number auto axis,
                          location where = location::current()) {
  return cumulative_logsumexp(std::forward<X>(x), scan_options{.axis = axis}, where);
}

/// Sorts along one axis, as with `{.axis = axis}`; the errors are the same. `sort(x, 0)`
template <detail::array_like X>
auto sort(X&& x, detail::axis_number auto axis, location where = location::current()) {
  return sort(std::forward<X>(x), sort_options{.axis = axis}, where);
}
template <detail::array_like X>
auto argsort(X&& x, detail::axis_number auto axis, location where = location::current()) {
  return argsort(std::forward<X>(x), sort_options{.axis = axis}, where);
}

/// Softmax over an axis or a list of axes, as with `{.axis = axis}`; the errors are the same.
/// `softmax(x, -1)`
template <detail::array_like X>
auto softmax(X&& x, detail::axes auto axis, location where = location::current()) {
  return softmax(std::forward<X>(x), axes_options{.axis = axis}, where);
}
template <detail::array_like X>
auto log_softmax(X&& x, detail::axes auto axis, location where = location::current()) {
  return log_softmax(std::forward<X>(x), axes_options{.axis = axis}, where);
}

/// Takes slices along an axis, as with `{.axis = axis}`; the errors are the same.
/// `take(x, rows, 0)`
template <detail::array_like X, class I>
auto take(X&& x, I&& indices, detail::axis_number auto axis,
          location where = location::current()) {
  return take(std::forward<X>(x), std::forward<I>(indices), take_options{.axis = axis}, where);
}
template <detail::array_like X>
auto take(X&& x, std::initializer_list<std::int64_t> indices, detail::axis_number auto axis,
          location where = location::current()) {
  return take(std::forward<X>(x), indices, take_options{.axis = axis}, where);
}

/// Repeats elements along an axis, as with `{.axis = axis}`; the errors are the same.
/// `repeat(x, 2, 0)`
template <detail::array_like X, class C>
auto repeat(X&& x, C&& counts, detail::axis_number auto axis,
            location where = location::current()) {
  return repeat(std::forward<X>(x), std::forward<C>(counts), repeat_options{.axis = axis}, where);
}

/// Concatenates along an axis, as with `{.axis = axis}`; the errors are the same.
/// `concatenate({a, b}, 1)`
template <element T>
array<T> concatenate(std::initializer_list<array<T>> arrays, detail::axis_number auto axis,
                     location where = location::current()) {
  return concatenate(arrays, concatenate_options{.axis = axis}, where);
}
template <element T>
array<T> concatenate(const std::vector<array<T>>& arrays, detail::axis_number auto axis,
                     location where = location::current()) {
  return concatenate(arrays, concatenate_options{.axis = axis}, where);
}
template <detail::expression... X>
auto concatenate(const std::tuple<X...>& arrays, detail::axis_number auto axis,
                 location where = location::current()) {
  return concatenate(arrays, concatenate_options{.axis = axis}, where);
}

/// The n-th differences along an axis, as with `{.n = n, .axis = axis}`; the errors are the same.
/// `diff(x, 2)`, `diff(x, 2, 0)`
template <detail::array_like X>
auto diff(X&& x, detail::axis_number auto n, std::int64_t axis = -1,
          location where = location::current()) {
  return diff(std::forward<X>(x), diff_options{.n = n, .axis = axis}, where);
}

/// NumPy's `cross(a, b, axisa, axisb, axisc)`: the axes of the vectors in a, in b and in the
/// result. For one common axis use `{.axis = axis}`. Throws as `cross` does. `cross(a, b, 0, 0, 0)`
template <detail::expression A, detail::expression B>
auto cross(A&& a, B&& b, detail::axis_number auto axisa, std::int64_t axisb = -1,
           std::int64_t axisc = -1, location where = location::current()) {
  const auto last = cross(moveaxis(std::forward<A>(a), axisa, -1, where),
                          moveaxis(std::forward<B>(b), axisb, -1, where), cross_options{}, where);
  return axisc == -1 ? last : moveaxis(last, -1, axisc, where);
}

namespace fft {

/// Transforms of n points along an axis, as with `{.n = n, .axis = axis}`; the errors are the same.
/// `rfft(x, 16)`, `irfft(y, 15, 0)`
template <sinter::detail::array_like X>
auto fft(X&& x, sinter::detail::axis_number auto n, std::int64_t axis = -1,
         location where = location::current()) {
  return fft(std::forward<X>(x), options{.n = n, .axis = axis}, where);
}
template <sinter::detail::array_like X>
auto ifft(X&& x, sinter::detail::axis_number auto n, std::int64_t axis = -1,
          location where = location::current()) {
  return ifft(std::forward<X>(x), options{.n = n, .axis = axis}, where);
}
template <sinter::detail::array_like X>
auto rfft(X&& x, sinter::detail::axis_number auto n, std::int64_t axis = -1,
          location where = location::current()) {
  return rfft(std::forward<X>(x), options{.n = n, .axis = axis}, where);
}
template <sinter::detail::array_like X>
auto irfft(X&& x, sinter::detail::axis_number auto n, std::int64_t axis = -1,
           location where = location::current()) {
  return irfft(std::forward<X>(x), options{.n = n, .axis = axis}, where);
}
template <sinter::detail::array_like X>
auto hfft(X&& x, sinter::detail::axis_number auto n, std::int64_t axis = -1,
          location where = location::current()) {
  return hfft(std::forward<X>(x), options{.n = n, .axis = axis}, where);
}
template <sinter::detail::array_like X>
auto ihfft(X&& x, sinter::detail::axis_number auto n, std::int64_t axis = -1,
           location where = location::current()) {
  return ihfft(std::forward<X>(x), options{.n = n, .axis = axis}, where);
}

}  // namespace fft

namespace linalg {

/// The norm of order `ord` over all elements or along axes, as with `{.ord = ord, .axis = axis}`;
/// the errors are the same. `norm(x, 1)`, `norm(x, "nuc")`, `norm(x, 2, 0)`
template <sinter::detail::solvable X, std::convertible_to<norm_order> P>
auto norm(X&& x, P ord, const axis_list& axis = {}, location where = location::current()) {
  return norm(std::forward<X>(x), norm_options{.ord = ord, .axis = axis}, where);
}

}  // namespace linalg
}  // namespace sinter

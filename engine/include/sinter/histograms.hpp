#pragma once
// Counting. What is counted is sorted, and the ends of its runs are found by searching: the same
// counts on every device, whatever the order of work. Lazy, but `bincount`, whose shape depends on
// the elements.

#include <optional>
#include <utility>

#include <sinter/reductions.hpp>

namespace sinter {

struct bin_options {
  std::int64_t bins = 10;                               // of equal width
  std::optional<std::pair<double, double>> range = {};  // none: from the least to the greatest
};

struct bincount_options {
  std::int64_t minlength = 0;
};

/// Counts (or densities) of n bins, and their n + 1 edges.
template <class H, class E> struct histogram_result {
  array<H> hist;
  array<E> bin_edges;
};

namespace detail {

any_array histogram_bin_edges(const any_array& x, const bin_options& o = {},
                              location where = location::current());
/// {hist, edges}: int64 counts, or double densities.
std::pair<any_array, any_array> histogram(const any_array& x, const bin_options& o, bool density,
                                          std::string_view op, location where);
std::pair<any_array, any_array> histogram(const any_array& x, const any_array& edges, bool density,
                                          std::string_view op, location where);

template <class H, class E>
histogram_result<H, E> typed_histogram(std::pair<any_array, any_array> r) {
  return {array<H>(std::move(r.first)), array<E>(std::move(r.second))};
}
any_array bincount(const any_array& x, const bincount_options& o = {},
                   location where = location::current());

template <class X> inline constexpr dtype edge_type = mean_type(dtype_of_argument<X>);

}  // namespace detail

using detail::bincount;
using detail::histogram_bin_edges;

/// The edges of bins of equal width: n + 1 of them. dtype: that of x, double for integers. Throws
/// value_error for no bins or a range that is none; when read, if x has NaN or infinities and no
/// range is given. `histogram_bin_edges(x, {.bins = 20})`
template <detail::ordered X>
auto histogram_bin_edges(X&& x, const bin_options& options = {},
                         location where = location::current()) {
  return array<element_of<detail::edge_type<X>>>(
      detail::histogram_bin_edges(detail::to_any(std::forward<X>(x), where), options, where));
}

/// How many elements are in each bin: of equal width, their left edges included and the last one's
/// right edge. dtype of the counts: int64. Throws as `histogram_bin_edges`.
/// `auto [hist, edges] = histogram(x, {.bins = 20})`
template <detail::ordered X>
auto histogram(X&& x, const bin_options& options = {}, location where = location::current()) {
  return detail::typed_histogram<std::int64_t, element_of<detail::edge_type<X>>>(detail::histogram(
      detail::to_any(std::forward<X>(x), where), options, false, "histogram", where));
}
/// The same between edges that are given. Throws shape_error; value_error, when read, for edges
/// that do not rise. `histogram(x, array<double>{0, 1, 10})`
template <detail::ordered X, detail::expression E>
auto histogram(X&& x, E&& bin_edges, location where = location::current()) {
  return detail::typed_histogram<std::int64_t, detail::value_of<E>>(detail::histogram(
      detail::to_any(std::forward<X>(x), where), detail::to_any(std::forward<E>(bin_edges), where),
      false, "histogram", where));
}

/// NumPy's histogram with `density`: the counts over their sum and the widths, so that the integral
/// is 1. dtype: double. `histogram_density(x, {.bins = 20})`
template <detail::ordered X>
auto histogram_density(X&& x, const bin_options& options = {},
                       location where = location::current()) {
  return detail::typed_histogram<double, element_of<detail::edge_type<X>>>(detail::histogram(
      detail::to_any(std::forward<X>(x), where), options, true, "histogram_density", where));
}
/// The same between edges that are given. `histogram_density(x, array<double>{0, 1, 10})`
template <detail::ordered X, detail::expression E>
auto histogram_density(X&& x, E&& bin_edges, location where = location::current()) {
  return detail::typed_histogram<double, detail::value_of<E>>(detail::histogram(
      detail::to_any(std::forward<X>(x), where), detail::to_any(std::forward<E>(bin_edges), where),
      true, "histogram_density", where));
}

/// How often each of 0, 1, 2, ... comes, up to the greatest element, and at least to
/// `.minlength - 1`. Evaluates. dtype: int64. Throws dtype_error for what is no integer,
/// shape_error for more than one dimension, value_error for negative elements. `bincount(digits)`
template <detail::expression X>
requires(is_integer(detail::dtype_of_argument<X>)) auto bincount(
    X&& x, const bincount_options& options = {}, location where = location::current()) {
  return array<std::int64_t>(
      detail::bincount(detail::to_any(std::forward<X>(x), where), options, where));
}

}  // namespace sinter

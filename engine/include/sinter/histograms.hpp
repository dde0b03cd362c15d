#pragma once
// Counting. What is counted, and weights, go to their bins by a scatter (scatter.hpp): counts are
// the same integers on every device, sums of weights the same bits in every run. Lazy, but for
// `bincount` and bins by rule, whose shapes depend on the elements.

#include <optional>
#include <utility>
#include <vector>

#include <sinter/reductions.hpp>

namespace sinter {

/// How wide bins of equal width are, from the elements: NumPy's names (`automatic` is its "auto",
/// the narrower of `sturges` and a bounded `fd`; numpy.histogram_bin_edges has the sources).
enum class bin_rule : std::uint8_t { automatic, doane, fd, rice, scott, sqrt, stone, sturges };
namespace detail {
template <>
inline constexpr enum_words option_words<bin_rule> = {
    "bin_rule", "auto, doane, fd, rice, scott, sqrt, stone, sturges"};
}

/// A number of bins, or the rule that finds it.
struct bin_count {
  template <std::integral I> constexpr bin_count(I n) : number(static_cast<std::int64_t>(n)) {}
  constexpr bin_count(bin_rule r, location = {}) : rule(r) {}
  template <std::convertible_to<std::string_view> S>
  bin_count(const S& word, location where = location::current())
      : rule(detail::worded<bin_rule>(word, where)) {}

  std::int64_t number = 0;
  std::optional<bin_rule> rule = {};
};

struct bin_options {
  bin_count bins = 10;                                  // of equal width
  std::optional<std::pair<double, double>> range = {};  // none: from the least to the greatest
};

struct bincount_options {
  std::int64_t minlength = 0;
};

struct histogramdd_options {
  int_list bins = 10;                                 // of each axis, or of all of them
  std::vector<std::pair<double, double>> range = {};  // of each; none: the least and the greatest
  std::vector<any_array> edges = {};                  // of each, in place of bins and range
  bool density = false;                               // so that the integral is 1
  any_array weights = {};                             // one a point
};

/// Counts (or densities) of n bins, and their n + 1 edges.
template <class H, class E> struct histogram_result {
  array<H> hist;
  array<E> bin_edges;
};

/// Counts of points in a plane, and the edges of both axes.
struct histogram2d_result {
  array<double> hist, x_edges, y_edges;
};
/// Counts of points, and the edges of each axis.
struct histogramdd_result {
  array<double> hist;
  std::vector<array<double>> edges;
};

namespace detail {

any_array histogram_bin_edges(const any_array& x, const bin_options& o = {},
                              location where = location::current());
/// {hist, edges}: int64 counts, sums of the dtype of the weights, or double densities. Without
/// weights `weights` is no array.
std::pair<any_array, any_array> histogram(const any_array& x, const bin_options& o,
                                          const any_array& weights, bool density,
                                          std::string_view op, location where);
std::pair<any_array, any_array> histogram(const any_array& x, const any_array& edges,
                                          const any_array& weights, bool density,
                                          std::string_view op, location where);
/// The histogram and the edges of each coordinate, all double.
std::vector<any_array> histogram_of_points(const std::vector<any_array>& coordinates,
                                           const histogramdd_options& o, std::string_view op,
                                           location where);
histogramdd_result histogramdd(const any_array& points, const histogramdd_options& o = {},
                               location where = location::current());

template <class H, class E>
histogram_result<H, E> typed_histogram(std::pair<any_array, any_array> r) {
  return {array<H>(std::move(r.first)), array<E>(std::move(r.second))};
}
any_array bincount(const any_array& x, const bincount_options& o = {},
                   location where = location::current());
any_array bincount(const any_array& x, const any_array& weights, const bincount_options& o = {},
                   location where = location::current());

template <class X>
concept whole_numbers = expression<X> &&
    (is_integer(dtype_of_argument<X>) || is_bool(dtype_of_argument<X>));
template <class X> inline constexpr dtype edge_type = mean_type(dtype_of_argument<X>);

}  // namespace detail

using detail::bincount;
using detail::histogram_bin_edges;
using detail::histogramdd;

/// The edges of bins of equal width: n + 1 of them, n by a rule after evaluating x. dtype: that of
/// x, double for integers. Throws value_error for no bins or a range that is none; for NaN or
/// infinities in x without a range: when read, at once for a rule.
/// `histogram_bin_edges(x, {.bins = "fd"})`
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
      detail::to_any(std::forward<X>(x), where), options, {}, false, "histogram", where));
}
/// The same: `histogram(x, 20)`
template <detail::ordered X, std::integral N>
  requires(!std::same_as<N, bool>)
auto histogram(X&& x, N bins, location where = location::current()) {
  return histogram(std::forward<X>(x), bin_options{.bins = bins}, where);
}
/// The same by a rule: `histogram(x, "fd")`
template <detail::ordered X, detail::word_for<bin_rule> R>
auto histogram(X&& x, R bins, location where = location::current()) {
  return histogram(std::forward<X>(x), bin_options{.bins = {bins, where}}, where);
}
/// The same between edges that are given. Throws shape_error; value_error, when read, for edges
/// that do not rise. `histogram(x, array<double>{0, 1, 10})`
template <detail::ordered X, detail::expression E>
auto histogram(X&& x, E&& bin_edges, location where = location::current()) {
  return detail::typed_histogram<std::int64_t, detail::value_of<E>>(detail::histogram(
      detail::to_any(std::forward<X>(x), where), detail::to_any(std::forward<E>(bin_edges), where),
      {}, false, "histogram", where));
}
/// The sums of the weights, of the shape of x, in each bin. dtype: that of the weights. Throws
/// shape_error; value_error for bins by rule too. `histogram(x, {.bins = 20}, mass)`
template <detail::ordered X, detail::expression W>
auto histogram(X&& x, const bin_options& options, W&& weights,
               location where = location::current()) {
  return detail::typed_histogram<detail::value_of<W>, element_of<detail::edge_type<X>>>(
      detail::histogram(detail::to_any(std::forward<X>(x), where), options,
                        detail::to_any(std::forward<W>(weights), where), false, "histogram",
                        where));
}
/// The same between edges that are given. `histogram(x, array<double>{0, 1, 10}, mass)`
template <detail::ordered X, detail::expression E, detail::expression W>
auto histogram(X&& x, E&& bin_edges, W&& weights, location where = location::current()) {
  return detail::typed_histogram<detail::value_of<W>, detail::value_of<E>>(detail::histogram(
      detail::to_any(std::forward<X>(x), where), detail::to_any(std::forward<E>(bin_edges), where),
      detail::to_any(std::forward<W>(weights), where), false, "histogram", where));
}

/// NumPy's histogram with `density`: the counts over their sum and the widths, so that the integral
/// is 1. dtype: double. Throws as `histogram` does. `histogram_density(x, {.bins = 20})`
template <detail::ordered X>
auto histogram_density(X&& x, const bin_options& options = {},
                       location where = location::current()) {
  return detail::typed_histogram<double, element_of<detail::edge_type<X>>>(detail::histogram(
      detail::to_any(std::forward<X>(x), where), options, {}, true, "histogram_density", where));
}
/// The same between edges that are given. `histogram_density(x, array<double>{0, 1, 10})`
template <detail::ordered X, detail::expression E>
auto histogram_density(X&& x, E&& bin_edges, location where = location::current()) {
  return detail::typed_histogram<double, detail::value_of<E>>(detail::histogram(
      detail::to_any(std::forward<X>(x), where), detail::to_any(std::forward<E>(bin_edges), where),
      {}, true, "histogram_density", where));
}
/// The same of weights. `histogram_density(x, {.bins = 20}, mass)`
template <detail::ordered X, detail::ordered W>
auto histogram_density(X&& x, const bin_options& options, W&& weights,
                       location where = location::current()) {
  return detail::typed_histogram<double, element_of<detail::edge_type<X>>>(detail::histogram(
      detail::to_any(std::forward<X>(x), where), options,
      detail::to_any(std::forward<W>(weights), where), true, "histogram_density", where));
}
/// The same between edges. `histogram_density(x, array<double>{0, 1, 10}, mass)`
template <detail::ordered X, detail::expression E, detail::ordered W>
auto histogram_density(X&& x, E&& bin_edges, W&& weights, location where = location::current()) {
  return detail::typed_histogram<double, detail::value_of<E>>(detail::histogram(
      detail::to_any(std::forward<X>(x), where), detail::to_any(std::forward<E>(bin_edges), where),
      detail::to_any(std::forward<W>(weights), where), true, "histogram_density", where));
}

/// How many of the points (x[i], y[i]), or which sum of their weights, are in each rectangle: shape
/// (bins of x, bins of y). Edges are given or of equal width; each bin has its lower ones, the last
/// the upper one too, and points outside are left out. Throws shape_error, dtype_error for complex
/// numbers, and what `histogram` throws.
/// `auto [hist, xs, ys] = histogram2d(x, y, {.bins = {8, 4}})`
template <detail::ordered X, detail::ordered Y>
auto histogram2d(X&& x, Y&& y, const histogramdd_options& options = {},
                 location where = location::current()) {
  std::vector<any_array> parts = detail::histogram_of_points(
      {detail::to_any(std::forward<X>(x), where), detail::to_any(std::forward<Y>(y), where)},
      options, "histogram2d", where);
  return histogram2d_result{array<double>(std::move(parts[0])), array<double>(std::move(parts[1])),
                            array<double>(std::move(parts[2]))};
}

/// The same in d dimensions, of points as the rows of an (n, d) array; a vector is n points of one
/// dimension. Throws as `histogram2d` does.
/// `auto [hist, edges] = histogramdd(points, {.bins = {4, 4, 4}})`
template <detail::ordered X>
auto histogramdd(X&& points, const histogramdd_options& options = {},
                 location where = location::current()) {
  return detail::histogramdd(detail::to_any(std::forward<X>(points), where), options, where);
}

/// How often each of 0, 1, 2, ... comes, up to the greatest element, and at least to
/// `.minlength - 1`; of bool, false is 0 and true is 1. Evaluates. dtype: int64. Throws dtype_error
/// for what is no integer, shape_error for more than one dimension, value_error for negative
/// elements. `bincount(digits)`
template <detail::whole_numbers X>
auto bincount(X&& x, const bincount_options& options = {}, location where = location::current()) {
  return array<std::int64_t>(
      detail::bincount(detail::to_any(std::forward<X>(x), where), options, where));
}
/// The sums of the weights, of the shape of x, that go to 0, 1, 2, ...: rounded once, whatever
/// their order. dtype: double. `bincount(group, mass, {.minlength = 10})`
template <detail::whole_numbers X, detail::ordered W>
auto bincount(X&& x, W&& weights, const bincount_options& options = {},
              location where = location::current()) {
  return array<double>(detail::bincount(detail::to_any(std::forward<X>(x), where),
                                        detail::to_any(std::forward<W>(weights), where), options,
                                        where));
}

}  // namespace sinter

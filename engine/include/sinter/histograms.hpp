#pragma once
// Histograms and counts. Elements and weights are scattered to their bins (scatter.hpp): counts are
// the same integers on every device, and sums of weights have the same bits in every run. Lazy,
// except `bincount` and bins by rule, whose shapes depend on the elements.

#include <optional>
#include <utility>
#include <vector>

#include <sinter/reductions.hpp>

namespace sinter {

/// Rules that choose the width of equal bins from the elements, with NumPy's names. `automatic` is
/// its "auto", the narrower of `sturges` and a bounded `fd`; numpy.histogram_bin_edges has the
/// sources.
enum class bin_rule : std::uint8_t { automatic, doane, fd, rice, scott, sqrt, stone, sturges };
namespace detail {
template <>
inline constexpr enum_words option_words<bin_rule> = {
    "bin_rule", "auto, doane, fd, rice, scott, sqrt, stone, sturges"};
}

/// A number of bins, or a rule that computes it.
struct bin_count {
  template <std::integral I> constexpr bin_count(I n) : number(static_cast<std::int64_t>(n)) {}
  constexpr bin_count(bin_rule r, location = {}) : rule(r) {}
  template <std::convertible_to<std::string_view> S>
  bin_count(const S& word, location where = location::current())
      : rule(detail::worded<bin_rule>(word, where)) {}

  std::int64_t number = 0;
  std::optional<bin_rule> rule = {};
};

/// The values that bins cover: `{.range = {0, 1}}`.
struct bin_range : std::optional<std::pair<double, double>> {
  using std::optional<std::pair<double, double>>::optional;
  bin_range(double low, double high) : bin_range(std::pair(low, high)) {}
};

struct bin_options {
  bin_count bins = 10;   // of equal width
  bin_range range = {};  // none: from the minimum to the maximum
};

struct bincount_options {
  std::int64_t minlength = 0;
};

struct histogramdd_options {
  int_list bins = 10;                                 // of each axis, or one number for all of them
  std::vector<std::pair<double, double>> range = {};  // of each; none: minimum to maximum
  std::vector<any_array> edges = {};                  // of each, instead of bins and range
  bool density = false;                               // normalises the integral to 1
  any_array weights = {};                             // one per point
};

/// The counts (or densities) of n bins, and their n + 1 edges.
template <class H, class E> struct histogram_result {
  array<H> hist;
  array<E> bin_edges;
};

/// The counts of points in a plane, and the edges of both axes.
struct histogram2d_result {
  array<double> hist, x_edges, y_edges;
};
/// The counts of points, and the edges of each axis.
struct histogramdd_result {
  array<double> hist;
  std::vector<array<double>> edges;
};

namespace detail {

any_array histogram_bin_edges(const any_array& x, const bin_options& o = {},
                              location where = location::current());
/// Returns {hist, edges}: int64 counts, sums of the dtype of the weights, or double densities.
/// `weights` holds no array if there are none.
std::pair<any_array, any_array> histogram(const any_array& x, const bin_options& o,
                                          const any_array& weights, bool density,
                                          std::string_view op, location where);
std::pair<any_array, any_array> histogram(const any_array& x, const any_array& edges,
                                          const any_array& weights, bool density,
                                          std::string_view op, location where);
/// Returns the histogram and the edges of each coordinate, all double.
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

/// The edges of n bins of equal width: shape (n + 1,). A rule determines n after evaluating x.
/// dtype: that of x, double for integers. Throws value_error for no bins or an invalid range, and
/// for NaN or infinities in x without a range: when read, but immediately for a rule.
/// `histogram_bin_edges(x, {.bins = "fd"})`
template <detail::ordered X>
auto histogram_bin_edges(X&& x, const bin_options& options = {},
                         location where = location::current()) {
  return array<element_of<detail::edge_type<X>>>(
      detail::histogram_bin_edges(detail::to_any(std::forward<X>(x), where), options, where));
}

/// Counts the elements in bins of equal width, which include their left edge; the last also
/// includes its right edge. Returns the counts (int64) and the edges. Throws as
/// `histogram_bin_edges`. `auto [hist, edges] = histogram(x, {.bins = 20})`
template <detail::ordered X>
auto histogram(X&& x, const bin_options& options = {}, location where = location::current()) {
  return detail::typed_histogram<std::int64_t, element_of<detail::edge_type<X>>>(detail::histogram(
      detail::to_any(std::forward<X>(x), where), options, {}, false, "histogram", where));
}
/// The same with the number of bins as an argument: `histogram(x, 20)`
template <detail::ordered X, std::integral N>
  requires(!std::same_as<N, bool>)
auto histogram(X&& x, N bins, location where = location::current()) {
  return histogram(std::forward<X>(x), bin_options{.bins = bins}, where);
}
/// The same with bins by rule: `histogram(x, "fd")`
template <detail::ordered X, detail::word_for<bin_rule> R>
auto histogram(X&& x, R bins, location where = location::current()) {
  return histogram(std::forward<X>(x), bin_options{.bins = {bins, where}}, where);
}
/// The same with given edges. Throws shape_error; value_error, when read, for edges that do not
/// increase. `histogram(x, array<double>{0, 1, 10})`
template <detail::ordered X, detail::expression E>
auto histogram(X&& x, E&& bin_edges, location where = location::current()) {
  return detail::typed_histogram<std::int64_t, detail::value_of<E>>(detail::histogram(
      detail::to_any(std::forward<X>(x), where), detail::to_any(std::forward<E>(bin_edges), where),
      {}, false, "histogram", where));
}
/// Sums the weights, of the shape of x, in each bin. dtype: that of the weights. Throws
/// shape_error, and value_error also for bins by rule. `histogram(x, {.bins = 20}, mass)`
template <detail::ordered X, detail::expression W>
auto histogram(X&& x, const bin_options& options, W&& weights,
               location where = location::current()) {
  return detail::typed_histogram<detail::value_of<W>, element_of<detail::edge_type<X>>>(
      detail::histogram(detail::to_any(std::forward<X>(x), where), options,
                        detail::to_any(std::forward<W>(weights), where), false, "histogram",
                        where));
}
/// The same with given edges. `histogram(x, array<double>{0, 1, 10}, mass)`
template <detail::ordered X, detail::expression E, detail::expression W>
auto histogram(X&& x, E&& bin_edges, W&& weights, location where = location::current()) {
  return detail::typed_histogram<detail::value_of<W>, detail::value_of<E>>(detail::histogram(
      detail::to_any(std::forward<X>(x), where), detail::to_any(std::forward<E>(bin_edges), where),
      detail::to_any(std::forward<W>(weights), where), false, "histogram", where));
}

/// NumPy's histogram with `density`: the counts divided by their sum and by the bin widths, so that
/// the integral is 1. dtype: double. Throws as `histogram` does.
/// `histogram_density(x, {.bins = 20})`
template <detail::ordered X>
auto histogram_density(X&& x, const bin_options& options = {},
                       location where = location::current()) {
  return detail::typed_histogram<double, element_of<detail::edge_type<X>>>(detail::histogram(
      detail::to_any(std::forward<X>(x), where), options, {}, true, "histogram_density", where));
}
/// The same with given edges. `histogram_density(x, array<double>{0, 1, 10})`
template <detail::ordered X, detail::expression E>
auto histogram_density(X&& x, E&& bin_edges, location where = location::current()) {
  return detail::typed_histogram<double, detail::value_of<E>>(detail::histogram(
      detail::to_any(std::forward<X>(x), where), detail::to_any(std::forward<E>(bin_edges), where),
      {}, true, "histogram_density", where));
}
/// The same with weights. `histogram_density(x, {.bins = 20}, mass)`
template <detail::ordered X, detail::ordered W>
auto histogram_density(X&& x, const bin_options& options, W&& weights,
                       location where = location::current()) {
  return detail::typed_histogram<double, element_of<detail::edge_type<X>>>(detail::histogram(
      detail::to_any(std::forward<X>(x), where), options,
      detail::to_any(std::forward<W>(weights), where), true, "histogram_density", where));
}
/// The same with given edges and weights. `histogram_density(x, array<double>{0, 1, 10}, mass)`
template <detail::ordered X, detail::expression E, detail::ordered W>
auto histogram_density(X&& x, E&& bin_edges, W&& weights, location where = location::current()) {
  return detail::typed_histogram<double, detail::value_of<E>>(detail::histogram(
      detail::to_any(std::forward<X>(x), where), detail::to_any(std::forward<E>(bin_edges), where),
      detail::to_any(std::forward<W>(weights), where), true, "histogram_density", where));
}

/// Counts the points (x[i], y[i]), or sums their weights, in each rectangle: shape (bins of x, bins
/// of y). Edges are given, or bins have equal width. Each bin includes its lower edges, the last
/// bins also their upper edges; points outside are ignored. Throws shape_error, dtype_error for
/// complex numbers, and what `histogram` throws.
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

/// The same in d dimensions, for points that are the rows of an (n, d) array; a vector is n
/// one-dimensional points. Throws as `histogram2d` does.
/// `auto [hist, edges] = histogramdd(points, {.bins = {4, 4, 4}})`
template <detail::ordered X>
auto histogramdd(X&& points, const histogramdd_options& options = {},
                 location where = location::current()) {
  return detail::histogramdd(detail::to_any(std::forward<X>(points), where), options, where);
}

/// Counts the occurrences of 0, 1, 2, ... up to the largest element, and at least up to
/// `.minlength - 1`; of bool, false is 0 and true is 1. Evaluates. dtype: int64. Throws dtype_error
/// unless x has an integer type or bool, shape_error for more than one dimension, value_error for
/// negative elements. `bincount(digits)`
template <detail::whole_numbers X>
auto bincount(X&& x, const bincount_options& options = {}, location where = location::current()) {
  return array<std::int64_t>(
      detail::bincount(detail::to_any(std::forward<X>(x), where), options, where));
}
/// Sums the weights, of the shape of x, for each of 0, 1, 2, ...; each sum is rounded once,
/// whatever the order. dtype: double. `bincount(group, mass, {.minlength = 10})`
template <detail::whole_numbers X, detail::ordered W>
auto bincount(X&& x, W&& weights, const bincount_options& options = {},
              location where = location::current()) {
  return array<double>(detail::bincount(detail::to_any(std::forward<X>(x), where),
                                        detail::to_any(std::forward<W>(weights), where), options,
                                        where));
}

}  // namespace sinter

// Histograms of points: the bins of a point's coordinates are one place in a grid, where a scatter
// counts points or sums their weights.

#include "engine/sorting/search.hpp"
#include "engine/statistics/histogram.hpp"

namespace sinter::detail {
namespace {

[[noreturn]] void refuse(std::string_view op, const std::string& what, std::size_t axes,
                         location where) {
  fail<value_error>(error_code::bad_argument, op, what + " for " + std::to_string(axes) + " axes",
                    where);
}

/// The bin edges of each coordinate, double.
std::vector<any_array> edges_of(const std::vector<any_array>& x, const histogramdd_options& o,
                                std::string_view op, location where) {
  if (!o.range.empty() && o.range.size() != x.size()) {
    refuse(op, std::to_string(o.range.size()) + " ranges", x.size(), where);
  }
  const bool given = !o.edges.empty();
  if (given && o.edges.size() != x.size()) {
    refuse(op, std::to_string(o.edges.size()) + " arrays of edges", x.size(), where);
  }
  if (!given && o.bins.size() != 1 && o.bins.size() != x.size()) {
    refuse(op, std::to_string(o.bins.size()) + " numbers of bins", x.size(), where);
  }
  std::vector<any_array> edges;
  for (std::size_t d = 0; d < x.size(); ++d) {
    if (given) {
      checked(o.edges[d], op, where);
      require_edges(o.edges[d], op, where);
      edges.push_back(make_cast(o.edges[d], dtype::float64, where));
    } else {
      const bin_range range = o.range.empty() ? bin_range() : bin_range(o.range[d]);
      edges.push_back(
          even_edges(x[d], o.bins[o.bins.size() == 1 ? 0 : d], range, dtype::float64, op, where));
    }
  }
  return edges;
}

/// The row-major place of each point in a grid of `shape`; -1 outside.
any_array place_of_each(const std::vector<any_array>& x, const std::vector<any_array>& edges,
                        shape_view shape, location where) {
  const term outside = number(-1, dtype::int64, where), zero = number(0, dtype::int64, where);
  term place = zero, inside = number(1, dtype::bool_, where);
  for (std::size_t d = 0; d < x.size(); ++d) {
    const term bin{bin_of_each(x[d], edges[d], where), where};
    const auto count = static_cast<double>(shape[d]);
    inside = inside && zero <= bin && bin < number(count, dtype::int64, where);
    place = place * count + bin;
  }
  return select(inside, place, outside).x;
}

any_array density_of(const any_array& sums, const std::vector<any_array>& edges, location where) {
  const term counts{sums, where};
  std::vector<int> axes;
  term part = counts;
  for (std::size_t d = 0; d < edges.size(); ++d) {
    const std::int64_t n = edges[d].size() - 1;
    const term width =
        term{cut(edges[d], 0, 1, n, where), where} - term{cut(edges[d], 0, 0, n, where), where};
    extents shape(edges.size(), 1);
    shape[d] = n;
    part = part / term{make_reshape(width.x, shape, where), where};
    axes.push_back(static_cast<int>(d));
  }
  return (part / reduce_kept(counts, ir::op::add, axes)).x;
}

any_array weights_of(const std::vector<any_array>& x, const any_array& given, std::string_view op,
                     location where) {
  const extents shape = extents_of(x[0]);
  if (!given.valid()) {
    return make_broadcast(make_scalar({{1, 0}}, dtype::int64, where), shape, op, where);
  }
  require_order(given, op, where);
  if (!std::ranges::equal(given.extents(), shape)) {
    fail<shape_error>(error_code::shape_mismatch, op,
                      "weights of shape " + text_of(given.extents()) + " for " +
                          std::to_string(x[0].size()) + " points",
                      where);
  }
  return make_cast(given, dtype::float64, where);
}

void require_coordinates(const std::vector<any_array>& x, std::string_view op, location where) {
  for (const any_array& a : x) {
    require_order(a, op, where);
    if (a.ndim() == 1 && a.size() == x[0].size()) continue;
    fail<shape_error>(error_code::shape_mismatch, op,
                      "coordinates of shapes " + text_of(x[0].extents()) + " and " +
                          text_of(a.extents()) + ": vectors of one length are wanted",
                      where);
  }
}

}  // namespace

std::vector<any_array> histogram_of_points(const std::vector<any_array>& x,
                                           const histogramdd_options& o, std::string_view op,
                                           location where) {
  require_coordinates(x, op, where);
  std::vector<any_array> result = edges_of(x, o, op, where);
  extents shape;
  for (const any_array& e : result) shape.push_back(e.size() - 1);
  check_shape(shape, dtype::float64, op, where);
  const any_array places = place_of_each(x, result, shape, where);
  const any_array sums =
      sums_of_bins(places, weights_of(x, o.weights, op, where), product_of(shape), where);
  const any_array grid = make_reshape(make_cast(sums, dtype::float64, where), shape, where);
  const any_array hist = o.density ? density_of(grid, result, where) : grid;
  if (!o.edges.empty()) {
    for (const any_array& e : result) require_rising(hist, e, op, where);
  }
  result.insert(result.begin(), hist);
  return result;
}

histogramdd_result histogramdd(const any_array& points, const histogramdd_options& o,
                               location where) {
  constexpr std::string_view op = "histogramdd";
  checked(points, op, where);
  if (points.ndim() < 1 || points.ndim() > 2 || (points.ndim() == 2 && points.extents()[1] == 0)) {
    fail<shape_error>(error_code::shape_mismatch, op,
                      "points of shape " + text_of(points.extents()) + ": (n, d) is wanted", where);
  }
  const std::int64_t n = points.extents()[0], d = points.ndim() == 2 ? points.extents()[1] : 1;
  std::vector<any_array> x;
  for (std::int64_t i = 0; i < d; ++i) {
    const any_array column = points.ndim() == 2 ? cut(points, 1, i, 1, where) : points;
    x.push_back(make_reshape(column, extents{n}, where));
  }
  std::vector<any_array> parts = histogram_of_points(x, o, op, where);
  histogramdd_result result{array<double>(std::move(parts[0])), {}};
  for (std::size_t i = 1; i < parts.size(); ++i) result.edges.emplace_back(std::move(parts[i]));
  return result;
}

}  // namespace sinter::detail

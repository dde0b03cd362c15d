#include "engine/statistics/histogram.hpp"

#include <cmath>

#include <sinter/scatter.hpp>

#include "engine/evaluation/evaluate.hpp"
#include "engine/sorting/search.hpp"

namespace sinter::detail {
namespace {

[[noreturn]] void raise_infinite(std::span<const std::int32_t>, const check& c) {
  fail<value_error>(error_code::bad_argument, c.op,
                    "the least and the greatest element are not finite: give a range", c.where);
}
[[noreturn]] void raise_falling(std::span<const std::int32_t>, const check& c) {
  fail<value_error>(error_code::bad_argument, c.op, "the edges do not rise", c.where);
}

[[noreturn]] void refuse(std::string_view op, const std::string& why, location where) {
  fail<value_error>(error_code::bad_argument, op, why, where);
}

/// The outermost bin edges, rank 0, double.
struct ends {
  term first, last;
};

ends given_ends(const bin_range& range, location where) {
  const auto [first, last] = *range;
  const double half = first == last ? 0.5 : 0;
  return {number(first - half, dtype::float64, where), number(last + half, dtype::float64, where)};
}

ends found_ends(const any_array& x, location where) {
  const auto extreme = [&](ir::op code) -> term {
    return {make_cast(make_reduce(x, code, false, {0}, where), dtype::float64, where), where};
  };
  const term first = extreme(ir::op::minimum), last = extreme(ir::op::maximum);
  const term none = number(0, dtype::float64, where), half = number(0.5, dtype::float64, where);
  const term extra = select(first == last, half, none);
  return {first - extra, last + extra};
}

/// NumPy's linspace between the ends.
any_array spaced(const ends& e, std::int64_t bins, dtype type, location where) {
  const term i{make_cast(make_iota(extents{bins + 1}, where), dtype::float64, where), where};
  const term step = (e.last - e.first) / static_cast<double>(bins);
  const term edges = select(i == static_cast<double>(bins), e.last, i * step + e.first);
  return make_cast(edges.x, type, where);
}

any_array edges_of(const any_array& x, const bin_options& o, std::string_view op, location where) {
  const std::int64_t bins =
      o.bins.rule ? bins_by_rule(x, *o.bins.rule, o.range, op, where) : o.bins.number;
  return even_edges(x, bins, o.range, mean_type(x.dtype()), op, where);
}

/// Element i of a vector, rank 0.
term end_of(const any_array& x, std::int64_t i, location where) {
  return {make_reshape(cut(x, 0, i, 1, where), extents{}, where), where};
}

/// Differences of successive elements along the only axis: one fewer.
term steps(const term& t) {
  const std::int64_t n = t.x.size();
  return term{cut(t.x, 0, 1, n - 1, t.where), t.where} -
         term{cut(t.x, 0, 0, n - 1, t.where), t.where};
}

/// The bin of each value, -1 for none, for equally spaced edges: an estimate, corrected by
/// comparison with the edges next to it, as NumPy does.
any_array even_bin_of_each(const any_array& values, const any_array& edges, location where) {
  const dtype type = compute_of(promote(values.dtype(), edges.dtype())), whole = dtype::int64;
  const any_array e = make_cast(edges, type, where);
  const std::int64_t bins = e.size() - 1;
  const auto edge_at = [&](const any_array& place) -> term {
    return {make_gather(e, place, {}, {0, {0}}, where), where};
  };
  const auto wide = [&](const term& t) -> term {
    return {make_cast(t.x, dtype::float64, where), where};
  };
  const auto integer = [&](std::int64_t n) { return number(static_cast<double>(n), whole, where); };
  const term v{make_cast(flattened(values, where), type, where), where};
  const term first = end_of(e, 0, where), last = end_of(e, bins, where);
  const term scale = number(static_cast<double>(bins), dtype::float64, where) /
                     (wide(last) - wide(first));
  const term guess{make_cast(((wide(v) - wide(first)) * scale).x, whole, where), where};
  const term near = apply(ir::op::clip, {guess, integer(0), integer(bins - 1)});
  const term below = v < edge_at(near.x);
  const term above = edge_at((near + 1).x) <= v && near < integer(bins - 1);
  const auto step = [&](const term& t) -> term { return {make_cast(t.x, whole, where), where}; };
  return select(first <= v && v <= last, near - step(below) + step(above), integer(-1)).x;
}

void require_alike(const any_array& x, const any_array& weights, std::string_view op,
                   location where) {
  if (std::ranges::equal(checked(weights, op, where).shape, x.extents())) return;
  fail<shape_error>(
      error_code::shape_mismatch, op,
      "weights of shape " + text_of(weights.extents()) + " for shape " + text_of(x.extents()),
      where);
}

/// Counts per bin; bins out of range are dropped.
any_array counts_of_bins(const any_array& bins, std::int64_t count, location where) {
  // A smaller type keeps more places in the cache.
  const dtype type = bins.size() < std::int64_t{1} << 31 ? dtype::int32 : dtype::int64;
  const any_array one = make_scalar({{1, 0}}, type, where);
  const any_array ones = make_broadcast(one, bins.extents(), "histogram", where);
  return make_cast(sums_of_bins(bins, ones, count, where), dtype::int64, where);
}

/// Counts, or sums of weights if given, or densities of either.
any_array filled(const any_array& x, const any_array& bins, const any_array& edges,
                 const any_array& weights, bool density, std::string_view op, location where) {
  if (weights.valid()) require_alike(x, weights, op, where);
  const std::int64_t count = edges.size() - 1;
  const any_array hist = weights.valid() ? sums_of_bins(bins, weights, count, where)
                                         : counts_of_bins(bins, count, where);
  if (!density) return hist;
  const term n{make_cast(hist, dtype::float64, where), where};
  const term widths = steps({make_cast(edges, dtype::float64, where), where});
  return (n / widths / reduce_kept(n, ir::op::add, {0})).x;
}

/// The number of possible values of x, from 0 to its greatest element. Evaluates both ends.
std::int64_t places_of_counts(const any_array& x, const bincount_options& o, location where) {
  constexpr std::string_view op = "bincount";
  if (!is_integer(checked(x, op, where).type) && !is_bool(x.dtype())) {
    fail<dtype_error>(error_code::bad_dtype, op,
                      std::string(name(x.dtype())) + " is no integer type", where);
  }
  if (x.ndim() != 1) {
    fail<shape_error>(error_code::shape_mismatch, op,
                      "shape " + text_of(x.extents()) + ": one dimension is wanted", where);
  }
  if (o.minlength < 0) refuse(op, "a minlength below 0", where);
  std::int64_t count = o.minlength;
  const any_array values = make_cast(x, dtype::int64, where);
  if (x.size() > 0) {
    // x first: its elements are counted next, and would be computed again for that.
    evaluate({&x, 1}, op, where);
    const any_array ends[] = {make_reduce(values, ir::op::minimum, false, {0}, where),
                              make_reduce(values, ir::op::maximum, false, {0}, where)};
    evaluate(ends, op, where);
    std::int64_t least = 0, most = 0;
    read(ends[0], &least, where, "bincount");
    read(ends[1], &most, where, "bincount");
    if (least < 0) refuse(op, "an element is " + std::to_string(least), where);
    if (most > (std::int64_t{1} << 58)) refuse(op, "an element is " + std::to_string(most), where);
    count = std::max(count, most + 1);
  }
  check_shape(extents{count}, dtype::int64, op, where);
  return count;
}

}  // namespace

void require_order(const any_array& x, std::string_view op, location where) {
  if (!is_complex(checked(x, op, where).type)) return;
  fail<dtype_error>(error_code::bad_dtype, op,
                    std::string(name(x.dtype())) + " numbers have no order", where);
}

void require_range(const bin_range& range, std::string_view op, location where) {
  if (!range) return;
  const auto [first, last] = *range;
  if (!std::isfinite(first) || !std::isfinite(last)) refuse(op, "the range is not finite", where);
  if (first > last) refuse(op, "the range ends before it begins", where);
}

void require_edges(const any_array& x, std::string_view op, location where) {
  require_order(x, op, where);
  if (x.ndim() == 1 && x.size() > 1) return;
  fail<shape_error>(error_code::shape_mismatch, op,
                    "edges of shape " + text_of(x.extents()) + ": two or more are wanted", where);
}

void require_rising(const any_array& x, const any_array& edges, std::string_view op,
                    location where) {
  const std::int64_t n = edges.size();
  const term e{make_cast(edges, compute_of(edges.dtype()), where), where};
  const term after{cut(e.x, 0, 1, n - 1, where), where}, front{cut(e.x, 0, 0, n - 1, where), where};
  refuse_if(x, (!(front <= after)).x, op, raise_falling, where);
}

any_array even_edges(const any_array& x, std::int64_t count, const bin_range& range, dtype type,
                     std::string_view op, location where) {
  if (count < 1) refuse(op, std::to_string(count) + " bins are fewer than one", where);
  require_range(range, op, where);
  check_shape(extents{count}, type, op, where);  // leaves room for one more
  if (range) return spaced(given_ends(range, where), count, type, where);
  const any_array all = flattened(x, where);
  if (all.size() == 0) return spaced(given_ends({{0.0, 1.0}}, where), count, type, where);
  const ends e = found_ends(make_cast(all, compute_of(x.dtype()), where), where);
  const any_array edges = spaced(e, count, type, where);
  if (is_real(x.dtype())) {
    const term good = apply(ir::op::isfinite, {e.last - e.first});
    refuse_if(edges, (!good).x, op, raise_infinite, where);
  }
  return edges;
}

any_array bin_of_each(const any_array& values, const any_array& edges, location where) {
  const dtype type = promote(values.dtype(), edges.dtype());
  const any_array v = make_cast(values, type, where), e = make_cast(edges, type, where);
  const term place{places_in(e, v, true, where), where};
  const dtype wide = compute_of(type);
  const term last{make_cast(end_of(e, e.size() - 1, where).x, wide, where), where};
  const term on_last = term{make_cast(v, wide, where), where} == last;
  return select(on_last, place - 2, place - 1).x;
}

any_array sums_of_bins(const any_array& bins, const any_array& weights, std::int64_t count,
                       location where) {
  const term bin{flattened(bins, where), where};
  const term here = number(0, dtype::int64, where) <= bin &&
                    bin < number(static_cast<double>(count), dtype::int64, where);
  // Values outside all bins go to an extra place.
  const term place = select(here, bin, number(static_cast<double>(count), dtype::int64, where));
  const any_array none = make_broadcast(make_scalar({}, weights.dtype(), where), extents{count + 1},
                                        "histogram", where);
  const index_item item(place.x, where);
  const any_array sums =
      write_at(none, {&item, 1}, ir::op::add, true, flattened(weights, where), where);
  return cut(sums, 0, 0, count, where);
}

any_array histogram_bin_edges(const any_array& x, const bin_options& o, location where) {
  require_order(x, "histogram_bin_edges", where);
  return edges_of(x, o, "histogram_bin_edges", where);
}

std::pair<any_array, any_array> histogram(const any_array& x, const bin_options& o,
                                          const any_array& weights, bool density,
                                          std::string_view op, location where) {
  require_order(x, op, where);
  if (weights.valid() && o.bins.rule) {
    refuse(op, "a rule for the bins does not know of weights: give their number", where);
  }
  const any_array edges = edges_of(x, o, op, where);
  const any_array bins = even_bin_of_each(x, edges, where);
  return {filled(x, bins, edges, weights, density, op, where), edges};
}

std::pair<any_array, any_array> histogram(const any_array& x, const any_array& edges,
                                          const any_array& weights, bool density,
                                          std::string_view op, location where) {
  require_order(x, op, where);
  checked(edges, op, where);
  require_edges(edges, op, where);
  const any_array bins = bin_of_each(x, edges, where);
  const any_array hist = filled(x, bins, edges, weights, density, op, where);
  require_rising(hist, edges, op, where);
  return {hist, edges};
}

any_array bincount(const any_array& x, const bincount_options& o, location where) {
  const std::int64_t count = places_of_counts(x, o, where);
  return counts_of_bins(make_cast(x, dtype::int64, where), count, where);
}

any_array bincount(const any_array& x, const any_array& weights, const bincount_options& o,
                   location where) {
  require_order(weights, "bincount", where);
  const std::int64_t count = places_of_counts(x, o, where);
  require_alike(x, weights, "bincount", where);
  return sums_of_bins(make_cast(x, dtype::int64, where), make_cast(weights, dtype::float64, where),
                      count, where);
}

}  // namespace sinter::detail

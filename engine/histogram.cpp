#include <cmath>

#include <sinter/creation.hpp>
#include <sinter/histograms.hpp>

#include "engine/evaluate.hpp"
#include "engine/search.hpp"
#include "engine/sorted.hpp"

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

/// The ends of the bins, rank 0, double.
struct ends {
  term first, last;
};

ends given_ends(const bin_options& o, std::string_view op, location where) {
  const auto [first, last] = *o.range;
  if (!std::isfinite(first) || !std::isfinite(last)) refuse(op, "the range is not finite", where);
  if (first > last) refuse(op, "the range ends before it begins", where);
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
  if (o.bins < 1) refuse(op, std::to_string(o.bins) + " bins are fewer than one", where);
  const any_array all = flattened(x, where);
  const dtype type = mean_type(x.dtype());
  if (o.range) return spaced(given_ends(o, op, where), o.bins, type, where);
  if (all.size() == 0) {
    return spaced(given_ends({o.bins, {{0.0, 1.0}}}, op, where), o.bins, type, where);
  }
  const any_array values = make_cast(all, compute_of(x.dtype()), where);
  const ends e = found_ends(values, where);
  const any_array edges = spaced(e, o.bins, type, where);
  if (is_real(x.dtype())) {
    const term good = apply(ir::op::isfinite, {e.last - e.first});
    refuse_if(edges, (!good).x, op, raise_infinite, where);
  }
  return edges;
}

void require_order(const any_array& x, std::string_view op, location where) {
  if (!is_complex(checked(x, op, where).type)) return;
  fail<dtype_error>(error_code::bad_dtype, op,
                    std::string(name(x.dtype())) + " numbers have no order", where);
}

/// What is after an element less what is before it, along the only axis: one element fewer.
term steps(const term& t) {
  const std::int64_t n = t.x.size();
  return term{cut(t.x, 0, 1, n - 1, t.where), t.where} -
         term{cut(t.x, 0, 0, n - 1, t.where), t.where};
}

/// Elements of the sorted x before each edge; the last bin has its right edge.
any_array counts_between(const any_array& x, const any_array& edges, location where) {
  const dtype type = promote(x.dtype(), edges.dtype());
  const any_array sorted =
      sort_values(make_cast(flattened(x, where), type, where), false, false, where);
  const any_array e = make_cast(edges, type, where);
  const std::int64_t n = e.size();
  const term before{places_in(sorted, e, false, where), where};
  const term behind{places_in(sorted, e, true, where), where};
  const term i{make_iota(extents{n}, where), where};
  return steps(select(i == static_cast<double>(n - 1), behind, before)).x;
}

any_array density_of(const any_array& counts, const any_array& edges, location where) {
  const term n{make_cast(counts, dtype::float64, where), where};
  const term widths = steps({make_cast(edges, dtype::float64, where), where});
  return (n / widths / reduce_kept(n, ir::op::add, {0})).x;
}

}  // namespace

any_array histogram_bin_edges(const any_array& x, const bin_options& o, location where) {
  require_order(x, "histogram_bin_edges", where);
  return edges_of(x, o, "histogram_bin_edges", where);
}

std::pair<any_array, any_array> histogram(const any_array& x, const bin_options& o, bool density,
                                          std::string_view op, location where) {
  require_order(x, op, where);
  const any_array edges = edges_of(x, o, op, where);
  const any_array counts = counts_between(x, edges, where);
  return {density ? density_of(counts, edges, where) : counts, edges};
}

std::pair<any_array, any_array> histogram(const any_array& x, const any_array& edges, bool density,
                                          std::string_view op, location where) {
  require_order(x, op, where);
  require_order(edges, op, where);
  if (edges.ndim() != 1 || edges.size() < 2) {
    fail<shape_error>(error_code::shape_mismatch, op,
                      "edges of shape " + text_of(edges.shape()) + ": two or more are wanted",
                      where);
  }
  const any_array counts = counts_between(x, edges, where);
  const any_array hist = density ? density_of(counts, edges, where) : counts;
  const std::int64_t n = edges.size();
  const term e{make_cast(edges, compute_of(edges.dtype()), where), where};
  const term after{cut(e.x, 0, 1, n - 1, where), where}, front{cut(e.x, 0, 0, n - 1, where), where};
  refuse_if(hist, (!(front <= after)).x, op, raise_falling, where);
  return {hist, edges};
}

any_array bincount(const any_array& x, const bincount_options& o, location where) {
  constexpr std::string_view op = "bincount";
  if (!is_integer(checked(x, op, where).type)) {
    fail<dtype_error>(error_code::bad_dtype, op,
                      std::string(name(x.dtype())) + " is no integer type", where);
  }
  if (x.ndim() != 1) {
    fail<shape_error>(error_code::shape_mismatch, op,
                      "shape " + text_of(x.shape()) + ": one dimension is wanted", where);
  }
  if (o.minlength < 0) refuse(op, "a minlength below 0", where);
  std::int64_t count = o.minlength;
  const any_array values = make_cast(x, dtype::int64, where);
  if (x.size() > 0) {
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
  const any_array sorted = make_cast(sort_values(x, false, false, where), dtype::int64, where);
  const any_array bounds = make_iota(extents{count + 1}, where);
  return steps({places_in(sorted, bounds, false, where), where}).x;
}

}  // namespace sinter::detail

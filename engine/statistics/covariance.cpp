// Covariances: a matrix product of the centred observations.

#include <sinter/joining.hpp>
#include <sinter/linalg.hpp>
#include <sinter/rearrange.hpp>
#include <sinter/statistics.hpp>

#include "engine/nodes/term.hpp"
#include "engine/sorting/search.hpp"

namespace sinter::detail {
namespace {

[[noreturn]] void raise_negative(std::span<const std::int32_t>, const check& c) {
  fail<value_error>(error_code::bad_argument, c.op, "a weight is negative", c.where);
}

/// Variables as rows of observations.
any_array rows_of(const any_array& x, bool rowvar, std::string_view op, location where) {
  if (checked(x, op, where).shape.size() > 2) {
    fail<shape_error>(error_code::shape_mismatch, op,
                      "shape " + text_of(x.extents()) + " has more than two dimensions", where);
  }
  const any_array rows = at_least(x, 2, where);
  return !rowvar && x.ndim() == 2 ? reverse_axes(rows, where) : rows;
}

any_array rows_of_both(const any_array& x, const any_array& y, bool rowvar, std::string_view op,
                       location where) {
  const any_array rows[] = {rows_of(x, rowvar, op, where), rows_of(y, rowvar, op, where)};
  if (rows[0].extents()[1] != rows[1].extents()[1]) {
    fail<shape_error>(error_code::shape_mismatch, op,
                      "shapes " + text_of(x.extents()) + " and " + text_of(y.extents()) +
                          " have different numbers of observations",
                      where);
  }
  return concatenate(rows, 0, op, where);
}

/// One kind of weights as double; an invalid array if not given.
any_array weights_of(const any_array& w, std::int64_t count, std::string_view what,
                     std::string_view op, location where) {
  if (!w.valid()) return {};
  if (is_complex(w.dtype())) {
    fail<dtype_error>(error_code::bad_dtype, op,
                      std::string(name(w.dtype())) + " " + std::string(what) + " have no order",
                      where);
  }
  if (w.ndim() != 1 || w.size() != count) {
    fail<shape_error>(error_code::shape_mismatch, op,
                      std::string(what) + " of shape " + text_of(w.extents()) + " for " +
                          std::to_string(count) + " observations",
                      where);
  }
  return make_cast(w, dtype::float64, where);
}

/// The effects of weights; all empty without them.
struct weighting {
  std::optional<term> each, total, divisor;
};

weighting weigh(const any_array& f, const any_array& a, double correction, location where) {
  if (!f.valid() && !a.valid()) return {};
  const term both =
      f.valid() && a.valid() ? term{f, where} * term{a, where} : term{f.valid() ? f : a, where};
  const term total = reduce_kept(both, ir::op::add, {0});
  term divisor = total - correction;
  if (a.valid() && correction != 0) {
    divisor = total - reduce_kept(both * term{a, where}, ir::op::add, {0}) * correction / total;
  }
  const term zero = number(0, dtype::float64, where);
  return {both, total, apply(ir::op::maximum, {divisor, zero})};
}

/// Attaches to x, which the caller recorded, the check that no weight is negative.
void require_weights(const any_array& x, std::initializer_list<any_array> kinds,
                     std::string_view op, location where) {
  for (const any_array& w : kinds) {
    if (!w.valid() || w.size() == 0) continue;
    const term wrong = term{w, where} < number(0, dtype::float64, where);
    refuse_if(x, wrong.x, op, raise_negative, where);
  }
}

term covariance(const any_array& rows, const covariance_options& o, std::string_view op,
                location where) {
  if (o.fweights.valid() && !is_integer(o.fweights.dtype())) {
    fail<dtype_error>(error_code::bad_dtype, op,
                      std::string(name(o.fweights.dtype())) +
                          " fweights: they count, so they are "
                          "integers",
                      where);
  }
  const std::int64_t count = rows.extents()[1];
  const double correction = o.correction.value_or(o.ddof.value_or(o.bias ? 0 : 1));
  const any_array f = weights_of(o.fweights, count, "fweights", op, where);
  const any_array a = weights_of(o.aweights, count, "aweights", op, where);
  const weighting w = weigh(f, a, correction, where);
  const term t{make_cast(rows, promote(rows.dtype(), dtype::float64), where), where};
  const auto n = static_cast<double>(count);
  const term sum = reduce_kept(w.each ? t * *w.each : t, ir::op::add, {1});
  const term d = t - (w.total ? sum / *w.total : sum / n);
  const any_array other = is_complex(d.type()) ? apply(ir::op::conj, {d}).x : d.x;
  const any_array left = w.each ? (d * *w.each).x : d.x;
  const term sums{matmul(left, reverse_axes(other, where), where), where};
  const term result = w.divisor ? sums / *w.divisor : sums / std::max(n - correction, 0.0);
  require_weights(result.x, {f, a}, op, where);
  return result;
}

any_array covariances(const any_array& rows, const covariance_options& o, location where) {
  const term c = covariance(rows, o, "cov", where);
  return c.x.size() == 1 ? make_reshape(c.x, {}, where) : c.x;
}

/// Clips real numbers to [-1, 1], as rounding may exceed it.
term unit_limited(const term& t) {
  if (is_complex(t.type())) return t;
  return apply(ir::op::clip, {t, number(-1, t.type(), t.where), number(1, t.type(), t.where)});
}

any_array correlations(const any_array& rows, const covariance_options& o, location where) {
  const term c = covariance(rows, o, "corrcoef", where);
  const any_array variances = diagonal(c.x, {}, where);
  const term s = apply(ir::op::sqrt, {apply(ir::op::real, {{variances, where}})});
  const std::int64_t n = c.x.extents()[0];
  const term down{make_reshape(s.x, extents{n, 1}, where), where};
  const term across{make_reshape(s.x, extents{1, n}, where), where};
  const term limited = unit_limited(c / down / across);
  return n == 1 ? make_reshape(limited.x, {}, where) : limited.x;
}

}  // namespace

any_array cov(const any_array& x, const covariance_options& o, location where) {
  return covariances(rows_of(x, o.rowvar, "cov", where), o, where);
}
any_array cov(const any_array& x, const any_array& y, const covariance_options& o, location where) {
  return covariances(rows_of_both(x, y, o.rowvar, "cov", where), o, where);
}

any_array corrcoef(const any_array& x, const covariance_options& o, location where) {
  return correlations(rows_of(x, o.rowvar, "corrcoef", where), o, where);
}
any_array corrcoef(const any_array& x, const any_array& y, const covariance_options& o,
                   location where) {
  return correlations(rows_of_both(x, y, o.rowvar, "corrcoef", where), o, where);
}

}  // namespace sinter::detail

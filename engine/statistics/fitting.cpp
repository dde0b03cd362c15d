#include <algorithm>
#include <complex>

#include <sinter/fitting.hpp>
#include <sinter/grids.hpp>
#include <sinter/linalg.hpp>
#include <sinter/scans.hpp>
#include <sinter/searching.hpp>
#include <sinter/statistics.hpp>

#include "engine/nodes/term.hpp"
#include "engine/shape/join.hpp"

namespace sinter::detail {
namespace {

term doubles(const any_array& x, std::string_view op, location where) {
  checked(x, op, where);
  return {make_cast(x, dtype::float64, where), where};
}

void require_vector(const any_array& x, std::string_view op, std::string_view what,
                    location where) {
  if (x.ndim() == 1) return;
  fail<shape_error>(error_code::shape_mismatch, op,
                    std::string(what) + " of shape " + text_of(x.extents()) + " are no vector",
                    where);
}

term element_at(const term& x, std::int64_t i) {
  return {make_reshape(cut(x.x, 0, i, 1, x.where), extents{}, x.where), x.where};
}

}  // namespace

any_array interp(const any_array& x, const any_array& xp, const any_array& fp,
                 const interp_options& o, location where) {
  const term t = doubles(x, "interp", where), px = doubles(xp, "interp", where),
             py = doubles(fp, "interp", where);
  require_vector(xp, "interp", "points", where);
  require_vector(fp, "interp", "values", where);
  const std::int64_t n = xp.size();
  if (n != fp.size()) {
    fail<shape_error>(error_code::shape_mismatch, "interp",
                      std::to_string(n) + " points and " + std::to_string(fp.size()) + " values",
                      where);
  }
  if (n == 0) fail<value_error>(error_code::bad_argument, "interp", "there are no points", where);
  const auto beyond = [&](const std::optional<double>& given, std::int64_t end) {
    return given ? number(*given, dtype::float64, where) : element_at(py, end);
  };
  const any_array found =
      searchsorted(px.x, t.x, {.side = search_side::right}, where);  // after equal ones
  const auto at = [&](const term& values, int step) {
    const term place{found, where};
    const auto last = static_cast<double>(std::max<std::int64_t>(n - 2, 0));
    const term i = apply(ir::op::clip, {place - 1.0, number(0, dtype::int64, where),
                                        number(last, dtype::int64, where)});
    const term j = n == 1 ? i : i + static_cast<double>(step);
    return term{take(values.x, j.x, {.axis = 0, .mode = index_mode::clip}, where), where};
  };
  const term x0 = at(px, 0), x1 = at(px, 1), y0 = at(py, 0), y1 = at(py, 1);
  const term slope = (y1 - y0) / (x1 - x0);
  const term from_left = slope * (t - x0) + y0, from_right = slope * (t - x1) + y1;
  const term flat = select(y0 == y1, y0, from_right);
  const term tried = select(from_left == from_left, from_left,
                            select(from_right == from_right, from_right, flat));
  const term inside = n == 1 ? y0 : select(t == x0, y0, select(t == x1, y1, tried));
  const term result = select(t < element_at(px, 0), beyond(o.left, 0),
                             select(element_at(px, n - 1) < t, beyond(o.right, n - 1), inside));
  return n == 1 ? result.x : select(t == t, result, t).x;  // NumPy: one point, even at a NaN
}

any_array polyfit(const any_array& x, const any_array& y, std::int64_t degree, location where) {
  const term t = doubles(x, "polyfit", where), values = doubles(y, "polyfit", where);
  require_vector(x, "polyfit", "points", where);
  if (degree < 0 || x.size() == 0) {
    fail<value_error>(error_code::bad_argument, "polyfit",
                      degree < 0 ? "a degree of " + std::to_string(degree) + " is negative"
                                 : "there are no points",
                      where);
  }
  if (y.ndim() < 1 || y.ndim() > 2 || y.extents()[0] != x.size()) {
    fail<shape_error>(error_code::shape_mismatch, "polyfit",
                      "values of shape " + text_of(y.extents()) + " for " +
                          std::to_string(x.size()) + " points",
                      where);
  }
  const term powers{vander(t.x, {.columns = degree + 1}, where), where};
  // Normalised columns keep the least squares well conditioned.
  const term norms = apply(ir::op::sqrt, {reduce_kept(powers * powers, ir::op::add, {0})});
  const double cutoff = static_cast<double>(x.size()) * 0x1p-52;
  const any_array fitted = lstsq((powers / norms).x, values.x, {cutoff}, where).a;
  extents column = {degree + 1};
  if (y.ndim() == 2) column.push_back(1);
  return (term{fitted, where} / term{make_reshape(norms.x, column, where), where}).x;
}

namespace {

/// The row-major companion matrix of a polynomial with nonzero first and last coefficients.
template <class T>
any_array companion(const std::vector<T>& p, location where) {
  const auto n = static_cast<std::int64_t>(p.size()) - 1;
  std::vector<T> a(static_cast<std::size_t>(n * n));
  for (std::int64_t i = 0; i < n; ++i) {
    a[static_cast<std::size_t>(i)] = -p[static_cast<std::size_t>(i) + 1] / p[0];
    if (i > 0) a[static_cast<std::size_t>(i * n + i - 1)] = 1;
  }
  const std::int64_t shape[] = {n, n};
  return from_host(a.data(), dtype_of<T>, shape, where);
}

template <class T>
any_array roots_of(const any_array& p, location where) {
  std::vector<T> c(static_cast<std::size_t>(p.size()));
  read(make_cast(p, dtype_of<T>, where), c.data(), where, "roots");
  const auto is_zero = [](T v) { return v == T(0); };
  const auto first = std::find_if_not(c.begin(), c.end(), is_zero);
  const auto last = std::find_if_not(c.rbegin(), std::make_reverse_iterator(first), is_zero).base();
  const std::vector<std::complex<double>> at_zero(
      first == c.end() ? 0 : static_cast<std::size_t>(c.end() - last));
  const std::int64_t zeros[] = {static_cast<std::int64_t>(at_zero.size())};
  const any_array rest = from_host(at_zero.data(), dtype::complex128, zeros, where);
  const std::vector<T> kept(first, std::max(first, last));
  if (kept.size() < 2) return rest;
  const any_array others = eigvals(companion(kept, where), where);
  return at_zero.empty() ? others : join({others, rest}, 0, "roots", where);
}

}  // namespace

any_array roots(const any_array& p, location where) {
  checked(p, "roots", where);
  require_vector(p, "roots", "coefficients", where);
  return is_complex(p.dtype()) ? roots_of<std::complex<double>>(p, where)
                               : roots_of<double>(p, where);
}

any_array unwrap(const any_array& x, const unwrap_options& o, location where) {
  const dtype type = mean_type(checked(x, "unwrap", where).type);
  const auto axis = static_cast<std::size_t>(normalize_axis(o.axis, x.ndim(), "unwrap", where));
  if (x.extents()[axis] < 2) return make_cast(x, type, where);
  const term t{make_cast(x, compute_of(type), where), where};
  const std::int64_t count = x.extents()[axis];
  const double half = o.period / 2, jump = std::max(half, o.discont.value_or(half));
  const term step = term{cut(t.x, axis, 1, count - 1, where), where} -
                    term{cut(t.x, axis, 0, count - 1, where), where};
  const term period = number(o.period, t.type(), where), zero = number(0, t.type(), where);
  const term low = number(-half, t.type(), where);
  const term reduced = apply(ir::op::remainder, {step + half, period}) - half;
  const term near = select(reduced == low && zero < step, number(half, t.type(), where), reduced);
  const term size = apply(ir::op::abs, {step});
  const term shift = select(size < number(jump, t.type(), where), zero, near - step);
  const any_array first = cut(t.x, axis, 0, 1, where);
  const any_array still = make_broadcast(zero.x, first.extents(), "unwrap", where);
  const any_array shifts = join({still, shift.x}, axis, "unwrap", where);
  const term total{cumsum(shifts, {static_cast<std::int64_t>(axis)}, where), where};
  return rounded(t + total, type);
}

}  // namespace sinter::detail

#include <cmath>
#include <limits>
#include <numbers>

#include <sinter/numerics.hpp>
#include "engine/nodes/term.hpp"
#include "engine/shape/join.hpp"

namespace sinter::detail {
namespace {

term as_float(const any_array& x, std::string_view op, location where) {
  return {make_cast(x, compute_of(inexact_of(checked(x, op, where).type)), where), where};
}

any_array zero(dtype type, location where) {
  return make_scalar({}, type, where);
}

}  // namespace

any_array ediff1d(const any_array& x, location where) {
  checked(x, "ediff1d", where);
  return diff(make_reshape(x, extents{x.size()}, where), {}, where);
}

any_array polyval(const any_array& p, const any_array& x, location where) {
  const dtype type = common_type(p, x, "polyval", where);
  if (p.ndim() != 1) {
    fail<shape_error>(error_code::shape_mismatch, "polyval",
                      "coefficients of shape " + text_of(p.extents()) + " are no vector", where);
  }
  const term t{make_cast(x, compute_of(type), where), where};
  const any_array c = make_cast(p, compute_of(type), where);
  term sum{make_broadcast(zero(t.type(), where), x.extents(), "polyval", where), where};
  for (std::int64_t i = 0; i < p.size(); ++i) {
    sum = sum * t + term{make_reshape(cut(c, 0, i, 1, where), extents{}, where), where};
  }
  return rounded(sum, type);
}

any_array sinc(const any_array& x, location where) {
  const bool whole = is_integer(x.dtype()) || is_bool(x.dtype());  // as_float: of few bits, a float
  const term t = (whole ? term{make_cast(x, dtype::float64, where), where}
                        : as_float(x, "sinc", where)) *
                 std::numbers::pi;
  const term wave = apply(ir::op::sin, {t}) / t;
  return rounded(select(t == 0, number(1, t.type(), where), wave), mean_type(x.dtype()));
}

any_array heaviside(const any_array& x, const any_array& at_zero, location where) {
  const dtype type = inexact_of(common_type(x, at_zero, "heaviside", where));
  const term t{make_cast(x, compute_of(type), where), where};
  const term h{make_cast(at_zero, compute_of(type), where), where};
  const term zeros = number(0, t.type(), where), ones = number(1, t.type(), where);
  const term step = select(t < zeros, zeros, select(zeros < t, ones, t));
  return rounded(select(t == 0, h, step), type);
}

any_array logaddexp2(const any_array& a, const any_array& b, location where) {
  const dtype type = inexact_of(common_type(a, b, "logaddexp2", where));
  const term x{make_cast(a, compute_of(type), where), where};
  const term y{make_cast(b, compute_of(type), where), where};
  const term larger = apply(ir::op::maximum, {x, y});
  const term ratio =
      apply(ir::op::exp2, {number(0, x.type(), where) - apply(ir::op::abs, {x - y})});
  const term rest = apply(ir::op::log1p, {ratio}) / std::numbers::ln2;
  // Equal operands may be infinite, with a difference of NaN.
  return rounded(select(x == y, x + 1, larger + rest), type);
}

any_array is_infinity(const any_array& x, bool positive, location where) {
  const term t = as_float(x, "isinf", where);
  const double infinity = std::numeric_limits<double>::infinity();
  return (t == (positive ? infinity : -infinity)).x;
}

any_array select(const std::vector<array<bool>>& conditions, std::span<const any_array> choices,
                 const any_array& otherwise, location where) {
  if (conditions.size() != choices.size()) {
    fail<value_error>(error_code::bad_argument, "select",
                      std::to_string(choices.size()) + " choices for " +
                          std::to_string(conditions.size()) + " conditions",
                      where);
  }
  const dtype type = checked(otherwise, "select", where).type;
  any_array result = otherwise;
  for (std::size_t i = conditions.size(); i-- > 0;) {
    checked(conditions[i], "select", where);
    checked(choices[i], "select", where);
    result = detail::choose(conditions[i], make_cast(choices[i], type, where), result, where);
  }
  return result;
}

any_array choose(const any_array& index, std::span<const any_array> choices, dtype type,
                 location where) {
  if (choices.empty()) {
    fail<value_error>(error_code::bad_argument, "choose", "no choices", where);
  }
  const term i = as_term(index, "choose", where);
  any_array result = make_cast(choices.back(), type, where);
  for (std::size_t c = choices.size() - 1; c-- > 0;) {
    const term here = i <= number(static_cast<double>(c), i.type(), where);
    result = detail::choose(here.x, choices[c], result, where);
  }
  return result;
}

any_array make_window(window kind, dtype type, std::int64_t count, location where) {
  if (count < 0) {
    fail<value_error>(error_code::bad_argument, "window",
                      "a count of " + std::to_string(count) + " is negative", where);
  }
  const std::int64_t shape[] = {count};
  if (count == 1) return make_broadcast(number(1, type, where).x, shape, "window", where);
  const term n{make_cast(make_iota(shape, where), dtype::float64, where), where};
  const auto last = static_cast<double>(count - 1);
  const term angle = n * (2 * std::numbers::pi) / last;
  const auto wave = [&](double factor) { return apply(ir::op::cos, {angle * factor}); };
  switch (kind) {
    case window::bartlett:
      return rounded(1.0 - apply(ir::op::abs, {n * 2 / last - 1}), type);
    case window::hamming:
      return rounded(0.54 - wave(1) * 0.46, type);
    case window::hanning:
      return rounded(0.5 - wave(1) * 0.5, type);
    case window::blackman:
      break;
  }
  return rounded(0.42 - (wave(1) * 0.5 - wave(2) * 0.08), type);
}

any_array piecewise(const any_array& x, std::span<const any_array> conditions,
                    std::span<const any_array> pieces, location where) {
  const std::size_t n = conditions.size();
  if (pieces.size() != n && pieces.size() != n + 1) {
    fail<value_error>(error_code::bad_argument, "piecewise",
                      std::to_string(pieces.size()) + " pieces for " + std::to_string(n) +
                          " conditions: as many are wanted, or one more",
                      where);
  }
  any_array y = make_broadcast(zero(x.dtype(), where), x.extents(), "piecewise", where);
  if (pieces.size() > n) y = pieces[n];
  for (std::size_t i = 0; i < n; ++i) {
    const any_array here = make_broadcast(conditions[i], x.extents(), "piecewise", where);
    y = choose(here, make_broadcast(pieces[i], x.extents(), "piecewise", where), y, where);
  }
  return y;
}

}  // namespace sinter::detail

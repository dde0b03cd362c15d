#include <limits>

#include <sinter/closeness.hpp>

#include "engine/nodes/term.hpp"

namespace sinter::detail {
namespace {

/// Both operands in the type of their difference.
std::pair<term, term> aligned(const any_array& a, const any_array& b, std::string_view op,
                              location where) {
  const dtype type = common_type(a, b, op, where);
  const any_array both[] = {a, b};
  const auto shape = broadcast_shape(both, op, where);
  const auto fitted = [&](const any_array& x) {
    return term{make_broadcast(make_cast(x, compute_of(type), where), shape, op, where), where};
  };
  return {fitted(a), fitted(b)};
}

term is_nan(const term& t) {
  return apply(ir::op::isnan, {t});
}

term close(const any_array& a, const any_array& b, const close_options& o, std::string_view op,
           location where) {
  auto [x, y] = aligned(a, b, op, where);
  if (!is_inexact(x.type())) {
    x = {make_cast(x.x, dtype::float64, where), where};
    y = {make_cast(y.x, dtype::float64, where), where};
  }
  const term size = apply(ir::op::abs, {y});
  const term allowed = size * o.rtol + o.atol;
  const term near = apply(ir::op::abs, {x - y}) <= allowed && apply(ir::op::isfinite, {y});
  const term result = near || x == y;
  return o.equal_nan ? result || (is_nan(x) && is_nan(y)) : result;
}

any_array all_of(const term& t) {
  const auto axes = reduced_axes(t.x, {}, "all", t.where);
  return without_axes(reduce_kept(t, ir::op::logical_and, axes).x, axes, false, t.where);
}

any_array truth(bool value, location where) {
  return number(value ? 1 : 0, dtype::bool_, where).x;
}

double largest_finite(dtype type) {
  switch (type) {
    case dtype::float16:
      return 65504;
    case dtype::bfloat16:
      return 0x1.fep127;
    case dtype::float32:
      return std::numeric_limits<float>::max();
    default:
      return std::numeric_limits<double>::max();
  }
}

term tidied(const term& part, const nan_options& o, double largest) {
  const auto value = [&](double v) { return number(v, part.type(), part.where); };
  const double infinity = std::numeric_limits<double>::infinity();
  const term finite = select(part == infinity, value(o.posinf.value_or(largest)),
                             select(part == -infinity, value(o.neginf.value_or(-largest)), part));
  return select(is_nan(part), value(o.nan), finite);
}

}  // namespace

any_array isclose(const any_array& a, const any_array& b, const close_options& o, location where) {
  return close(a, b, o, "isclose", where).x;
}

any_array allclose(const any_array& a, const any_array& b, const close_options& o, location where) {
  return all_of(close(a, b, o, "allclose", where));
}

any_array array_equal(const any_array& a, const any_array& b, const equal_options& o,
                      location where) {
  checked(a, "array_equal", where);
  checked(b, "array_equal", where);
  if (!std::ranges::equal(a.extents(), b.extents())) return truth(false, where);
  const auto [x, y] = aligned(a, b, "array_equal", where);
  const term same = x == y;
  return all_of(o.equal_nan ? same || (is_nan(x) && is_nan(y)) : same);
}

any_array array_equiv(const any_array& a, const any_array& b, location where) {
  checked(a, "array_equiv", where);
  checked(b, "array_equiv", where);
  try {
    const auto [x, y] = aligned(a, b, "array_equiv", where);
    return all_of(x == y);
  } catch (const shape_error&) {
    return truth(false, where);
  }
}

any_array nan_to_num(const any_array& x, const nan_options& o, location where) {
  const dtype type = checked(x, "nan_to_num", where).type;
  if (!is_inexact(type)) return x;
  const term t = as_term(x, "nan_to_num", where);
  const double largest = largest_finite(real_of(type));
  if (!is_complex(type)) return rounded(tidied(t, o, largest), type);
  const term re = tidied(apply(ir::op::real, {t}), o, largest);
  const term im = tidied(apply(ir::op::imag, {t}), o, largest);
  return make_complex(re.x, im.x, where);
}

any_array isreal(const any_array& x, location where) {
  const term t = as_term(x, "isreal", where);
  return (apply(ir::op::imag, {t}) == 0).x;
}

any_array iscomplex(const any_array& x, location where) {
  const term t = as_term(x, "iscomplex", where);
  return (!(apply(ir::op::imag, {t}) == 0)).x;
}

}  // namespace sinter::detail

#include <cmath>

#include <sinter/joining.hpp>
#include <sinter/statistics.hpp>

#include "engine/nodes/term.hpp"
#include "engine/statistics/weighted.hpp"

namespace sinter::detail {
namespace {

/// x in the compute type of its mean.
term as_mean(const any_array& x, std::string_view op, location where) {
  return {make_cast(x, compute_of(mean_type(checked(x, op, where).type)), where), where};
}

[[noreturn]] void refuse_dtype(std::string_view op, const any_array& x, const std::string& why,
                               location where) {
  fail<dtype_error>(error_code::bad_dtype, op, std::string(name(x.dtype())) + " " + why, where);
}

void require_order(std::string_view op, const any_array& x, location where) {
  if (is_complex(checked(x, op, where).type)) refuse_dtype(op, x, "numbers have no order", where);
}

void require_elements(std::string_view op, const any_array& x, const std::vector<int>& axes,
                      location where) {
  if (count_along(x, axes) > 0 || product_of(x.extents()) > 0) return;
  extents kept = extents_of(x);
  for (int a : axes) kept[static_cast<std::size_t>(a)] = 1;
  if (product_of(kept) == 0) return;
  fail<value_error>(error_code::empty_reduction, op,
                    "shape " + text_of(x.extents()) +
                        " has no elements to reduce, and there is no value that stands for none",
                    where);
}

/// The maximum, or 0 if it is infinite or NaN: subtracted before exp.
term safe_maximum(const term& t, const std::vector<int>& axes) {
  const term m = reduce_kept(t, ir::op::maximum, axes);
  return select(apply(ir::op::isfinite, {m}), m, number(0, m.type(), m.where));
}

term exponential_sum(const term& t, const std::vector<int>& axes) {
  return reduce_kept(apply(ir::op::exp, {t}), ir::op::add, axes);
}

/// |x|^2, real.
term squared_modulus(const term& t) {
  if (!is_complex(t.type())) return apply(ir::op::square, {t});
  return apply(ir::op::square, {apply(ir::op::real, {t})}) +
         apply(ir::op::square, {apply(ir::op::imag, {t})});
}

term power_norm(const term& t, double ord, const std::vector<int>& axes) {
  if (ord == 2) return apply(ir::op::sqrt, {reduce_kept(squared_modulus(t), ir::op::add, axes)});
  const term size = apply(ir::op::abs, {t});
  const dtype type = size.type();
  if (ord == 0) {
    const any_array mask = make_cast(t.x, dtype::bool_, t.where);
    return reduce_kept({make_cast(mask, type, t.where), t.where}, ir::op::add, axes);
  }
  if (ord == 1) return reduce_kept(size, ir::op::add, axes);
  if (std::isinf(ord)) {
    return reduce_kept(size, ord > 0 ? ir::op::maximum : ir::op::minimum, axes);
  }
  const term sum =
      reduce_kept(apply(ir::op::pow, {size, number(ord, type, t.where)}), ir::op::add, axes);
  return apply(ir::op::pow, {sum, number(1 / ord, type, t.where)});
}

/// The elements along an axis, without the first and without the last.
std::pair<term, term> neighbours(const term& t, std::size_t axis) {
  const std::int64_t count = std::max<std::int64_t>(t.x.extents()[axis] - 1, 0);
  const std::int64_t first = t.x.extents()[axis] > 0 ? 1 : 0;
  return {{cut(t.x, axis, first, count, t.where), t.where},
          {cut(t.x, axis, 0, count, t.where), t.where}};
}

any_array integrated(const term& y, const any_array& steps, double dx, std::size_t axis,
                     dtype type) {
  const auto [after, before] = neighbours(y, axis);
  const term sum = after + before;
  const term areas = (steps.valid() ? term{steps, y.where} * sum : sum * dx) / 2;
  const std::vector<int> axes = {static_cast<int>(axis)};
  return without_axes(rounded(reduce_kept(areas, ir::op::add, axes), type), axes, false, y.where);
}

}  // namespace

any_array ptp(const any_array& x, const reduction_options& o, location where) {
  require_order("ptp", x, where);
  if (is_bool(x.dtype())) refuse_dtype("ptp", x, "has no difference: use != or ^", where);
  const auto axes = folded_axes(x, o.axis, "ptp", where);
  require_elements("ptp", x, axes, where);
  const term t = as_term(x, "ptp", where);
  const term range = reduce_kept(t, ir::op::maximum, axes) - reduce_kept(t, ir::op::minimum, axes);
  return without_axes(rounded(range, x.dtype()), axes, o.keepdims, where);
}

std::pair<any_array, any_array> average_returned(const any_array& x, const any_array& weights,
                                                 const average_options& o, location where) {
  const dtype type =
      average_type(checked(x, "average", where).type, checked(weights, "average", where).type);
  const auto axes = reduced_axes(x, o.axis, "average", where);
  const any_array fitted = fitted_weights(x, weights, o.axis, "average", where);
  const term t{make_cast(x, compute_of(type), where), where};
  const any_array spread = make_broadcast(fitted, x.extents(), "average", where);
  const term w{make_cast(spread, compute_of(type), where), where};
  const term sum = reduce_kept(w, ir::op::add, axes);
  const term mean = reduce_kept(t * w, ir::op::add, axes) / sum;
  return {without_axes(rounded(mean, type), axes, o.keepdims, where),
          without_axes(rounded(sum, type), axes, o.keepdims, where)};
}

any_array average(const any_array& x, const any_array& weights, const average_options& o,
                  location where) {
  return average_returned(x, weights, o, where).first;
}

any_array logsumexp(const any_array& x, const reduction_options& o, location where) {
  require_order("logsumexp", x, where);
  const auto axes = reduced_axes(x, o.axis, "logsumexp", where);
  const term t = as_mean(x, "logsumexp", where), m = safe_maximum(t, axes);
  const term result = apply(ir::op::log, {exponential_sum(t - m, axes)}) + m;
  return without_axes(rounded(result, mean_type(x.dtype())), axes, o.keepdims, where);
}

any_array softmax(const any_array& x, const axes_options& o, location where) {
  require_order("softmax", x, where);
  const auto axes = reduced_axes(x, o.axis, "softmax", where);
  const term t = as_mean(x, "softmax", where);
  const term e = apply(ir::op::exp, {t - reduce_kept(t, ir::op::maximum, axes)});
  return rounded(e / reduce_kept(e, ir::op::add, axes), mean_type(x.dtype()));
}

any_array log_softmax(const any_array& x, const axes_options& o, location where) {
  require_order("log_softmax", x, where);
  const auto axes = reduced_axes(x, o.axis, "log_softmax", where);
  const term t = as_mean(x, "log_softmax", where), shifted = t - safe_maximum(t, axes);
  const term result = shifted - apply(ir::op::log, {exponential_sum(shifted, axes)});
  return rounded(result, mean_type(x.dtype()));
}

any_array norm_along(const any_array& x, const norm_options& o, location where) {
  const auto axes = reduced_axes(x, o.axis, "norm", where);
  if (std::isinf(o.ord)) require_elements("norm", x, axes, where);
  const term t = as_mean(x, "norm", where);
  const term result =
      axes.empty() && o.ord != 0 ? apply(ir::op::abs, {t}) : power_norm(t, o.ord, axes);
  return without_axes(rounded(result, variance_type(x.dtype())), axes, o.keepdims, where);
}

namespace {

/// x with the values to prepend and append.
any_array continued(const any_array& x, const diff_options& o, std::size_t axis, location where) {
  std::vector<any_array> pieces;
  const auto add = [&](const end_value& given, std::string_view what) {
    const any_array& end = given.x;
    if (!end.valid()) return;
    const dtype as = x.dtype();
    const bool fits = given.number && (is_inexact(as) || is_integer(end.dtype()));
    const bool complex = is_complex(end.dtype()) && !is_complex(as);
    if (complex || (!fits && promote(end.dtype(), as) != as)) {
      refuse_dtype("diff", end, "in " + std::string(what) + " for " + std::string(name(x.dtype())),
                   where);
    }
    extents shape = extents_of(x);
    shape[axis] = 1;
    const any_array fitted = end.ndim() == 0 ? make_broadcast(end, shape, "diff", where) : end;
    pieces.push_back(make_cast(fitted, x.dtype(), where));
  };
  add(o.prepend, "prepend");
  pieces.push_back(x);
  add(o.append, "append");
  return pieces.size() == 1 ? x : concatenate(pieces, static_cast<int>(axis), "diff", where);
}

}  // namespace

any_array diff(const any_array& given, const diff_options& o, location where) {
  checked(given, "diff", where);
  const auto axis = static_cast<std::size_t>(normalize_axis(o.axis, given.ndim(), "diff", where));
  const any_array x = continued(given, o, axis, where);
  if (o.n < 0) {
    fail<value_error>(error_code::bad_argument, "diff",
                      "a count of " + std::to_string(o.n) + " is negative", where);
  }
  term t = as_term(x, "diff", where);
  const ir::op code = is_bool(x.dtype()) ? ir::op::not_equal : ir::op::subtract;
  for (std::int64_t i = std::min(o.n, x.extents()[axis]); i > 0; --i) {
    const auto [after, before] = neighbours(t, axis);
    t = apply(code, {after, before});
  }
  return rounded(t, x.dtype());
}

any_array trapezoid(const any_array& y, const trapezoid_options& o, location where) {
  const term t = as_mean(y, "trapezoid", where);
  const int axis = normalize_axis(o.axis, y.ndim(), "trapezoid", where);
  return integrated(t, {}, o.dx, static_cast<std::size_t>(axis), mean_type(y.dtype()));
}

any_array trapezoid(const any_array& y, const any_array& x, const trapezoid_options& o,
                    location where) {
  const dtype type = mean_type(common_type(y, x, "trapezoid", where));
  const auto axis = static_cast<std::size_t>(normalize_axis(o.axis, y.ndim(), "trapezoid", where));
  const term t{make_cast(y, compute_of(type), where), where};
  any_array places = make_cast(x, compute_of(type), where);
  std::size_t place_axis = axis;
  if (x.ndim() == 1 && y.ndim() > 1) {
    extents shape(y.extents().size(), 1);
    shape[axis] = x.extents()[0];
    places = make_reshape(places, shape, where);
  } else {
    place_axis = static_cast<std::size_t>(normalize_axis(o.axis, x.ndim(), "trapezoid", where));
  }
  const auto [after, before] = neighbours({places, where}, place_axis);
  return integrated(t, (after - before).x, 1, axis, type);
}

}  // namespace sinter::detail

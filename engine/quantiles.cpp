#include <array>
#include <cmath>
#include <limits>

#include <sinter/quantiles.hpp>

#include "engine/search.hpp"
#include "engine/sort_keys.hpp"
#include "engine/sorted.hpp"

namespace sinter::detail {
namespace {

/// Where a quantile is among the sorted elements: at `place` and the one behind it, `weight` of the
/// way between them.
struct virtual_place {
  term place, weight;
};

term floor(const term& t) {
  return apply(ir::op::floor, {t});
}
term constant(double v, const term& like) {
  return number(v, dtype::float64, like.where);
}

/// Between the steps of the distribution function, moved by alpha and beta.
virtual_place between(const term& n, const term& q, double alpha, double beta) {
  const term place = n * q + (q * (1 - alpha - beta) + alpha) - 1;
  return {place, place - floor(place)};
}
/// A place itself, or the one behind it.
virtual_place at(const term& place) {
  return {place, constant(0, place)};
}
virtual_place averaged(const term& n, const term& q) {
  const term place = n * q - 1, rest = place - floor(place);
  return {floor(place), select(rest == 0, constant(0.5, n), constant(1, n))};
}
virtual_place inverted(const term& n, const term& q) {
  return at(apply(ir::op::ceil, {n * q - 1}));
}
virtual_place closest(const term& n, const term& q) {
  const term place = n * q - 1.5, previous = floor(place);
  const term even = previous - floor(previous / 2) * 2 == 0;
  return at(select(place == previous && even, previous, previous + 1));
}
virtual_place linear(const term& n, const term& q) {
  const term place = (n - 1) * q;
  return {place, place - floor(place)};
}
virtual_place lower(const term& n, const term& q) {
  return at(floor((n - 1) * q));
}
virtual_place higher(const term& n, const term& q) {
  return at(apply(ir::op::ceil, {(n - 1) * q}));
}
virtual_place midpoint(const term& n, const term& q) {
  const term place = (n - 1) * q, low = floor(place);
  return {low, select(place == low, constant(0, n), constant(0.5, n))};
}
virtual_place nearest(const term& n, const term& q) {
  return at(apply(ir::op::round, {(n - 1) * q}));
}

using method_function = virtual_place (*)(const term& n, const term& q);

constexpr std::array<method_function, 13> methods = {
    inverted,
    averaged,
    closest,
    [](const term& n, const term& q) { return between(n, q, 0, 1); },
    [](const term& n, const term& q) { return between(n, q, 0.5, 0.5); },
    [](const term& n, const term& q) { return between(n, q, 0, 0); },
    linear,
    [](const term& n, const term& q) { return between(n, q, 1 / 3.0, 1 / 3.0); },
    [](const term& n, const term& q) { return between(n, q, 3 / 8.0, 3 / 8.0); },
    lower,
    higher,
    midpoint,
    nearest,
};

/// The reduced axes of x as one, the last; sorted along it.
struct sorted_rows {
  any_array x;            // (rows..., n)
  std::vector<int> axes;  // those that were reduced
  extents kept;           // the shape of x with them as 1
  location where;

  extents rows() const {
    extents s = extents_of(x);
    s.pop_back();
    return s;
  }
};

/// The rows as they are.
sorted_rows rows_of(const any_array& x, const axis_list& axis, std::string_view op,
                    location where) {
  if (is_complex(checked(x, op, where).type)) {
    fail<dtype_error>(error_code::bad_dtype, op,
                      std::string(name(x.dtype())) + " numbers have no order", where);
  }
  sorted_rows r{{}, reduced_axes(x, axis, op, where), extents_of(x), where};
  extents from, to, shape;
  for (std::size_t i = 0; i < r.axes.size(); ++i) {
    from.push_back(r.axes[i]);
    to.push_back(x.ndim() - static_cast<int>(r.axes.size()) + static_cast<int>(i));
    r.kept[static_cast<std::size_t>(r.axes[i])] = 1;
  }
  for (int d = 0; d < x.ndim(); ++d) {
    if (std::ranges::find(r.axes, d) == r.axes.end())
      shape.push_back(x.shape()[static_cast<std::size_t>(d)]);
  }
  shape.push_back(count_along(x, r.axes));
  r.x = make_reshape(move_axes(x, from, to, where), shape, where);
  return r;
}

sorted_rows sort_along(const any_array& x, const axis_list& axis, std::string_view op,
                       location where) {
  sorted_rows r = rows_of(x, axis, op, where);
  r.x = sort_values(r.x, false, false, where);
  return r;
}

/// The numbers of elements of the rows that count, (rows..., 1) or rank 0, as double.
term count_of(const sorted_rows& r, bool skip_nan) {
  const extents shape = extents_of(r.x);
  if (!skip_nan || !is_real(r.x.dtype())) {
    return number(static_cast<double>(shape.back()), dtype::float64, r.where);
  }
  const term t{make_cast(r.x, compute_of(r.x.dtype()), r.where), r.where};
  const term there = !apply(ir::op::isnan, {t});
  const term ones{make_cast(there.x, dtype::int64, r.where), r.where};
  const term sum = reduce_kept(ones, ir::op::add, {static_cast<int>(shape.size()) - 1});
  return {make_cast(sum.x, dtype::float64, r.where), r.where};
}

/// Elements of the rows at `place`, held inside of them, as double.
term element_at(const sorted_rows& r, const term& place, const term& n, const extents& shape) {
  const term zero = constant(0, n);
  const term last = apply(ir::op::maximum, {n - 1, zero});
  const term inside = apply(ir::op::clip, {place, zero, last});
  const any_array index = make_cast(inside.x, dtype::int64, r.where);
  const any_array whole = make_broadcast(index, shape, "quantile", r.where);
  return {make_cast(pick_rows(r.x, whole, r.where), dtype::float64, r.where), r.where};
}

/// NaN is last in order: one of them makes the row NaN.
term spoiled(const sorted_rows& r, const term& value, const extents& shape) {
  if (!is_real(r.x.dtype())) return value;
  const std::size_t axis = shape.size() - 1;
  const any_array last = cut(r.x, axis, r.x.shape()[axis] - 1, 1, r.where);
  const term worst{make_cast(last, compute_of(last.dtype()), r.where), r.where};
  const term nan = number(std::numeric_limits<double>::quiet_NaN(), dtype::float64, r.where);
  return select(apply(ir::op::isnan, {worst}), nan, value);
}

/// (rows..., number of quantiles), double.
term interpolated(const sorted_rows& r, const virtual_place& v, const term& n,
                  const extents& shape) {
  const term low = element_at(r, floor(v.place), n, shape);
  const term high = element_at(r, floor(v.place) + 1, n, shape);
  const term step = high - low;
  const term weight{make_broadcast(v.weight.x, shape, "quantile", r.where), r.where};
  const term up = low + step * weight, down = high - step * (1 - weight);
  const term half = constant(0.5, n);
  // Equal ends may be infinite, and their difference NaN.
  return select(low == high || weight == 0, low, select(half <= weight, down, up));
}

any_array finished(const sorted_rows& r, const any_array& x, const term& value,
                   const extents& leading, bool keepdims) {
  const std::int64_t from[] = {-1}, to[] = {0};
  const any_array first = move_axes(value.x, from, to, r.where);
  extents shape = leading;
  const extents rest = keepdims ? r.kept : r.rows();
  shape.insert(shape.end(), rest.begin(), rest.end());
  return make_cast(make_reshape(first, shape, r.where), mean_type(x.dtype()), r.where);
}

any_array quantiles_of(const any_array& x, const any_array& q, const extents& leading,
                       const quantile_options& o, bool skip_nan, std::string_view op,
                       location where) {
  const sorted_rows r = sort_along(x, o.axis, op, where);
  extents shape = r.rows();
  shape.push_back(q.size());
  if (r.x.shape().back() == 0) {
    const term nan = number(std::numeric_limits<double>::quiet_NaN(), dtype::float64, where);
    return finished(r, x, {make_broadcast(nan.x, shape, op, where), where}, leading, o.keepdims);
  }
  const term n = count_of(r, skip_nan);
  const virtual_place v = methods[static_cast<std::size_t>(o.method)](n, {q, where});
  const term value = interpolated(r, v, n, shape);
  return finished(r, x, skip_nan ? value : spoiled(r, value, shape), leading, o.keepdims);
}

[[noreturn]] void raise_quantile(std::span<const std::int32_t>, const check& c) {
  fail<value_error>(error_code::bad_argument, c.op,
                    "a q is not between 0 and " + std::to_string(c.size), c.where);
}

/// The elements in the middle of rows (below, above) and the last one, the last axis being 1.
struct middle {
  any_array low, high, last;
};

/// They are known by their places, so nothing but them has to be in order.
middle middle_of(const sorted_rows& r) {
  const any_array keys = middle_of_rows(sort_key(r.x, false, zero_signs::apart, r.where), r.where);
  const std::size_t axis = r.x.shape().size() - 1;
  const std::int64_t n = r.x.shape()[axis];
  const auto at = [&](std::int64_t place) {
    return from_sort_key(cut(keys, axis, place, 1, r.where), r.x.dtype(), false, r.where);
  };
  return {at((n - 1) / 2), at(n / 2), at(n - 1)};
}

any_array medians(const any_array& x, const reduction_options& o, std::string_view op,
                  location where) {
  const sorted_rows r = rows_of(x, o.axis, op, where);
  extents shape = r.rows();
  shape.push_back(1);
  const term nan = number(std::numeric_limits<double>::quiet_NaN(), dtype::float64, where);
  if (r.x.shape().back() == 0) {
    return finished(r, x, {make_broadcast(nan.x, shape, op, where), where}, {}, o.keepdims);
  }
  const middle m = middle_of(r);
  const term low{make_cast(m.low, dtype::float64, where), where};
  const term high{make_cast(m.high, dtype::float64, where), where};
  const term value = select(low == high, low, (low + high) / 2);
  if (!is_real(x.dtype())) return finished(r, x, value, {}, o.keepdims);
  const term worst{make_cast(m.last, compute_of(m.last.dtype()), where), where};
  const term result = select(apply(ir::op::isnan, {worst}), nan, value);
  return finished(r, x, result, {}, o.keepdims);
}

any_array nan_medians(const any_array& x, const reduction_options& o, std::string_view op,
                      location where) {
  const sorted_rows r = sort_along(x, o.axis, op, where);
  extents shape = r.rows();
  shape.push_back(1);
  if (r.x.shape().back() == 0) {
    const term nan = number(std::numeric_limits<double>::quiet_NaN(), dtype::float64, where);
    return finished(r, x, {make_broadcast(nan.x, shape, op, where), where}, {}, o.keepdims);
  }
  const term n = count_of(r, true);
  const term low = element_at(r, floor((n - 1) / 2), n, shape);
  const term high = element_at(r, floor(n / 2), n, shape);
  const term value = select(low == high, low, (low + high) / 2);
  return finished(r, x, value, {}, o.keepdims);
}

}  // namespace

any_array median(const any_array& x, const reduction_options& o, location where) {
  return medians(x, o, "median", where);
}

any_array nanmedian(const any_array& x, const reduction_options& o, location where) {
  return nan_medians(x, o, "nanmedian", where);
}

any_array quantiles(const any_array& x, const std::vector<double>& q, bool single,
                    const quantile_options& o, double scale, bool skip_nan, std::string_view op,
                    location where) {
  for (double one : q) {
    if (one >= 0 && one <= scale) continue;
    fail<value_error>(error_code::bad_argument, op,
                      "q " + std::to_string(one) + " is not between 0 and " +
                          std::to_string(static_cast<int>(scale)),
                      where);
  }
  const auto count = static_cast<std::int64_t>(q.size());
  std::vector<double> parts(q);
  for (double& p : parts) p /= scale;
  const any_array list = from_host(parts.data(), dtype::float64, extents{count}, where);
  return quantiles_of(x, list, single ? extents{} : extents{count}, o, skip_nan, op, where);
}

any_array quantiles(const any_array& x, const any_array& q, const quantile_options& o, double scale,
                    bool skip_nan, std::string_view op, location where) {
  checked(q, op, where);
  const term parts = term{make_cast(flattened(q, where), dtype::float64, where), where} / scale;
  const any_array result = quantiles_of(x, parts.x, extents_of(q), o, skip_nan, op, where);
  const term zero = number(0, dtype::float64, where), one = number(1, dtype::float64, where);
  const term wrong = !(zero <= parts && parts <= one);
  const any_array status = q.size() ? wrong.x : make_scalar({}, dtype::bool_, where);
  refuse_if(result, status, op, raise_quantile, where, static_cast<std::int64_t>(scale));
  return result;
}

}  // namespace sinter::detail

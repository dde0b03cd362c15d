#include <array>
#include <cmath>
#include <limits>

#include <sinter/quantiles.hpp>

#include "engine/shape/join.hpp"
#include "engine/sorting/search.hpp"
#include "engine/sorting/sort_keys.hpp"
#include "engine/sorting/sorted.hpp"
#include "engine/statistics/weighted.hpp"

namespace sinter::detail {
namespace {

/// The position of a quantile among the sorted elements: `weight` of the way from `place` to the
/// next.
struct virtual_place {
  term place, weight;
};

term floor(const term& t) {
  return apply(ir::op::floor, {t});
}
term constant(double v, const term& like) {
  return number(v, dtype::float64, like.where);
}

/// Interpolates between the steps of the distribution function, shifted by alpha and beta.
virtual_place between(const term& n, const term& q, double alpha, double beta) {
  const term place = n * q + (q * (1 - alpha - beta) + alpha) - 1;
  return {place, place - floor(place)};
}
/// Exactly at a place.
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
  // Between two places, takes the one that is even counted from 1, hence odd here.
  const term odd = previous - floor(previous / 2) * 2 == 1;
  return at(select(place == previous && odd, previous, previous + 1));
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

/// x with its reduced axes merged into the last.
struct rows_to_reduce {
  any_array x;            // (rows..., n)
  std::vector<int> axes;  // the reduced axes
  extents kept;           // the shape of x with these axes as 1
  location where;

  extents rows() const {
    extents s = extents_of(x);
    s.pop_back();
    return s;
  }
  std::int64_t length() const { return x.extents().back(); }
};

rows_to_reduce rows_of(const any_array& x, const axis_list& axis, std::string_view op,
                    location where) {
  if (is_complex(checked(x, op, where).type)) {
    fail<dtype_error>(error_code::bad_dtype, op,
                      std::string(name(x.dtype())) + " numbers have no order", where);
  }
  rows_to_reduce r{{}, reduced_axes(x, axis, op, where), extents_of(x), where};
  extents from, to, shape;
  for (std::size_t i = 0; i < r.axes.size(); ++i) {
    from.push_back(r.axes[i]);
    to.push_back(x.ndim() - static_cast<int>(r.axes.size()) + static_cast<int>(i));
    r.kept[static_cast<std::size_t>(r.axes[i])] = 1;
  }
  for (int d = 0; d < x.ndim(); ++d) {
    if (std::ranges::find(r.axes, d) == r.axes.end())
      shape.push_back(x.extents()[static_cast<std::size_t>(d)]);
  }
  shape.push_back(count_along(x, r.axes));
  r.x = make_reshape(move_axes(x, from, to, where), shape, where);
  return r;
}

/// The number of elements per row that count, (rows..., 1) or rank 0, as double.
term count_of(const rows_to_reduce& r, bool skip_nan) {
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

/// Elements of sorted rows, as double, and whether a row has none that counts.
struct picked {
  term low, high;  // (rows..., m)
  any_array last;  // (rows..., 1): NaN if the row has one, as NaNs sort last
};

/// The elements at places `low` and `high` of the sorted rows, clipped to the row. Keys are
/// selected by place, so only these need to be in order.
picked pick(const rows_to_reduce& r, const term& low, const term& high, const term& n,
            std::int64_t m, std::string_view op) {
  extents shape = r.rows();
  shape.push_back(m);
  const term first = constant(0, n), end = apply(ir::op::maximum, {n - 1, first});
  const auto inside = [&](const term& place) {
    const term held = apply(ir::op::clip, {place, first, end});
    return make_broadcast(make_cast(held.x, dtype::int64, r.where), shape, op, r.where);
  };
  const std::size_t axis = shape.size() - 1;
  extents one = shape;
  one.back() = 1;
  const any_array last =
      make_scalar({{static_cast<std::uint64_t>(r.length() - 1), 0}}, dtype::int64, r.where);
  const any_array end_of_row = make_broadcast(last, one, op, r.where);
  const any_array places = join({inside(low), inside(high), end_of_row}, axis, op, r.where);
  const any_array keys = select_rows(sort_key(r.x, false, zero_signs::apart, r.where), places,
                                     r.where);
  const any_array found = from_sort_key(keys, r.x.dtype(), false, r.where);
  const auto part = [&](std::int64_t from) -> term {
    return {make_cast(cut(found, axis, from, m, r.where), dtype::float64, r.where), r.where};
  };
  return {part(0), part(m), cut(found, axis, 2 * m, 1, r.where)};
}

/// A NaN in a row makes its result NaN.
term spoiled(const picked& p, const term& value) {
  if (!is_real(p.last.dtype())) return value;
  const term worst{make_cast(p.last, compute_of(p.last.dtype()), value.where), value.where};
  const term nan = number(std::numeric_limits<double>::quiet_NaN(), dtype::float64, value.where);
  return select(apply(ir::op::isnan, {worst}), nan, value);
}

/// (rows..., number of quantiles), double.
term interpolated(const picked& p, const term& given, const extents& shape) {
  const term step = p.high - p.low;
  const term weight{make_broadcast(given.x, shape, "quantile", given.where), given.where};
  const term up = p.low + step * weight, down = p.high - step * (1 - weight);
  const term half = constant(0.5, given);
  // Equal ends may be infinite, with a difference of NaN.
  return select(p.low == p.high || weight == 0, p.low, select(half <= weight, down, up));
}

any_array finished(const rows_to_reduce& r, const any_array& x, const term& value,
                   const extents& leading, bool keepdims) {
  const std::int64_t from[] = {-1}, to[] = {0};
  const any_array first = move_axes(value.x, from, to, r.where);
  extents shape = leading;
  const extents rest = keepdims ? r.kept : r.rows();
  shape.insert(shape.end(), rest.begin(), rest.end());
  return make_cast(make_reshape(first, shape, r.where), mean_type(x.dtype()), r.where);
}

any_array nothing(const rows_to_reduce& r, const any_array& x, const extents& shape,
                  const extents& leading, bool keepdims) {
  const term nan = number(std::numeric_limits<double>::quiet_NaN(), dtype::float64, r.where);
  return finished(r, x, {make_broadcast(nan.x, shape, "quantile", r.where), r.where}, leading,
                  keepdims);
}

any_array quantiles_of(const any_array& x, const any_array& q, const extents& leading,
                       const quantile_options& o, bool skip_nan, std::string_view op,
                       location where) {
  const rows_to_reduce r = rows_of(x, o.axis, op, where);
  extents shape = r.rows();
  shape.push_back(q.size());
  if (o.weights.valid()) {
    check_weighted(o, op, where);
    const any_array spread =
        make_broadcast(fitted_weights(x, o.weights, o.axis, op, where), x.extents(), op, where);
    const weighted_rows w{r.x, rows_of(spread, o.axis, op, where).x, skip_nan, op, where};
    if (r.length() == 0) return nothing(r, x, shape, leading, o.keepdims);
    const any_array result = finished(r, x, weighted_quantiles(w, q), leading, o.keepdims);
    if (result.size() > 0) refuse_weights(result, w);
    return result;
  }
  if (r.length() == 0) return nothing(r, x, shape, leading, o.keepdims);
  const term n = count_of(r, skip_nan);
  const quantile_method method = o.method;
  const virtual_place v = methods[static_cast<std::size_t>(method)](n, {q, where});
  const term low = floor(v.place);
  const picked p = pick(r, low, low + 1, n, q.size(), op);
  const term value = interpolated(p, v.weight, shape);
  // When NaNs are skipped, only a row of nothing else yields NaN, from its first place.
  return finished(r, x, skip_nan ? value : spoiled(p, value), leading, o.keepdims);
}

[[noreturn]] void raise_quantile(std::span<const std::int32_t>, const check& c) {
  fail<value_error>(error_code::bad_argument, c.op,
                    "a q is not between 0 and " + std::to_string(c.size), c.where);
}

any_array medians(const any_array& x, const reduction_options& o, bool skip_nan,
                  std::string_view op, location where) {
  const rows_to_reduce r = rows_of(x, o.axis, op, where);
  extents shape = r.rows();
  shape.push_back(1);
  if (r.length() == 0) return nothing(r, x, shape, {}, o.keepdims);
  const term n = count_of(r, skip_nan);
  const picked p = pick(r, floor((n - 1) / 2), floor(n / 2), n, 1, op);
  const term value = select(p.low == p.high, p.low, (p.low + p.high) / 2);
  return finished(r, x, skip_nan ? value : spoiled(p, value), {}, o.keepdims);
}

}  // namespace

any_array median(const any_array& x, const reduction_options& o, location where) {
  return medians(x, o, false, "median", where);
}

any_array nanmedian(const any_array& x, const reduction_options& o, location where) {
  return medians(x, o, true, "nanmedian", where);
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

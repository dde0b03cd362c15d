#include "engine/statistics/weighted.hpp"

#include <limits>

#include "engine/sorting/search.hpp"
#include "engine/sorting/sorted.hpp"

namespace sinter::detail {
namespace {

[[noreturn]] void raise_weights(std::span<const std::int32_t>, const check& c) {
  fail<value_error>(error_code::bad_argument, c.op,
                    "weights are negative, not finite, or all zero in a row", c.where);
}

term zero(location where) {
  return number(0, dtype::float64, where);
}

/// Which elements count, (rows..., n); an invalid array means all.
any_array counted(const weighted_rows& w, const any_array& x) {
  if (!w.skip_nan || !is_real(x.dtype())) return {};
  const term t{make_cast(x, compute_of(x.dtype()), w.where), w.where};
  return (!apply(ir::op::isnan, {t})).x;
}

/// The place of the last element of sorted rows that counts, 0 if there is none. Sums are rounded,
/// so the sum before it may not quite reach the total.
term last_place(const weighted_rows& w, const any_array& x) {
  const auto axis = static_cast<int>(x.extents().size()) - 1;
  const any_array which = counted(w, x);
  const auto whole = [&](std::int64_t v) -> term {
    return {make_scalar({{static_cast<std::uint64_t>(v), 0}}, dtype::int64, w.where), w.where};
  };
  if (!which.valid()) return whole(x.extents().back() - 1);
  const term ones{make_cast(which, dtype::int64, w.where), w.where};
  const term count = reduce_kept(ones, ir::op::add, {axis});
  return apply(ir::op::maximum, {count - whole(1), whole(0)});
}

/// Weights as double, 0 for elements that do not count.
term counting(const weighted_rows& w, const any_array& x, const any_array& weights) {
  const term all{make_cast(weights, dtype::float64, w.where), w.where};
  const any_array which = counted(w, x);
  return which.valid() ? select({which, w.where}, all, zero(w.where)) : all;
}

/// Inserts an axis before the last one.
term beside(const any_array& x, location where) {
  extents shape = extents_of(x);
  shape.insert(shape.end() - 1, 1);
  return {make_reshape(x, shape, where), where};
}

}  // namespace

any_array fitted_weights(const any_array& x, const any_array& w, const axis_list& axis,
                         std::string_view op, location where) {
  if (std::ranges::equal(checked(w, op, where).shape, x.extents())) return w;
  const bool all = axis.all();
  const std::vector<int> axes =
      all ? std::vector<int>() : distinct_axes(axis.values(), x.ndim(), op, where);
  extents own, shape(x.extents().size(), 1), order(axes.size());
  for (int a : axes) {
    const auto d = static_cast<std::size_t>(a);
    own.push_back(x.extents()[d]);
    shape[d] = own.back();
  }
  if (!all && std::ranges::equal(own, w.extents())) {
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](auto i) { return axes[static_cast<std::size_t>(i)]; });
    return make_reshape(permute(w, order, op, where), shape, where);
  }
  fail<shape_error>(error_code::shape_mismatch, op,
                    "weights of shape " + text_of(w.extents()) + " for shape " +
                        text_of(x.extents()) +
                        (all ? ": without an axis the shapes must be equal" : ""),
                    where);
}

void check_weighted(const quantile_options& o, std::string_view op, location where) {
  const dtype type = checked(o.weights, op, where).type;
  if (is_complex(type)) {
    fail<dtype_error>(error_code::bad_dtype, op,
                      std::string(name(type)) + " weights have no order", where);
  }
  if (o.method == quantile_method::inverted_cdf) return;
  fail<value_error>(error_code::bad_argument, op,
                    "with weights there is one method: quantile_method::inverted_cdf", where);
}

term weighted_quantiles(const weighted_rows& w, const any_array& q) {
  const location where = w.where;
  const any_array order = argsort_rows(w.x, false, where);
  const any_array x = pick_rows(w.x, order, where);
  const std::size_t axis = x.extents().size() - 1;
  const std::int64_t n = x.extents()[axis];
  const term each = counting(w, x, pick_rows(w.weights, order, where));
  const term sums{make_scan(each.x, ir::op::add, static_cast<int>(axis), where), where};
  const term part = sums / term{cut(sums.x, axis, n - 1, 1, where), where};
  const term reached = beside(part.x, where);
  const term wanted{make_reshape(q, extents{q.size(), 1}, where), where};
  // Leading elements without weight do not count, not even for q = 0.
  const term before = reached < wanted || reached == 0;
  const term number_before{make_cast(before.x, dtype::int64, where), where};
  const int last = static_cast<int>(axis) + 1;
  const term place = reduce_kept(number_before, ir::op::add, {last});
  extents shape = extents_of(x);
  shape[axis] = q.size();
  const term found{make_reshape(place.x, shape, where), where};
  const any_array places = apply(ir::op::minimum, {found, last_place(w, x)}).x;
  const term value{make_cast(pick_rows(x, places, where), dtype::float64, where), where};
  if (w.skip_nan || !is_real(x.dtype())) return value;
  const any_array worst = cut(x, axis, n - 1, 1, where);  // NaN, which sorts last, if there is one
  const term nan = number(std::numeric_limits<double>::quiet_NaN(), dtype::float64, where);
  const term t{make_cast(worst, compute_of(x.dtype()), where), where};
  return select(apply(ir::op::isnan, {t}), nan, value);
}

void refuse_weights(const any_array& x, const weighted_rows& w) {
  const location where = w.where;
  const int last = w.x.ndim() - 1;
  const term each = counting(w, w.x, w.weights);
  const term sum = reduce_kept(each, ir::op::add, {last});
  term bad = !(zero(where) < sum) || !apply(ir::op::isfinite, {sum});
  if (const any_array which = counted(w, w.x); which.valid()) {
    bad = bad && reduce_kept({which, where}, ir::op::logical_or, {last});
  }
  const term given{make_cast(w.weights, dtype::float64, where), where};
  const term wrong = bad || reduce_kept(given < zero(where), ir::op::logical_or, {last});
  refuse_if(x, wrong.x, w.op, raise_weights, where);
}

}  // namespace sinter::detail

#include <sinter/random.hpp>

#include "engine/random/draws.hpp"

namespace sinter::detail {

any_array bernoulli(dtype type, shape_view shape, const random::probability_options& o,
                    location where) {
  draws d("bernoulli", type, shape, o.seed, where, dtype::float64);
  const term p = d.within(o.p, 0, 1, "p");
  const term hit = d.half_open() < p;
  if (o.p.is_number() || is_bool(type)) return d.result(hit);
  return d.counts(select(p == p, {make_cast(hit.x, dtype::float64, where), where}, p));
}

any_array geometric(dtype type, shape_view shape, const random::probability_options& o,
                    location where) {
  draws d("geometric", type, shape, o.seed, where, dtype::float64);
  if (o.p.is_number() && o.p.number() == 0) d.refuse("p is 0, not above 0");
  const term given = d.within(o.p, 0, 1, "p");
  const term p = o.p.is_number() ? given : select(given == 0, d.constant(std::nan("")), given);
  const term tries = apply(ir::op::ceil, {d.exponential() / negative(log1p_of(negative(p)))});
  return d.counts(greatest(tries, d.constant(1)));
}

any_array categorical(const any_array& logits, const random::categorical_options& o,
                      location where) {
  constexpr std::string_view op = "categorical";
  const term given = as_term(logits, op, where);
  if (is_complex(given.type())) {
    fail<dtype_error>(error_code::bad_dtype, op, "complex numbers have no order", where);
  }
  const int ndim = logits.ndim();
  const auto axis = static_cast<std::size_t>(normalize_axis(o.axis, ndim, op, where));
  const std::int64_t choices = logits.extents()[axis];
  if (choices == 0) {
    fail<value_error>(error_code::bad_argument, op,
                      "shape " + text_of(logits.extents()) + " leaves nothing to choose", where);
  }
  extents shape = extents_of(logits);
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  if (o.shape.given()) shape.assign(o.shape.values().begin(), o.shape.values().end());
  shape.push_back(choices);
  const dtype type = compute_of(inexact_of(given.type()));
  extents order(static_cast<std::size_t>(ndim));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::rotate(order.begin() + static_cast<std::ptrdiff_t>(axis),
              order.begin() + static_cast<std::ptrdiff_t>(axis) + 1, order.end());
  const any_array last = permute(given.x, order, op, where);
  const any_array wide = make_broadcast(make_cast(last, type, where), shape, op, where);
  const any_array noise = gumbel(type, shape, {.seed = o.seed}, where);
  const term sum = term{wide, where} + term{noise, where};
  const int reduced[] = {static_cast<int>(shape.size()) - 1};
  return make_reduce(sum.x, ir::op::maximum, true, {reduced, reduced + 1}, where);
}

}  // namespace sinter::detail

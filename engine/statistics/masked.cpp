#include "engine/statistics/masked.hpp"

#include "engine/nodes/any_number.hpp"

namespace sinter::detail {
namespace {

/// The number of elements where the mask holds, in the real type of t.
term count_where(const term& t, const term& mask, const std::vector<int>& axes) {
  const term ones{make_cast(mask.x, dtype::int64, t.where), t.where};
  return {rounded(reduce_kept(ones, ir::op::add, axes), real_of(t.type())), t.where};
}

term zero_elsewhere(const term& t, const term& mask) {
  return select(mask, t, number(0, t.type(), t.where));
}

}  // namespace

term spread_mask(const any_array& x, const array<bool>& mask, std::string_view op,
                 location where) {
  return {make_broadcast(mask, x.extents(), op, where), where};
}

any_array masked(const any_array& x, const array<bool>& mask, const any_array& otherwise,
                 std::string_view op, location where) {
  if (!mask.valid()) return x;
  const term t = as_term(x, op, where);
  const term chosen = select(spread_mask(x, mask, op, where), t, as_term(otherwise, op, where));
  return rounded(chosen, x.dtype());
}

any_array masked(const any_array& x, const array<bool>& mask, double otherwise,
                 std::string_view op, location where) {
  const dtype type = checked(x, op, where).type;
  return mask.valid() ? masked(x, mask, number(otherwise, type, where).x, op, where) : x;
}

term mean_where(const term& t, const term& mask, const std::vector<int>& axes) {
  return reduce_kept(zero_elsewhere(t, mask), ir::op::add, axes) / count_where(t, mask, axes);
}

spread spread_where(const term& t, const term& mask, const std::vector<int>& axes) {
  const term d = zero_elsewhere(t - mean_where(t, mask, axes), mask);
  const term squares = is_complex(d.type()) ? apply(ir::op::square, {apply(ir::op::real, {d})}) +
                                                  apply(ir::op::square, {apply(ir::op::imag, {d})})
                                            : apply(ir::op::square, {d});
  return {count_where(t, mask, axes), reduce_kept(squares, ir::op::add, axes)};
}

any_array initial_value(const any_number& n, dtype result, std::string_view op, location where) {
  if (is_inexact(n.type()) && !is_inexact(result)) {
    fail<dtype_error>(error_code::bad_dtype, op,
                      "an initial value of " + std::string(name(n.type())) + " for a result of " +
                          std::string(name(result)),
                      where);
  }
  const ir::scalar_value v = converted(n, result, op, where);
  return make_scalar({{v.bits[0], v.bits[1]}}, result, where);
}

}  // namespace sinter::detail

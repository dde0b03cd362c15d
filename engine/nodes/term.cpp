#include "engine/nodes/term.hpp"

#include "ir/reference.hpp"

namespace sinter::detail {

term as_term(const any_array& x, std::string_view op, location where) {
  return {make_cast(x, compute_of(checked(x, op, where).type), where), where};
}

term number(double value, dtype type, location where) {
  const ir::scalar_value v = ir::convert(ir::scalar_of(value), dtype::float64, type);
  return {make_scalar({{v.bits[0], v.bits[1]}}, type, where), where};
}

namespace {

dtype promoted(ir::op code, std::initializer_list<term> operands) {
  const bool skip_first = (ir::info(code).traits & ir::first_bool) != 0;
  const term* first = operands.begin() + (skip_first ? 1 : 0);
  dtype type = first->type();
  for (const term* t = first; t != operands.end(); ++t) type = promote(type, t->type());
  const dtype inside = ir::operand_type(code, type);
  return is_bool(inside) && !ir::accepts(code, inside) ? dtype::int8 : inside;
}

}  // namespace

term apply(ir::op code, std::initializer_list<term> operands) {
  const location where = operands.begin()->where;
  const dtype type = promoted(code, operands);
  if (!ir::accepts(code, type)) {
    fail<dtype_error>(error_code::bad_dtype, ir::name(code),
                      "it has no meaning for " + std::string(name(type)), where);
  }
  any_array x[3];
  int i = 0;
  for (const term& t : operands) {
    x[i] = make_cast(t.x, ir::argument_type(code, type, i), where);
    ++i;
  }
  if (i == 1) return {make_op(code, {x[0]}, where), where};
  if (i == 2) return {make_op(code, {x[0], x[1]}, where), where};
  return {make_op(code, {x[0], x[1], x[2]}, where), where};
}

any_array rounded(const term& t, dtype type) {
  return make_cast(t.x, type, t.where);
}

term operator+(const term& a, const term& b) {
  return apply(ir::op::add, {a, b});
}
term operator-(const term& a, const term& b) {
  return apply(ir::op::subtract, {a, b});
}
term operator*(const term& a, const term& b) {
  return apply(ir::op::multiply, {a, b});
}
term operator/(const term& a, const term& b) {
  return apply(ir::op::divide, {a, b});
}
term operator==(const term& a, const term& b) {
  return apply(ir::op::equal, {a, b});
}
term operator<(const term& a, const term& b) {
  return apply(ir::op::less, {a, b});
}
term operator<=(const term& a, const term& b) {
  return apply(ir::op::less_equal, {a, b});
}
term operator&&(const term& a, const term& b) {
  return apply(ir::op::logical_and, {a, b});
}
term operator||(const term& a, const term& b) {
  return apply(ir::op::logical_or, {a, b});
}
term operator!(const term& a) {
  return apply(ir::op::logical_not, {a});
}

term operator+(const term& a, double b) {
  return a + number(b, a.type(), a.where);
}
term operator-(const term& a, double b) {
  return a - number(b, a.type(), a.where);
}
term operator-(double a, const term& b) {
  return number(a, b.type(), b.where) - b;
}
term operator*(const term& a, double b) {
  return a * number(b, a.type(), a.where);
}
term operator/(const term& a, double b) {
  return a / number(b, a.type(), a.where);
}
term operator==(const term& a, double b) {
  return a == number(b, a.type(), a.where);
}

term select(const term& condition, const term& yes, const term& no) {
  return apply(ir::op::where, {condition, yes, no});
}

any_array make_complex(const any_array& re, const any_array& im, location where) {
  const dtype type = promote_weak(compute_of(re.dtype()), dtype_kind::complex);
  return make_op(ir::op::join, {make_cast(re, type, where), make_cast(im, type, where)}, where);
}

term reduce_kept(const term& t, ir::op code, const std::vector<int>& axes) {
  if (axes.empty()) return t;
  extents shape = extents_of(t.x);
  for (int a : axes) shape[static_cast<std::size_t>(a)] = 1;
  return {make_reshape(make_reduce(t.x, code, false, axes, t.where), shape, t.where), t.where};
}

std::vector<int> reduced_axes(const any_array& x, const axis_list& axis, std::string_view op,
                              location where) {
  const int ndim = static_cast<int>(checked(x, op, where).shape.size());
  std::vector<int> axes(static_cast<std::size_t>(ndim));
  std::iota(axes.begin(), axes.end(), 0);
  if (!axis.all()) axes = distinct_axes(axis.values(), ndim, op, where);
  std::ranges::sort(axes);
  return axes;
}

std::vector<int> folded_axes(const any_array& x, const axis_list& axis, std::string_view op,
                             location where) {
  const int ndim = static_cast<int>(checked(x, op, where).shape.size());
  const shape_view listed = axis.values();
  if (listed.size() == 1 && is_axis_of_number(listed[0], ndim)) return {};
  return reduced_axes(x, axis, op, where);
}

std::int64_t count_along(const any_array& x, const std::vector<int>& axes) {
  std::int64_t n = 1;
  for (int a : axes) n *= x.extents()[static_cast<std::size_t>(a)];
  return n;
}

any_array without_axes(const any_array& x, const std::vector<int>& axes, bool keepdims,
                       location where) {
  if (keepdims) return x;
  extents shape;
  for (int d = 0; d < x.ndim(); ++d) {
    if (std::ranges::find(axes, d) == axes.end())
      shape.push_back(x.extents()[static_cast<std::size_t>(d)]);
  }
  return make_reshape(x, shape, where);
}

any_array coordinates(shape_view shape, std::size_t axis, location where) {
  const std::int64_t count[] = {shape[axis]};
  element_map map;
  map.strides.assign(shape.size(), 0);
  map.strides[axis] = 1;
  return make_view(make_iota(count, where), shape, std::move(map), where);
}

any_array cut(const any_array& x, std::size_t axis, std::int64_t first, std::int64_t count,
              location where, std::int64_t step) {
  extents shape = extents_of(x);
  element_map map{0, dense_strides(shape)};
  shape[axis] = count;
  if (product_of(shape) > 0) map.offset = first * map.strides[axis];
  map.strides[axis] = count > 1 ? map.strides[axis] * step : std::int64_t{0};
  return make_view(x, shape, std::move(map), where);
}

}  // namespace sinter::detail

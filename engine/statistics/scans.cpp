#include <sinter/scans.hpp>

#include "engine/nodes/axes.hpp"
#include "engine/nodes/node.hpp"
#include "engine/nodes/report.hpp"
#include "ir/reference.hpp"

namespace sinter::detail {
namespace {

/// The checked arguments of a scan; x is flattened if no axis is given.
struct scan_request {
  any_array x;
  int axis = 0;
  std::string_view op;
  location where;

  std::int64_t length() const { return x.extents()[static_cast<std::size_t>(axis)]; }
};

scan_request make_request(const any_array& x, const scan_options& o, std::string_view op,
                     location where) {
  const int ndim = static_cast<int>(checked(x, op, where).shape.size());
  if (o.axis && !is_axis_of_number(*o.axis, ndim)) {
    return {x, normalize_axis(*o.axis, ndim, op, where), op, where};
  }
  const std::int64_t flat[] = {x.size()};
  return {ndim == 1 ? x : make_reshape(x, flat, where), 0, op, where};
}

scan_request make_request(const any_array& x, const cumulative_options& o, std::string_view op,
                     location where) {
  const int ndim = static_cast<int>(checked(x, op, where).shape.size());
  if (!o.axis && ndim != 1) {
    fail<axis_error>(error_code::bad_axis, op,
                     "an axis is wanted for " + std::to_string(ndim) +
                         " dimensions: give .axis, or flatten with reshape(x, {-1})",
                     where);
  }
  return {x, normalize_axis(o.axis.value_or(0), ndim, op, where), op, where};
}

/// Scans in the compute type of `result`.
any_array scan(const scan_request& r, ir::op code, dtype result) {
  const any_array x = make_cast(r.x, compute_of(result), r.where);
  return make_cast(make_scan(x, code, r.axis, r.where), result, r.where);
}

/// Elements [first, first + count) along the axis of the request.
any_array part(const scan_request& r, const any_array& x, std::int64_t first, std::int64_t count,
               element_map& map) {
  const auto s = x.extents();
  std::vector<std::int64_t> shape(s.begin(), s.end());
  shape[static_cast<std::size_t>(r.axis)] = count;
  map.strides = dense_strides(s);
  map.offset = first * map.strides[static_cast<std::size_t>(r.axis)];
  return make_view(x, shape, map, r.where);
}

/// Kernels carry one number, and a complex product needs both parts of the previous one. So each
/// element multiplies in the product of the preceding range of equal length, until its range is
/// complete (Hillis and Steele, CACM 29, 1986).
any_array complex_products(const scan_request& r) {
  any_array x = r.x;
  for (std::int64_t s = 1; s < r.length(); s *= 2) {
    element_map before, from;
    const any_array left = part(r, x, 0, r.length() - s, before);
    const any_array right = part(r, x, s, r.length() - s, from);
    x = make_update(x, from, make_op(ir::op::multiply, {left, right}, r.where), r.where);
  }
  return x;
}

any_array sums(const scan_request& r) {
  return scan(r, ir::op::add, sum_type(r.x.dtype()));
}

any_array products(const scan_request& r) {
  if (is_complex(r.x.dtype())) return complex_products(r);
  return scan(r, ir::op::multiply, sum_type(r.x.dtype()));
}

any_array extrema(const scan_request& r, ir::op code) {
  if (is_complex(r.x.dtype())) {
    fail<dtype_error>(error_code::bad_dtype, r.op,
                      std::string(name(r.x.dtype())) + " numbers have no order", r.where);
  }
  return scan(r, code, r.x.dtype());
}

/// `value` preceded by the neutral element.
any_array with_initial(const scan_request& r, const any_array& value, ir::op code) {
  const auto s = value.extents();
  std::vector<std::int64_t> shape(s.begin(), s.end());
  ++shape[static_cast<std::size_t>(r.axis)];
  const ir::scalar_value neutral = ir::identity_of(code, real_of(compute_of(value.dtype())));
  const dtype inside = real_of(compute_of(value.dtype()));
  any_array first = make_scalar({{neutral.bits[0], neutral.bits[1]}}, inside, r.where);
  first = make_broadcast(make_cast(first, value.dtype(), r.where), shape, r.op, r.where);
  if (value.size() == 0) return first;
  element_map map;
  part(r, first, 1, r.length(), map);
  return make_update(first, map, value, r.where);
}

}  // namespace

any_array cumsum(const any_array& x, const scan_options& o, location where) {
  return sums(make_request(x, o, "cumsum", where));
}

any_array cumprod(const any_array& x, const scan_options& o, location where) {
  return products(make_request(x, o, "cumprod", where));
}

any_array cummax(const any_array& x, const scan_options& o, location where) {
  return extrema(make_request(x, o, "cummax", where), ir::op::maximum);
}

any_array cummin(const any_array& x, const scan_options& o, location where) {
  return extrema(make_request(x, o, "cummin", where), ir::op::minimum);
}

any_array cumulative_logsumexp(const any_array& x, const scan_options& o, location where) {
  const scan_request r = make_request(x, o, "cumulative_logsumexp", where);
  if (!is_inexact(x.dtype()) || is_complex(x.dtype())) {
    fail<dtype_error>(
        error_code::bad_dtype, r.op,
        "wants floats, not " + std::string(name(x.dtype())) + ": convert with astype<double>(x)",
        where);
  }
  return scan(r, ir::op::logaddexp, x.dtype());
}

any_array cumulative_sum(const any_array& x, const cumulative_options& o, location where) {
  const scan_request r = make_request(x, o, "cumulative_sum", where);
  const any_array value = sums(r);
  return o.include_initial ? with_initial(r, value, ir::op::add) : value;
}

any_array cumulative_prod(const any_array& x, const cumulative_options& o, location where) {
  const scan_request r = make_request(x, o, "cumulative_prod", where);
  const any_array value = products(r);
  return o.include_initial ? with_initial(r, value, ir::op::multiply) : value;
}

}  // namespace sinter::detail

#include <sinter/reductions.hpp>

#include <algorithm>
#include <cmath>

#include <sinter/operators.hpp>
#include <sinter/views.hpp>

#include "engine/evaluation/session.hpp"
#include "engine/nodes/node.hpp"
#include "engine/nodes/report.hpp"
#include "engine/statistics/complex_product.hpp"
#include "engine/statistics/masked.hpp"

namespace sinter::detail {
namespace {

/// The checked arguments of a reduction.
struct request {
  const any_array& x;
  std::string_view op;
  location where;
  bool keepdims;
  std::vector<int> axes;  // ascending

  std::vector<std::int64_t> kept_shape() const {
    const auto from = x.extents();
    std::vector<std::int64_t> shape(from.begin(), from.end());
    for (int a : axes) shape[static_cast<std::size_t>(a)] = 1;
    return shape;
  }
  /// The elements reduced to one result.
  std::int64_t count() const {
    std::int64_t n = 1;
    for (int a : axes) n *= x.extents()[static_cast<std::size_t>(a)];
    return n;
  }
};

request make_request(const any_array& x, const axis_list& axis, bool keepdims, std::string_view op,
                     location where) {
  return {x, op, where, keepdims, folded_axes(x, axis, op, where)};
}

/// For ops that divide by the number of elements: a scalar's axis is refused, as in NumPy.
request make_counted(const any_array& x, const axis_list& axis, bool keepdims, std::string_view op,
                     location where) {
  return {x, op, where, keepdims, reduced_axes(x, axis, op, where)};
}

/// Reduces `x`, which has the shape of r.x, without keeping the axes.
any_array reduce(const request& r, const any_array& x, ir::op code) {
  return r.axes.empty() ? x : make_reduce(x, code, false, r.axes, r.where);
}

any_array with_dims(const request& r, const any_array& result) {
  return r.keepdims ? make_reshape(result, r.kept_shape(), r.where) : result;
}

/// An extremum of no elements is an error, unless there are no results either.
void require_elements(const request& r) {
  std::int64_t results = 1;
  for (std::int64_t e : r.kept_shape()) results *= e;
  if (r.count() > 0 || results == 0) return;
  fail<value_error>(error_code::empty_reduction, r.op,
                    "shape " + text_of(r.x.extents()) +
                        " has no elements to reduce, and there is no value that stands for none",
                    r.where);
}

void refuse_complex(const request& r) {
  if (!is_complex(r.x.dtype())) return;
  fail<dtype_error>(error_code::bad_dtype, r.op,
                    std::string(name(r.x.dtype())) + " numbers have no order", r.where);
}

/// Computes in the compute type of `result`; a valid `initial`, of rank 0, is combined with the
/// result.
any_array accumulate(const request& r, ir::op code, dtype result, const any_array& initial = {}) {
  const any_array sum = reduce(r, make_cast(r.x, compute_of(result), r.where), code);
  if (!initial.valid()) return with_dims(r, make_cast(sum, result, r.where));
  const term both = apply(code, {as_term(sum, r.op, r.where), as_term(initial, r.op, r.where)});
  return with_dims(r, rounded(both, result));
}

/// The initial value, invalid if not given.
any_array initial_of(const fold_options& o, dtype result, std::string_view op, location where) {
  return o.initial ? initial_value(*o.initial, result, op, where) : any_array();
}

any_array extremum(const any_array& x, const fold_options& o, std::string_view op, ir::op code,
                   location where) {
  const dtype type = checked(x, op, where).type;
  if (o.where.valid() && !o.initial) {
    fail<value_error>(error_code::empty_reduction, op,
                      "a mask may leave no elements, and there is no value that stands for none: "
                      "give .initial too",
                      where);
  }
  const any_array initial = initial_of(o, type, op, where);
  const any_array kept = masked(x, o.where, initial, op, where);
  const request r = make_request(kept, o.axis, o.keepdims, op, where);
  refuse_complex(r);
  if (!o.initial) require_elements(r);
  return accumulate(r, code, type, initial);
}

any_array arg_extremum(const any_array& x, const arg_options& o, std::string_view op, ir::op code,
                       location where) {
  const axis_list axis = o.axis ? axis_list(*o.axis) : axis_list();
  const request r = make_request(x, axis, o.keepdims, op, where);
  refuse_complex(r);
  require_elements(r);
  if (r.axes.empty()) return make_scalar({}, dtype::int64, where);
  const any_array compared = make_cast(x, compute_of(x.dtype()), where);
  return with_dims(r, make_reduce(compared, code, true, r.axes, where));
}

/// x != 0 as bools, and `elsewhere` where the mask does not hold.
any_array truth_where(const any_array& x, const array<bool>& mask, bool elsewhere,
                      std::string_view op, location where) {
  checked(x, op, where);
  if (!mask.valid()) return x;
  const term truth{make_cast(x, dtype::bool_, where), where};
  const term holds = spread_mask(x, mask, op, where);
  return (elsewhere ? truth || !holds : truth && holds).x;
}

/// The array divided by a number of elements.
template <element T>
any_array divided(const any_array& x, double count, location where) {
  return record_expression(array<T>(x) / count, where);
}

/// Sum of |x - mean|^2 over count - correction, x of type T.
template <element T>
any_array variance(const request& r, const any_array& x, double correction) {
  const auto count = static_cast<double>(r.count());
  const any_array total = reduce(r, x, ir::op::add);
  const array<T> mean(
      make_reshape(divided<T>(total, count, r.where), r.kept_shape(), r.where));
  const auto d = array<T>(x) - mean;
  const double divisor = std::max(count - correction, 0.0);
  if constexpr (is_complex(dtype_of<T>)) {
    using R = typename T::value_type;
    // One statement: the plan computes the shared difference once.
    const any_array squares = record_expression(
        sinter::square(sinter::real(d)) + sinter::square(sinter::imag(d)), r.where);
    return divided<R>(reduce(r, squares, ir::op::add), divisor, r.where);
  } else {
    return divided<T>(reduce(r, record_expression(sinter::square(d), r.where), ir::op::add),
                      divisor, r.where);
  }
}

/// The variance of float32 in one pass: sums differences from the first element of each reduced
/// group, in double, together with their squares. Chan, Golub and LeVeque, "Algorithms for
/// computing the sample variance", 1983, section 3: with a shift within the data the relative error
/// is at most about count times 2^-53, far below the precision of a float.
any_array shifted_variance(const request& r, const any_array& x, double correction) {
  const auto count = static_cast<double>(r.count());
  std::vector<std::int64_t> strides = dense_strides(x.extents());
  for (int a : r.axes) strides[static_cast<std::size_t>(a)] = 0;
  const array<float> first(
      make_view(x, r.kept_shape(), {0, strides}, r.where));
  const array<double> d(record_expression(
      sinter::astype<double>(array<float>(x)) - sinter::astype<double>(first), r.where));
  const array<double> sum(reduce(r, d, ir::op::add));
  const array<double> squares(
      reduce(r, record_expression(sinter::square(d), r.where), ir::op::add));
  // For a constant the rounded difference of the sums may be below 0.
  const auto spread = sinter::maximum(squares - sum * sum / count, 0.0);
  return record_expression(
      sinter::astype<float>(spread / std::max(count - correction, 0.0)), r.where);
}

/// Rows up to this length per block of a cluster stay in registers between two passes; for longer
/// ones, and for columns, the second pass reads memory again.
constexpr std::int64_t longest_kept_row = 32768;

bool read_again(const request& r) {
  const bool columns = !r.axes.empty() && r.axes.back() + 1 < r.x.ndim();
  if (columns) return r.count() > 1;
  return r.count() > longest_kept_row * the_session().current().machine.cluster;
}

/// The variance in its compute type, without the reduced axes.
any_array raw_variance(const request& r, double correction, const array<bool>& mask) {
  const dtype inside = compute_of(mean_type(r.x.dtype()));
  const any_array x = make_cast(r.x, inside, r.where);
  if (mask.valid()) {
    const spread s = spread_where({x, r.where}, spread_mask(x, mask, r.op, r.where), r.axes);
    const term divisor = s.count - correction, zero = number(0, divisor.type(), r.where);
    const term v = s.squares / apply(ir::op::maximum, {divisor, zero});
    return without_axes(v.x, r.axes, false, r.where);
  }
  if (inside == dtype::float32 && read_again(r)) return shifted_variance(r, x, correction);
  switch (inside) {
    case dtype::float32: return variance<float>(r, x, correction);
    case dtype::complex64: return variance<std::complex<float>>(r, x, correction);
    case dtype::complex128: return variance<std::complex<double>>(r, x, correction);
    default: return variance<double>(r, x, correction);
  }
}

}  // namespace

any_array sum(const any_array& x, const fold_options& o, location where) {
  const any_array kept = masked(x, o.where, 0.0, "sum", where);
  const dtype result = sum_type(x.dtype());
  const request r = make_request(kept, o.axis, o.keepdims, "sum", where);
  return accumulate(r, ir::op::add, result, initial_of(o, result, "sum", where));
}

any_array prod(const any_array& x, const fold_options& o, location where) {
  const any_array kept = masked(x, o.where, 1.0, "prod", where);
  const dtype type = x.dtype(), result = sum_type(type);
  const request r = make_request(kept, o.axis, o.keepdims, "prod", where);
  const any_array initial = initial_of(o, result, "prod", where);
  if (!is_complex(type) || r.count() == 0) {
    return accumulate(r, ir::op::multiply, result, initial);
  }
  const any_array product = complex_product(kept, r.axes, where);
  if (!initial.valid()) return with_dims(r, product);
  return with_dims(r, make_op(ir::op::multiply, {product, initial}, where));
}

any_array max(const any_array& x, const fold_options& o, location where) {
  return extremum(x, o, "max", ir::op::maximum, where);
}

any_array min(const any_array& x, const fold_options& o, location where) {
  return extremum(x, o, "min", ir::op::minimum, where);
}

any_array any(const any_array& x, const masked_options& o, location where) {
  const any_array kept = truth_where(x, o.where, false, "any", where);
  const request r = make_request(kept, o.axis, o.keepdims, "any", where);
  return accumulate(r, ir::op::logical_or, dtype::bool_);
}

any_array all(const any_array& x, const masked_options& o, location where) {
  const any_array kept = truth_where(x, o.where, true, "all", where);
  const request r = make_request(kept, o.axis, o.keepdims, "all", where);
  return accumulate(r, ir::op::logical_and, dtype::bool_);
}

any_array count_nonzero(const any_array& x, const reduction_options& o, location where) {
  const any_array mask = make_cast(x, dtype::bool_, where);
  const request r = make_request(mask, o.axis, o.keepdims, "count_nonzero", where);
  return accumulate(r, ir::op::add, dtype::int64);
}

any_array mean(const any_array& x, const masked_options& o, location where) {
  const request r = make_counted(x, o.axis, o.keepdims, "mean", where);
  const dtype type = mean_type(x.dtype()), inside = compute_of(type);
  if (o.where.valid()) {
    const term t{make_cast(x, inside, where), where};
    const term mean = mean_where(t, spread_mask(x, o.where, "mean", where), r.axes);
    return without_axes(rounded(mean, type), r.axes, o.keepdims, where);
  }
  const any_array sum = reduce(r, make_cast(x, inside, where), ir::op::add);
  const auto count = static_cast<double>(r.count());
  const auto quotient = [&] {
    switch (inside) {
      case dtype::float32: return divided<float>(sum, count, where);
      case dtype::complex64: return divided<std::complex<float>>(sum, count, where);
      case dtype::complex128: return divided<std::complex<double>>(sum, count, where);
      default: return divided<double>(sum, count, where);
    }
  };
  return with_dims(r, make_cast(quotient(), type, where));
}

any_array var(const any_array& x, const variance_options& o, location where) {
  const request r = make_counted(x, o.axis, o.keepdims, "var", where);
  const any_array v = raw_variance(r, o.removed(), o.where);
  return with_dims(r, make_cast(v, variance_type(x.dtype()), where));
}

any_array stddev(const any_array& x, const variance_options& o, location where) {
  const request r = make_counted(x, o.axis, o.keepdims, "stddev", where);
  const any_array v = raw_variance(r, o.removed(), o.where);
  const any_array root = v.dtype() == dtype::float32
                             ? record_expression(sinter::sqrt(array<float>(v)), where)
                             : record_expression(sinter::sqrt(array<double>(v)), where);
  return with_dims(r, make_cast(root, variance_type(x.dtype()), where));
}

any_array argmax(const any_array& x, const arg_options& o, location where) {
  return arg_extremum(x, o, "argmax", ir::op::maximum, where);
}

any_array argmin(const any_array& x, const arg_options& o, location where) {
  return arg_extremum(x, o, "argmin", ir::op::minimum, where);
}

}  // namespace sinter::detail

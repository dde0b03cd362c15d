// Norms, condition numbers, traces, cross products.
#include <algorithm>
#include <cmath>
#include <sstream>

#include <sinter/products.hpp>
#include <sinter/reductions.hpp>
#include <sinter/views.hpp>

#include "engine/linalg/support.hpp"
#include "engine/nodes/axes.hpp"
#include "engine/nodes/report.hpp"

namespace sinter {

norm_order::norm_order(const char* name, location where) {
  const std::string_view word = name;
  if (word != "fro" && word != "nuc") {
    detail::fail<value_error>(error_code::bad_argument, "norm",
                              "'" + std::string(word) + "' is no norm: a number, fro or nuc",
                              where);
  }
  what = word == "fro" ? kind::frobenius : kind::nuclear;
}

namespace detail {
namespace {

using order = norm_order::kind;

[[noreturn]] void refuse_order(const routine& r, const std::string& what) {
  fail<value_error>(error_code::bad_argument, r.name, what, r.where);
}

any_array inexact(const routine& r, const any_array& x) {
  const dtype t = checked(x, r.name, r.where).type;
  if (is_half(t)) {
    fail<dtype_error>(error_code::bad_dtype, r.name,
                      std::string(name(t)) + " is not taken: convert it to float32", r.where);
  }
  return make_cast(x, linalg_type(t), r.where);
}

/// An extremum, or 0, the norm of nothing, if there are no elements.
any_array extremum(const routine& r, const any_array& x, ir::op code, std::vector<int> axes) {
  std::int64_t count = 1;
  for (int a : axes) count *= x.extents()[static_cast<std::size_t>(a)];
  if (count == 0) return r.reduce(x, ir::op::add, std::move(axes));
  return r.reduce(x, code, std::move(axes));
}

any_array power_sum(const routine& r, const any_array& x, double p, const std::vector<int>& axes) {
  if (p == 2) return r.op(ir::op::sqrt, {r.reduce(r.squared(x), ir::op::add, axes)});
  const any_array size = r.absolute(x);
  if (p == 1) return r.reduce(size, ir::op::add, axes);
  if (std::isinf(p)) return extremum(r, size, p > 0 ? ir::op::maximum : ir::op::minimum, axes);
  const any_array zero = r.constant(0, size.dtype());
  if (p == 0) {
    return r.reduce(r.as(r.op(ir::op::not_equal, {size, zero}), size.dtype()), ir::op::add, axes);
  }
  const any_array sum =
      r.reduce(r.op(ir::op::pow, {size, r.constant(p, size.dtype())}), ir::op::add, axes);
  return r.op(ir::op::pow, {sum, r.constant(1 / p, size.dtype())});
}

any_array kept(const routine& r, const any_array& x, const any_array& norm,
               const std::vector<int>& axes, bool keepdims) {
  if (!keepdims) return norm;
  extents shape(x.extents().begin(), x.extents().end());
  for (int a : axes) shape[static_cast<std::size_t>(a)] = 1;
  return r.reshape(norm, shape);
}

std::vector<int> axes_of(const routine& r, const any_array& x, const axis_list& list) {
  std::vector<int> axes;
  if (list.all()) {
    for (int i = 0; i < x.ndim(); ++i) axes.push_back(i);
  } else {
    axes = distinct_axes(list.values(), x.ndim(), r.name, r.where);
  }
  return axes;
}

any_array vector_norm_over(const routine& r, const any_array& x, const norm_order& o,
                           std::vector<int> axes, bool keepdims) {
  if (o.what == order::frobenius || o.what == order::nuclear) {
    refuse_order(r, "fro and nuc are norms of matrices");
  }
  std::ranges::sort(axes);
  return kept(r, x, power_sum(r, x, o.p, axes), axes, keepdims);
}

/// The norm over the last two axes.
any_array matrix_norm_of(const routine& r, const any_array& x, const norm_order& o) {
  const int last = x.ndim() - 1;
  if (o.what == order::standard || o.what == order::frobenius) {
    return power_sum(r, x, 2, {last - 1, last});
  }
  if (o.what == order::nuclear) return r.reduce_last(svdvals(x, r.where), ir::op::add);
  const double p = std::abs(o.p);
  const auto end = o.p > 0 ? ir::op::maximum : ir::op::minimum;
  if (p == 2) {
    const any_array s = svdvals(x, r.where);
    return extremum(r, s, end, {s.ndim() - 1});
  }
  if (p != 1 && !std::isinf(p)) {
    std::ostringstream order;
    order << o.p;
    refuse_order(r, "a matrix has no norm " + order.str());
  }
  const any_array sums = r.reduce(r.absolute(x), ir::op::add, {p == 1 ? last - 1 : last});
  return extremum(r, sums, end, {last - 1});
}

/// Moves the two axes of the matrices to the end.
any_array matrices_in(const routine& r, const any_array& x, const std::vector<int>& axes) {
  std::vector<std::int64_t> all;
  for (int i = 0; i < x.ndim(); ++i) {
    if (i != axes[0] && i != axes[1]) all.push_back(i);
  }
  all.insert(all.end(), {axes[0], axes[1]});
  return permute(x, all, r.name, r.where);
}

any_array matrix_norm_over(const routine& r, const any_array& x, const norm_order& o,
                           std::vector<int> axes, bool keepdims) {
  const any_array norm = matrix_norm_of(r, matrices_in(r, x, axes), o);
  return kept(r, x, norm, axes, keepdims);
}

}  // namespace

any_array vector_norm(const any_array& x, const la::norm_options& o, location where) {
  const routine r{"vector_norm", where};
  const any_array a = inexact(r, x);
  return vector_norm_over(r, a, o.ord, axes_of(r, a, o.axis), o.keepdims);
}

any_array matrix_norm(const any_array& x, const la::matrix_norm_options& o, location where) {
  const routine r{"matrix_norm", where};
  const any_array a = r.matrices(x);
  return matrix_norm_over(r, a, o.ord, {a.ndim() - 2, a.ndim() - 1}, o.keepdims);
}

any_array norm(const any_array& x, const la::norm_options& o, location where) {
  const routine r{"norm", where};
  const any_array a = inexact(r, x);
  const std::vector<int> axes = axes_of(r, a, o.axis);
  const bool standard = o.ord.what == order::standard;
  if (axes.size() == 1 || standard) {
    if (standard && !o.axis.all() && axes.size() > 2) {
      refuse_order(r, "a norm is over one axis or two, or over all");
    }
    return vector_norm_over(r, a, o.ord, axes, o.keepdims);
  }
  if (axes.size() != 2) refuse_order(r, "a norm with an order is over one axis or two");
  return matrix_norm_over(r, a, o.ord, axes, o.keepdims);
}

any_array cond(const any_array& x, norm_order p, location where) {
  const routine r{"cond", where};
  const any_array a = r.matrices(x);
  if (a.extents().back() == 0 || a.extents()[a.extents().size() - 2] == 0) {
    fail<value_error>(error_code::bad_argument, r.name, "an empty matrix has no condition number",
                      where);
  }
  const bool by_values =
      p.what == order::standard || (p.what == order::number && std::abs(p.p) == 2);
  if (by_values) {
    const any_array s = svdvals(a, where);
    const std::int64_t k = s.shape(-1);
    const any_array largest = r.element(s, -1, 0), least = r.element(s, -1, k - 1);
    const bool inverse = p.what == order::number && p.p < 0;
    const any_array ratio =
        inverse ? r.op(ir::op::divide, {least, largest}) : r.op(ir::op::divide, {largest, least});
    const any_array zero = r.constant(0, s.dtype());
    // A zero matrix gives 0 / 0, but is singular.
    const any_array singular = r.op(ir::op::equal, {inverse ? largest : least, zero});
    return r.choose(singular, r.constant(la::inf, s.dtype()), ratio);
  }
  r.square(a);
  const any_array eye = r.eye(rows_in(a), rows_in(a), a.dtype());
  const any_array inverse = solve_general(r, a, eye, false);
  const any_array product = r.times(matrix_norm_of(r, a, p), matrix_norm_of(r, inverse, p));
  const any_array known = r.reduce_last(r.op(ir::op::isnan, {a}), ir::op::logical_or, 2);
  const any_array singular = r.op(
      ir::op::logical_and, {r.op(ir::op::isnan, {product}), r.op(ir::op::logical_not, {known})});
  return r.choose(singular, r.constant(la::inf, product.dtype()), product);
}

any_array trace(const any_array& x, std::int64_t offset, location where) {
  const routine r{"trace", where};
  if (checked(x, r.name, where).shape.size() < 2) r.refuse_shape(x, "is no matrix");
  return sum(r.diagonal(x, offset), {.axis = -1}, where);
}

any_array cross(const any_array& a, const any_array& b, std::int64_t axis, location where) {
  const routine r{"cross", where};
  checked(a, r.name, where), checked(b, r.name, where);
  const int da = normalize_axis(axis, a.ndim(), r.name, where);
  const int db = normalize_axis(axis, b.ndim(), r.name, where);
  if (a.shape(da) != 3)
    r.refuse_shape(a, "has no vectors of three along axis " + std::to_string(da));
  if (b.shape(db) != 3)
    r.refuse_shape(b, "has no vectors of three along axis " + std::to_string(db));
  return cross(a, b, cross_options{axis}, where);
}

}  // namespace detail
}  // namespace sinter

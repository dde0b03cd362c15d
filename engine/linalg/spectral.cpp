// Singular values and eigenvalues, and functions of them.
#include <algorithm>
#include <limits>

#include <sinter/reductions.hpp>

#include "engine/evaluation/evaluate.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/linalg/support.hpp"
#include "engine/nodes/report.hpp"
#include "runtime/solver.hpp"

namespace sinter::detail {
namespace {

using runtime::svd_vectors;

/// Checks that the results are numbers: a NaN marks what the library could not compute. `elements`:
/// the library's input.
void attach_finite(const routine& r, const any_array& elements, const any_array& values,
                   const any_array& status, std::initializer_list<any_array> to) {
  const std::int64_t side = std::max(rows_in(elements), columns_in(elements));
  const bool rotated = on_gpu() && side <= runtime::rotated_side;
  const any_array lost =
      rotated ? r.op(ir::op::logical_not, {r.op(ir::op::isfinite, {elements})})
              : r.op(ir::op::isnan, {values});
  const any_array some = r.reduce_last(lost, ir::op::logical_or, rotated ? 2 : 1);
  const any_array found = r.choose(some, r.constant(-1, dtype::int32), r.constant(0, dtype::int32));
  const auto by_value = r.deferred(found, raise_no_convergence);
  const auto by_status = r.deferred(status, raise_no_convergence);
  for (const any_array& x : to) {
    if (!x.valid()) continue;
    attach(x, by_status);
    attach(x, by_value);
  }
}

/// Factors a or its transpose, whichever is no wider than tall. The library's matrix is
/// column-major, so it is the transpose that needs no reordering.
results factors(const routine& r, const any_array& a, svd_vectors vectors) {
  const std::int64_t m = rows_in(a), n = columns_in(a);
  const bool turned = m <= n;
  const std::int64_t tall = std::max(m, n), k = std::min(m, n);
  const std::int64_t width = vectors == svd_vectors::full ? tall : k;
  std::vector<call_output> outputs{{dtype::int32, in_front(a)},
                                   {real_of(a.dtype()), shape_with(a, 2, {k})}};
  if (vectors != svd_vectors::none) {
    outputs.push_back({a.dtype(), shape_with(a, 2, {width, tall})});
    outputs.push_back({a.dtype(), shape_with(a, 2, {k, k})});
  }
  const auto out = make_call("gesvd", {turned ? a : r.swapped(a)},
                             {static_cast<std::int64_t>(vectors)}, outputs, r.where);
  if (vectors == svd_vectors::none) {
    const any_array s = r.op(ir::op::positive, {out[1]});
    attach_finite(r, a, out[1], out[0], {s});
    return {{}, s, {}, {}};
  }
  // The check reads out[1], so it is attached to a copy.
  const any_array s = r.op(ir::op::positive, {out[1]});
  attach_finite(r, a, out[1], out[0], {s, out[2], out[3]});
  if (turned) return {out[3], s, out[2], {}};
  return {r.swapped(out[2]), s, r.swapped(out[3]), {}};
}

results svd_of_nothing(const routine& r, const any_array& a, bool full) {
  const std::int64_t m = rows_in(a), n = columns_in(a), k = std::min(m, n);
  const std::int64_t left = full ? m : k, right = full ? n : k;
  return {r.broadcast(r.eye(m, left, a.dtype()), shape_with(a, 2, {m, left})),
          r.zeros(shape_with(a, 2, {k}), real_of(a.dtype())),
          r.broadcast(r.eye(right, n, a.dtype()), shape_with(a, 2, {right, n})),
          {}};
}

double epsilon(dtype t) {
  return real_of(t) == dtype::float32 ? std::numeric_limits<float>::epsilon()
                                      : std::numeric_limits<double>::epsilon();
}

/// Singular values up to this count as zero: (..., 1).
any_array threshold(const routine& r, const any_array& a, const any_array& s,
                    std::optional<double> rtol) {
  const double size = static_cast<double>(std::max(rows_in(a), columns_in(a)));
  const any_array largest = r.expand(r.reduce_last(s, ir::op::maximum), -1);
  return r.times(largest, r.constant(rtol.value_or(size * epsilon(a.dtype())), s.dtype()));
}

/// 1 / s for values of s that count, else 0.
any_array inverted(const routine& r, const any_array& s, const any_array& limit) {
  const any_array counts = r.op(ir::op::greater, {s, limit});
  const any_array one = r.constant(1, s.dtype());
  return r.choose(counts, r.op(ir::op::divide, {one, r.choose(counts, s, one)}),
                  r.constant(0, s.dtype()));
}

any_array count_above(const routine& r, const any_array& s, const any_array& limit) {
  const any_array counts = r.as(r.op(ir::op::greater, {s, limit}), dtype::int64);
  return r.reduce_last(counts, ir::op::add);
}

}  // namespace

results svd(const any_array& x, bool full, location where) {
  const routine r{"svd", where};
  const any_array a = r.matrices(x);
  if (a.size() == 0) return svd_of_nothing(r, a, full);
  return factors(r, a, full ? svd_vectors::full : svd_vectors::thin);
}

any_array svdvals(const any_array& x, location where) {
  const routine r{"svdvals", where};
  const any_array a = r.matrices(x);
  return a.size() == 0 ? svd_of_nothing(r, a, false).b : factors(r, a, svd_vectors::none).b;
}

// ---- eigenvalues

namespace {

results hermitian(const routine& r, const any_array& x, const la::eigh_options& o, bool vectors) {
  const any_array a = r.square(x);
  const dtype real = real_of(a.dtype());
  const std::int64_t n = rows_in(a);
  if (a.size() == 0) return {r.zeros(shape_with(a, 2, {n}), real), a, {}, {}};
  // In column-major order this is the conjugate of a, with conjugate eigenvectors.
  const auto read = o.upper ? runtime::triangle::lower : runtime::triangle::upper;
  std::vector<call_output> outputs{{dtype::int32, in_front(a)}, {real, shape_with(a, 2, {n})}};
  if (vectors) outputs.push_back({a.dtype(), shape_with(a, 2, {n, n})});
  const auto out =
      make_call("syevd", {a}, {vectors ? 1 : 0, static_cast<std::int64_t>(read)}, outputs, r.where);
  const any_array w = r.op(ir::op::positive, {out[1]});
  const any_array v = vectors ? out[2] : any_array();
  attach_finite(r, o.upper ? r.upper(a) : r.lower(a), out[1], out[0], {w, v});
  return {w, vectors ? r.adjoint(v) : any_array(), {}, {}};
}

/// The next or the previous column; the last or the first one is its own.
any_array shifted(const routine& r, const any_array& x, std::int64_t by) {
  const std::int64_t n = columns_in(x);
  if (n < 2) return x;
  const std::int64_t first = by > 0 ? 1 : 0;
  const any_array inner = r.part(x, -1, first, first + n - 1);
  const any_array rest = by > 0 ? r.part(x, -1, n - 1, n) : r.part(x, -1, 0, 1);
  const extents shape(x.extents().begin(), x.extents().end());
  element_map place{by > 0 ? 0 : 1, dense_strides(shape)};
  const any_array base = make_update(r.zeros(shape, x.dtype()), std::move(place), inner, r.where);
  element_map edge{by > 0 ? n - 1 : 0, dense_strides(shape)};
  return make_update(base, std::move(edge), rest, r.where);
}

any_array complex_number(const routine& r, const any_array& re, const any_array& im, dtype type) {
  return r.op(ir::op::add, {r.as(re, type), r.times(r.as(im, type), r.imaginary_unit(type))});
}

/// LAPACK stores the vectors of a conjugate pair in two columns, real and imaginary part.
any_array unpacked(const routine& r, const any_array& w, const any_array& packed, dtype type) {
  const any_array im = r.expand(r.op(ir::op::imag, {w}), -2);
  const any_array zero = r.constant(0, packed.dtype());
  const any_array first = r.op(ir::op::greater, {im, zero}),
                  second = r.op(ir::op::less, {im, zero});
  const any_array next = shifted(r, packed, 1), before = shifted(r, packed, -1);
  const any_array real = r.choose(second, before, packed);
  const any_array imaginary =
      r.choose(first, next, r.choose(second, r.op(ir::op::negative, {packed}), zero));
  return complex_number(r, real, imaginary, type);
}

results general(const routine& r, const any_array& x, bool vectors) {
  const any_array a = r.square(x);
  const dtype type = complex_of(a.dtype());
  const std::int64_t n = rows_in(a);
  if (a.size() == 0) return {r.zeros(shape_with(a, 2, {n}), type), r.as(a, type), {}, {}};
  std::vector<call_output> outputs{{dtype::int32, in_front(a)}, {type, shape_with(a, 2, {n})}};
  if (vectors) outputs.push_back({a.dtype(), shape_with(a, 2, {n, n})});
  // As in NumPy a matrix that is not finite is an error; cuSOLVER would fail for the whole batch.
  const any_array finite = r.reduce_last(r.op(ir::op::isfinite, {a}), ir::op::logical_and, 2);
  const any_array given =
      r.choose(r.expand(r.expand(finite, -1), -1), a, r.constant(0, a.dtype()));
  const auto out = make_call("geev", {r.swapped(given)}, {vectors ? 1 : 0}, outputs, r.where);
  const any_array w = r.op(ir::op::positive, {out[1]});
  const any_array packed = vectors ? out[2] : any_array();
  attach_finite(r, given, r.op(ir::op::real, {out[1]}), out[0], {w, packed});
  const any_array refused =
      r.choose(finite, r.constant(0, dtype::int32), r.constant(-1, dtype::int32));
  const auto by_elements = r.deferred(refused, raise_no_convergence);
  for (const any_array& x : {w, packed}) {
    if (x.valid()) attach(x, by_elements);
  }
  if (!vectors) return {w, {}, {}, {}};
  const any_array v = r.swapped(packed);
  return {w, is_complex(a.dtype()) ? v : unpacked(r, w, v, type), {}, {}};
}

}  // namespace

results eigh(const any_array& a, const la::eigh_options& o, location where) {
  return hermitian({"eigh", where}, a, o, true);
}
any_array eigvalsh(const any_array& a, const la::eigh_options& o, location where) {
  return hermitian({"eigvalsh", where}, a, o, false).a;
}
results eig(const any_array& a, location where) {
  return general({"eig", where}, a, true);
}
any_array eigvals(const any_array& a, location where) {
  return general({"eigvals", where}, a, false).a;
}

// ---- functions of singular values

any_array pinv(const any_array& x, const la::cutoff_options& o, location where) {
  const routine r{"pinv", where};
  const precision ieee({.matmul = matmul_mode::ieee});
  const any_array a = r.matrices(x);
  if (a.size() == 0) return r.zeros(shape_with(a, 2, {columns_in(a), rows_in(a)}), a.dtype());
  const results f = factors(r, a, svd_vectors::thin);
  const any_array scale = inverted(r, f.b, threshold(r, a, f.b, o.rtol));
  const any_array left = r.times(r.adjoint(f.c), r.as(r.expand(scale, -2), a.dtype()));
  return r.product(left, r.adjoint(f.a));
}

results lstsq(const any_array& x, const any_array& y, const la::cutoff_options& o, location where) {
  const routine r{"lstsq", where};
  const precision ieee({.matmul = matmul_mode::ieee});
  const dtype ty = checked(y, r.name, where).type;
  const any_array first = r.matrices(x);
  const dtype t = linalg_type(promote(first.dtype(), ty));
  const any_array a = r.as(first, t);
  const std::int64_t m = rows_in(a), n = columns_in(a);
  const bool vector = y.ndim() == 1;
  if (y.ndim() == 0 || is_half(ty) || (vector ? y.shape(0) : rows_in(y)) != m) {
    r.refuse_shape(y, "does not fit matrices of shape " + text_of(a.extents()));
  }
  const any_array b = r.as(vector ? r.expand(y, -1) : y, t);
  any_array solved, rank, s;
  if (a.size() == 0) {
    solved = r.zeros(shape_with(b, 2, {n, columns_in(b)}), t);
    rank = r.zeros(in_front(a), dtype::int64);
    s = r.zeros(shape_with(a, 2, {std::min(m, n)}), real_of(t));
  } else {
    const results f = factors(r, a, svd_vectors::thin);
    s = f.b;
    const any_array limit = threshold(r, a, s, o.rtol);
    rank = count_above(r, s, limit);
    const any_array scale = r.as(r.expand(inverted(r, s, limit), -1), t);
    solved = r.product(r.adjoint(f.c), r.times(scale, r.product(r.adjoint(f.a), b)));
  }
  any_array rest = r.zeros(shape_with(b, 2, {0}), real_of(t));
  if (m > n) {
    const any_array off = r.squared(r.op(ir::op::subtract, {b, r.product(a, solved)}));
    rest = r.reduce(off, ir::op::add, {off.ndim() - 2});
  }
  if (vector) solved = r.reshape(solved, shape_with(solved, 1, {}));
  return {solved, rest, rank, s};
}

any_array matrix_rank(const any_array& x, const la::rank_options& o, location where) {
  const routine r{"matrix_rank", where};
  if (checked(x, r.name, where).shape.size() < 2) {
    const any_array none = r.op(ir::op::not_equal, {x, r.constant(0, x.dtype())});
    return r.as(r.reduce_last(none, ir::op::logical_or, x.ndim()), dtype::int64);
  }
  const any_array a = r.matrices(x);
  if (a.size() == 0) return r.zeros(in_front(a), dtype::int64);
  const any_array s = factors(r, a, svd_vectors::none).b;
  const any_array limit = o.tol ? r.constant(*o.tol, s.dtype()) : threshold(r, a, s, o.rtol);
  return count_above(r, s, limit);
}

any_array null_space(const any_array& x, const la::cutoff_options& o, location where) {
  const routine r{"null_space", where};
  const any_array a = r.matrices(x);
  if (a.ndim() != 2) r.refuse_shape(x, "is no single matrix");
  const std::int64_t n = columns_in(a);
  if (a.size() == 0) return r.eye(n, n, a.dtype());
  const results f = factors(r, a, svd_vectors::full);
  std::int64_t rank = 0;
  read(count_above(r, f.b, threshold(r, a, f.b, o.rtol)), &rank, where, "null_space");
  return r.adjoint(r.part(f.c, 0, rank, n));
}

}  // namespace sinter::detail

// Cholesky and LU factors, and determinants.
#include <algorithm>
#include <cmath>

#include <sinter/bits.hpp>
#include <sinter/reductions.hpp>

#include "engine/control/traced_loop.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/linalg/support.hpp"
#include "engine/nodes/report.hpp"
#include "runtime/solver.hpp"

namespace sinter::detail {

namespace {

std::int64_t code(runtime::triangle t) {
  return static_cast<std::int64_t>(t);
}

/// cuSOLVER factors by lower triangles (of its columns) in half the time of upper ones. Doubles,
/// H200, us, lower and upper: side 500 223 and 450, 1,000 441 and 1,031, 2,000 871 and 2,049, 4,000
/// 1,792 and 4,643; 256 of 8 rows 25 and 36, of 64 73 and 82, of 200 347 and 424. One matrix of
/// side 32 25 and 21, of 48 25 and 39, of 100 49 and 96 (H100).
constexpr std::int64_t least_turned = 33;

}  // namespace

any_array cholesky(const any_array& x, const la::cholesky_options& o, location where) {
  const routine r{"cholesky", where};
  const any_array a = r.square(x);
  if (a.size() == 0) return a;
  // For a single matrix the library leaves the other triangle untouched, so the copy that it works
  // in writes the zeros too. Batched routines, which this may become under vmap, may overwrite it.
  const bool one = a.size() == rows_in(a) * rows_in(a) && !tracing();
  const bool turned = !o.upper && on_gpu() && (!one || rows_in(a) >= least_turned);
  const any_array from = turned ? r.swapped(a) : a;
  // LAPACK sees the transpose of a row-major matrix, and thus the other triangle.
  const bool above = o.upper || turned;
  const auto read = above ? runtime::triangle::lower : runtime::triangle::upper;
  const auto zeroed = [&](const any_array& m) { return above ? r.upper(m) : r.lower(m); };
  const extents shape(a.extents().begin(), a.extents().end());
  const auto out = make_call("potrf", {one ? zeroed(from) : from}, {code(read)},
                             {{dtype::int32, in_front(a)}, {a.dtype(), shape}}, where);
  attach(out[1], r.deferred(out[0], raise_not_positive));
  const any_array factor = one ? out[1] : zeroed(out[1]);
  return turned ? r.swapped(factor) : factor;
}

namespace {

struct packed_lu {
  any_array status, lu, pivots;  // lu: (..., columns, rows)
};

/// Factorises the transposes, which need no reordering: for results that are equal for both.
packed_lu factorise_turned(const routine& r, const any_array& a) {
  const std::int64_t n = rows_in(a);
  const auto out = make_call("getrf", {a}, {},
                             {{dtype::int32, in_front(a)},
                              {a.dtype(), column_shape(a, n, n)},
                              {dtype::int32, shape_with(a, 2, {n})}},
                             r.where);
  return {out[0], out[1], out[2]};
}

packed_lu factorise(const routine& r, const any_array& a) {
  const std::int64_t m = rows_in(a), n = columns_in(a);
  const auto out = make_call("getrf", {r.swapped(a)}, {},
                             {{dtype::int32, in_front(a)},
                              {a.dtype(), column_shape(a, m, n)},
                              {dtype::int32, shape_with(a, 2, {std::min(m, n)})}},
                             r.where);
  return {out[0], out[1], out[2]};
}

any_array int32_one(const routine& r) {
  return r.constant(1, dtype::int32);
}

/// det = sign of the permutation * product of U's diagonal.
any_array is_odd(const routine& r, const any_array& pivots) {
  const any_array own =
      r.op(ir::op::add, {r.as(r.columns_of(columns_in(pivots)), dtype::int32), int32_one(r)});
  const any_array swaps = r.as(r.op(ir::op::not_equal, {pivots, own}), dtype::int32);
  const any_array count = r.reduce_last(swaps, ir::op::add);
  return r.op(ir::op::equal, {r.op(ir::op::bitwise_and, {count, int32_one(r)}), int32_one(r)});
}

}  // namespace

results lu_factor(const any_array& x, location where) {
  const routine r{"lu_factor", where};
  const any_array a = r.matrices(x);
  const std::int64_t k = std::min(rows_in(a), columns_in(a));
  if (a.size() == 0) return {a, r.zeros(shape_with(a, 2, {k}), dtype::int32), {}, {}};
  const packed_lu f = factorise(r, a);
  return {r.swapped(f.lu), r.op(ir::op::subtract, {f.pivots, int32_one(r)}), {}, {}};
}

results lu(const any_array& x, location where) {
  const routine r{"lu", where};
  const any_array a = r.matrices(x);
  const std::int64_t m = rows_in(a), n = columns_in(a), k = std::min(m, n);
  if (a.size() == 0) {
    return {r.broadcast(r.eye(m, m, a.dtype()), shape_with(a, 2, {m, m})),
            r.broadcast(r.eye(m, k, a.dtype()), shape_with(a, 2, {m, k})),
            r.zeros(shape_with(a, 2, {k, n}), a.dtype()),
            {}};
  }
  const packed_lu f = factorise(r, a);
  // Row j of P^T a is row order[j] of a.
  const any_array order =
      make_call("pivot_rows", {f.pivots}, dtype::int64, shape_with(a, 2, {m}), where, {0});
  const any_array p = r.op(ir::op::equal, {r.rows_of(m), r.expand(order, -2)});
  const any_array rows = r.swapped(f.lu);
  const any_array below = r.part(rows, -1, 0, k), above = r.part(rows, -2, 0, k);
  const any_array on_diagonal = r.op(ir::op::equal, {r.rows_of(m), r.columns_of(k)});
  const any_array l = r.choose(on_diagonal, r.constant(1, a.dtype()), r.lower(below, -1));
  return {r.as(p, a.dtype()), l, r.upper(above), {}};
}

namespace {

any_array solve_packed(const routine& r, const any_array& lu, const any_array& pivots,
                       const any_array& b, runtime::transposition t) {
  const right_sides s = align_right_sides(r, lu, b);
  if (s.columns.size() == 0) return s.restore(r, s.columns);
  const extents shape(s.columns.extents().begin(), s.columns.extents().end());
  extents pivot_shape(shape.begin(), shape.end() - 2);
  extents lu_shape = pivot_shape;
  pivot_shape.push_back(columns_in(lu));
  lu_shape.insert(lu_shape.end(), {columns_in(lu), columns_in(lu)});
  const any_array x = make_call(
      "getrs", {r.broadcast(lu, lu_shape), r.broadcast(pivots, pivot_shape), s.columns}, lu.dtype(),
      shape, r.where, {static_cast<std::int64_t>(t), 0});
  return s.restore(r, x);
}

}  // namespace

any_array lu_solve(const any_array& lu, const any_array& pivots, const any_array& b,
                   location where) {
  const routine r{"lu_solve", where};
  const any_array a = r.square(lu);
  const dtype t = linalg_type(promote(a.dtype(), checked(b, "lu_solve", where).type));
  const any_array swaps = r.op(ir::op::add, {r.as(pivots, dtype::int32), int32_one(r)});
  return solve_packed(r, r.swapped(r.as(a, t)), swaps, r.as(b, t),
                      runtime::transposition::none);
}

any_array solve_general(const routine& r, const any_array& a, const any_array& b, bool checks) {
  const packed_lu f = factorise_turned(r, a);
  if (checks) {
    attach(f.lu, r.deferred(singular_where_finite(r, a, f.status), raise_singular));
  }
  const any_array x = solve_packed(r, f.lu, f.pivots, b, runtime::transposition::transpose);
  return checks ? with_nans_of(r, a, f.status, x, b.ndim() == 1 ? 1 : 2) : x;
}

any_array inverse(const routine& r, const any_array& a) {
  const packed_lu f = factorise_turned(r, a);
  attach(f.lu, r.deferred(singular_where_finite(r, a, f.status), raise_singular));
  const extents shape(a.extents().begin(), a.extents().end());
  const any_array unit = r.broadcast(r.eye(rows_in(a), rows_in(a), a.dtype()), shape);
  // In column-major order this is the inverse of the transpose.
  const any_array x = make_call("getrs", {f.lu, f.pivots, unit}, a.dtype(), shape, r.where,
                                {static_cast<std::int64_t>(runtime::transposition::none), 1});
  return with_nans_of(r, a, f.status, x, 2);
}

// ---- determinants

namespace {

/// x 2^e, e being int32. Complex numbers in two steps, as 2^e may overflow where the result does
/// not.
any_array scaled(const routine& r, const any_array& x, const any_array& e) {
  if (!is_complex(x.dtype())) return r.op(ir::op::ldexp, {x, e});
  const dtype real = real_of(x.dtype());
  const any_array one = r.constant(1, real);
  // Neither of the two powers may overflow, as 0 times infinity is no number.
  const double most = real == dtype::float32 ? 2 * 127 : 2 * 1023;
  const any_array held = r.op(ir::op::clip, {e, r.constant(-most - 100, dtype::int32),
                                             r.constant(most, dtype::int32)});
  const any_array half = r.op(ir::op::bitwise_right_shift, {held, int32_one(r)});
  const any_array rest = r.op(ir::op::subtract, {held, half});
  const auto power = [&](const any_array& n) {
    return r.as(r.op(ir::op::ldexp, {one, n}), x.dtype());
  };
  return r.times(r.times(x, power(half)), power(rest));
}

/// The product of the pivots, of numbers around 1 and a power of two: it has the bits of the plain
/// product, but none that leaves the range on the way.
any_array product_of_pivots(const routine& r, const any_array& d) {
  const bool complex = is_complex(d.dtype());
  const any_array taken = complex ? r.op(ir::op::maximum, {r.absolute(r.op(ir::op::real, {d})),
                                                           r.absolute(r.op(ir::op::imag, {d}))})
                                  : d;
  const auto [fraction, exponent] = frexp(taken, r.where);
  const any_array root = r.constant(std::sqrt(0.5), taken.dtype());
  const any_array small = r.op(ir::op::less, {r.absolute(fraction), root});
  const any_array e = r.op(ir::op::subtract, {exponent, r.as(small, dtype::int32)});
  const any_array twice = r.op(ir::op::add, {fraction, fraction});
  const any_array around_one = complex ? scaled(r, d, r.op(ir::op::negative, {e}))
                                       : r.choose(small, twice, fraction);
  const any_array all = r.as(r.reduce_last(e, ir::op::add), dtype::int32);
  return scaled(r, prod(around_one, {.axis = -1}, r.where), all);
}

}  // namespace

any_array det(const any_array& x, location where) {
  const routine r{"det", where};
  const any_array a = r.square(x);
  const any_array one = r.constant(1, a.dtype());
  if (a.size() == 0) return r.broadcast(one, in_front(a));
  const packed_lu f = factorise_turned(r, a);
  const any_array product = product_of_pivots(r, r.diagonal(f.lu));
  const any_array minus = r.op(ir::op::negative, {product});
  return with_nans_of(r, a, r.choose(is_odd(r, f.pivots), minus, product), 0);
}

results slogdet(const any_array& x, location where) {
  const routine r{"slogdet", where};
  const any_array a = r.square(x);
  const dtype real = real_of(a.dtype());
  const any_array one = r.constant(1, a.dtype());
  if (a.size() == 0) {
    return {r.broadcast(one, in_front(a)), r.zeros(in_front(a), real), {}, {}};
  }
  const packed_lu f = factorise_turned(r, a);
  const any_array d = r.diagonal(f.lu), size = r.absolute(d);
  const any_array zero = r.constant(0, a.dtype());
  // An infinite pivot has a sign, whereas infinity / infinity is NaN.
  any_array direction = is_complex(a.dtype())
                            ? r.op(ir::op::divide, {d, r.as(size, a.dtype())})
                            : r.op(ir::op::sign, {d});
  direction = r.choose(r.op(ir::op::equal, {d, zero}), zero, direction);
  const any_array sign = prod(direction, {.axis = -1}, where);
  const any_array flipped = r.choose(is_odd(r, f.pivots), r.op(ir::op::negative, {sign}), sign);
  const any_array logarithm = r.reduce_last(r.op(ir::op::log, {size}), ir::op::add);
  return {with_nans_of(r, a, flipped, 0), with_nans_of(r, a, logarithm, 0), {}, {}};
}

}  // namespace sinter::detail

// QR factors.
#include <algorithm>

#include "engine/evaluation/session.hpp"
#include "engine/linalg/support.hpp"
#include "runtime/solver.hpp"

namespace sinter::detail {

// Q = H_0 H_1 ... = I - V T V^H (Schreiber and Van Loan, 1989) with T^-1 = D^-1 + S, where D holds
// the factors and S is the part of V^H V above its diagonal (Puglisi, 1992). A factor may be zero,
// so the system solved is (I + D S) X = D V^H, and Q = I - V X.
any_array q_by_products(const routine& r, const any_array& reflectors, const any_array& tau,
                        std::int64_t k) {
  const std::int64_t m = columns_in(reflectors), p = columns_in(tau);
  const dtype type = reflectors.dtype();
  // Products in reduced precision would give columns that are not orthogonal.
  const precision ieee({.matmul = matmul_mode::ieee});
  const any_array vector = r.rows_of(p), element = r.columns_of(m);
  const any_array below = r.op(ir::op::greater, {element, vector}),
                  first = r.op(ir::op::equal, {element, vector});
  const any_array head = r.choose(first, r.constant(1, type), r.constant(0, type));
  const any_array v = r.choose(below, r.part(reflectors, -2, 0, p), head);  // by columns
  const any_array scaled = r.times(r.expand(tau, -1), r.conjugate(v));      // D V^H, by rows
  const any_array system = r.product(scaled, r.swapped(v));
  const any_array right = r.swapped(r.part(scaled, -1, 0, k));
  const any_array x =
      make_call("trsm", {system, right}, type, column_shape(reflectors, p, k), r.where,
                {static_cast<std::int64_t>(runtime::triangle::lower),
                 static_cast<std::int64_t>(runtime::transposition::transpose), 1});
  return r.op(ir::op::subtract, {r.eye(k, m, type), r.product(x, v)});
}

namespace {

/// With more reflectors in a block, the lost digits outweigh the cost of a call per matrix.
constexpr std::int64_t most_reflectors = 256;

/// The reflectors, padded with zeros to the number of columns of Q.
any_array widened(const routine& r, const any_array& reflectors, std::int64_t rows,
                  std::int64_t columns) {
  const std::int64_t have = rows_in(reflectors);  // by columns
  if (have == columns) return reflectors;
  if (have > columns) return r.part(reflectors, -2, 0, columns);
  const extents shape = shape_with(reflectors, 2, {columns, rows});
  element_map map{0, dense_strides(shape)};
  return make_update(r.zeros(shape, reflectors.dtype()), std::move(map), reflectors, r.where);
}

/// The first k columns of Q.
any_array columns_of_q(const routine& r, const any_array& reflectors, const any_array& tau,
                       std::int64_t k) {
  const std::int64_t m = columns_in(reflectors);
  const bool many = reflectors.size() > rows_in(reflectors) * m;
  if (many && on_gpu() && columns_in(tau) <= most_reflectors) {
    return r.swapped(q_by_products(r, reflectors, tau, k));
  }
  const auto formed = make_call(
      "orgqr", {widened(r, reflectors, m, k), tau}, {},
      {{dtype::int32, in_front(reflectors)}, {reflectors.dtype(), column_shape(reflectors, m, k)}},
      r.where);
  return r.swapped(formed[1]);
}

results qr_of_nothing(const routine& r, const any_array& a, std::int64_t k) {
  const any_array q = r.eye(rows_in(a), k, a.dtype());
  return {r.broadcast(q, shape_with(a, 2, {rows_in(a), k})),
          r.zeros(shape_with(a, 2, {k, columns_in(a)}), a.dtype()),
          {},
          {}};
}

}  // namespace

results qr(const any_array& x, const la::qr_options& o, location where) {
  const routine r{"qr", where};
  const any_array a = r.matrices(x);
  const std::int64_t m = rows_in(a), n = columns_in(a), least = std::min(m, n);
  const bool complete = o.mode == la::qr_mode::complete, with_q = o.mode != la::qr_mode::r;
  const std::int64_t k = complete ? m : least;
  if (a.size() == 0) {
    results nothing = qr_of_nothing(r, a, k);
    if (!with_q) nothing.a = {};
    return nothing;
  }
  const auto out = make_call("geqrf", {r.swapped(a)}, {},
                             {{dtype::int32, in_front(a)},
                              {a.dtype(), column_shape(a, m, n)},
                              {a.dtype(), shape_with(a, 2, {least})}},
                             where);
  const any_array factors = r.swapped(out[1]);
  any_array upper = r.upper(r.part(factors, -2, 0, least));
  if (complete && m > n) {
    upper = r.upper(factors);
  }
  if (!with_q) return {{}, upper, {}, {}};
  return {columns_of_q(r, out[1], out[2], k), upper, {}, {}};
}

}  // namespace sinter::detail

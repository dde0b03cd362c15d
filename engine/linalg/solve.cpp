// Solving, inverting, least squares.
#include <algorithm>

#include "engine/linalg/support.hpp"
#include "engine/nodes/report.hpp"
#include "runtime/solver.hpp"

namespace sinter::detail {

any_array right_sides::restore(const routine& r, const any_array& solved) const {
  const any_array x = r.swapped(solved);
  if (!vector) return x;
  return r.reshape(x, shape_with(x, 1, {}));
}

right_sides align_right_sides(const routine& r, const any_array& a, const any_array& b) {
  right_sides s;
  s.vector = b.ndim() == 1;
  const std::int64_t n = columns_in(a);
  if (b.ndim() == 0) r.refuse_shape(b, "is no right side: it has no axis");
  const any_array x = s.vector ? r.expand(b, -1) : b;
  if (rows_in(x) != n) {
    r.refuse_shape(b, "does not fit matrices of shape " + text_of(a.extents()) + ": axis " +
                          std::to_string(s.vector ? 0 : b.ndim() - 2) + " is " +
                          std::to_string(rows_in(x)) + ", not " + std::to_string(n));
  }
  const auto sa = a.extents(), sx = x.extents();
  const extents front_a(sa.begin(), sa.end() - 2), front_x(sx.begin(), sx.end() - 2);
  extents front = front_a.size() > front_x.size() ? front_a : front_x;
  const extents& other = front_a.size() > front_x.size() ? front_x : front_a;
  for (std::size_t i = 0; i < other.size(); ++i) {
    std::int64_t& e = front[front.size() - other.size() + i];
    if (e != other[i] && e != 1 && other[i] != 1) {
      r.refuse_shape(b, "does not broadcast with matrices of shape " + text_of(sa));
    }
    if (e == 1) e = other[i];
  }
  front.insert(front.end(), {n, columns_in(x)});
  s.columns = r.swapped(r.broadcast(x, front));
  return s;
}

namespace {

struct pair {
  any_array a, b;
};

/// Both operands in the type that they are solved in.
pair common(const routine& r, const any_array& a, const any_array& b) {
  const any_array m = r.matrices(a);
  const dtype tb = checked(b, r.name, r.where).type;
  if (is_half(tb)) {
    fail<dtype_error>(error_code::bad_dtype, r.name,
                      std::string(name(tb)) + " is not taken: convert it to float32", r.where);
  }
  const dtype t = linalg_type(promote(m.dtype(), tb));
  return {r.as(m, t), r.as(b, t)};
}

any_array empty_solution(const routine& r, const any_array& a, const any_array& b) {
  const right_sides s = align_right_sides(r, a, b);
  return s.restore(r, s.columns);
}

}  // namespace

any_array solve(const any_array& a, const any_array& b, location where) {
  const routine r{"solve", where};
  r.square(a);
  const auto [m, x] = common(r, a, b);
  if (m.size() == 0) return empty_solution(r, m, x);
  align_right_sides(r, m, x);
  return solve_general(r, m, x);
}

any_array inv(const any_array& x, location where) {
  const routine r{"inv", where};
  const any_array a = r.square(x);
  if (a.size() == 0) return a;
  return inverse(r, a);
}

any_array solve_triangular(const any_array& a, const any_array& b, const la::triangular_options& o,
                           location where) {
  const routine r{"solve_triangular", where};
  r.square(a);
  const auto [m, x] = common(r, a, b);
  const right_sides s = align_right_sides(r, m, x);
  if (s.columns.size() == 0) return s.restore(r, s.columns);
  extents shape(s.columns.extents().begin(), s.columns.extents().end());
  extents matrix(shape.begin(), shape.end() - 2);
  matrix.insert(matrix.end(), {rows_in(m), rows_in(m)});
  const auto read = o.lower ? runtime::triangle::lower : runtime::triangle::upper;
  const la::triangular_options::transposition trans = o.trans;
  const any_array solved = make_call(
      "trsm", {r.broadcast(r.swapped(m), matrix), s.columns}, m.dtype(), shape, where,
      {static_cast<std::int64_t>(read), static_cast<std::int64_t>(trans), o.unit_diagonal ? 1 : 0});
  if (!o.unit_diagonal) {
    const any_array zero = r.op(ir::op::equal, {r.diagonal(m), r.constant(0, m.dtype())});
    const any_array bad = r.as(zero, dtype::int32);
    const any_array first = make_reduce(bad, ir::op::maximum, true, {bad.ndim() - 1}, where);
    const any_array place =
        r.op(ir::op::add, {r.as(first, dtype::int32), r.constant(1, dtype::int32)});
    const any_array status =
        r.choose(r.reduce_last(zero, ir::op::logical_or), place, r.constant(0, dtype::int32));
    attach(solved, r.deferred(status, raise_singular));
  }
  return s.restore(r, solved);
}

}  // namespace sinter::detail

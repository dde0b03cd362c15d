// Powers, exponentials and chains of products.
#include <algorithm>
#include <cmath>
#include <limits>

#include <sinter/control.hpp>

#include "engine/control/traced_loop.hpp"
#include "engine/nodes/traced_region.hpp"
#include "engine/linalg/support.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {

any_array matrix_power(const any_array& x, std::int64_t n, location where) {
  const routine r{"matrix_power", where};
  checked(x, r.name, where);
  if (x.ndim() < 2 || rows_in(x) != columns_in(x)) {
    r.refuse_shape(x, "is not square in its last two axes");
  }
  if (n < 0 && !is_inexact(x.dtype())) {
    fail<dtype_error>(error_code::bad_dtype, r.name,
                      "a negative power of integers is not one of integers: convert them first",
                      where);
  }
  const extents shape(x.extents().begin(), x.extents().end());
  if (n == 0) return r.broadcast(r.eye(rows_in(x), rows_in(x), x.dtype()), shape);
  any_array base = n < 0 ? inv(x, where) : x, result;
  auto left =
      n < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  for (;;) {
    if (left & 1) result = result.valid() ? r.product(result, base) : base;
    left >>= 1;
    if (left == 0) return result;
    base = r.product(base, base);
  }
}

// ---- expm

namespace {

// Higham 2005, table 2.3: the degree-13 approximant and the largest norm it serves.
constexpr double pade[] = {64764752532480000.,
                           32382376266240000.,
                           7771770303897600.,
                           1187353796428800.,
                           129060195264000.,
                           10559470521600.,
                           670442572800.,
                           33522128640.,
                           1323241920.,
                           40840800.,
                           960960.,
                           16380.,
                           182.,
                           1.};
constexpr double reach = 5.371920351148152;

/// The number of halvings of each matrix: (...), in its own type.
any_array halvings(const routine& r, const any_array& a) {
  const any_array columns = r.reduce(r.absolute(a), ir::op::add, {a.ndim() - 2});
  const any_array norm = r.reduce_last(columns, ir::op::maximum);
  const any_array ratio = r.op(ir::op::divide, {norm, r.constant(reach, norm.dtype())});
  const any_array times = r.op(ir::op::ceil, {r.op(ir::op::log2, {ratio})});
  const any_array zero = r.constant(0, norm.dtype());
  const any_array finite = r.op(ir::op::isfinite, {times});
  return r.op(ir::op::maximum, {r.choose(finite, times, zero), zero});
}

/// sum of c[i] x[i]
any_array combined(const routine& r, std::initializer_list<std::pair<double, any_array>> terms) {
  any_array sum;
  for (const auto& [c, x] : terms) {
    const any_array term = r.times(x, r.constant(c, x.dtype()));
    sum = sum.valid() ? r.op(ir::op::add, {sum, term}) : term;
  }
  return sum;
}

any_array approximant(const routine& r, const any_array& a) {
  const std::int64_t n = rows_in(a);
  const any_array one =
      r.broadcast(r.eye(n, n, a.dtype()), {a.extents().begin(), a.extents().end()});
  const any_array a2 = r.product(a, a), a4 = r.product(a2, a2), a6 = r.product(a4, a2);
  const auto& b = pade;
  const any_array high_odd = combined(r, {{b[13], a6}, {b[11], a4}, {b[9], a2}});
  const any_array low_odd = combined(r, {{b[7], a6}, {b[5], a4}, {b[3], a2}, {b[1], one}});
  const any_array odd = r.product(a, r.op(ir::op::add, {r.product(a6, high_odd), low_odd}));
  const any_array high_even = combined(r, {{b[12], a6}, {b[10], a4}, {b[8], a2}});
  const any_array low_even = combined(r, {{b[6], a6}, {b[4], a4}, {b[2], a2}, {b[0], one}});
  const any_array even = r.op(ir::op::add, {r.product(a6, high_even), low_even});
  return solve_general(r, r.op(ir::op::subtract, {even, odd}), r.op(ir::op::add, {even, odd}),
                       false);
}

}  // namespace

namespace {

/// Squares each matrix `times` times; `times` is (...), exact whole numbers.
struct squaring {
  const routine& r;

  static any_array per_matrix(const routine& r, const any_array& x) {
    return r.expand(r.expand(x, -1), -1);
  }
  static void goes(void* p, any_array* in, any_array* out, location) {
    const routine& r = static_cast<squaring*>(p)->r;
    const any_array left = r.op(ir::op::greater, {in[1], r.constant(0, in[1].dtype())});
    out[0] = r.reduce_last(left, ir::op::logical_or, left.ndim());
  }
  static void step(void* p, any_array* in, any_array* out, location) {
    const routine& r = static_cast<squaring*>(p)->r;
    const any_array again = r.op(ir::op::greater, {in[1], r.constant(0, in[1].dtype())});
    const any_array square = r.product(in[0], in[0]);
    out[1] = r.op(ir::op::subtract, {in[1], r.constant(1, in[1].dtype())});
    out[0] = r.choose(per_matrix(r, again), square, in[0]);
  }
};

}  // namespace

any_array expm(const any_array& x, location where) {
  const routine r{"expm", where};
  const any_array a = r.square(x);
  if (a.size() == 0) return a;
  const any_array times = halvings(r, a);
  const any_array per_matrix = squaring::per_matrix(r, times);
  const any_array scale = r.op(ir::op::exp2, {r.op(ir::op::negative, {per_matrix})});
  any_array result = approximant(r, r.times(a, r.as(scale, a.dtype())));
  if (tracing() && needs_stand_in(times)) {  // no value can be read: each matrix stops by itself
    squaring s{r};
    return while_loop({squaring::goes, &s, 1}, {squaring::step, &s, 2}, {result, times}, where)[0];
  }
  double most = 0;
  read(r.as(r.reduce_last(times, ir::op::maximum, times.ndim()), dtype::float64), &most, where,
       "expm");
  for (int i = 0; i < static_cast<int>(most); ++i) {
    const any_array again = r.op(ir::op::greater, {per_matrix, r.constant(i, per_matrix.dtype())});
    const any_array square = r.product(result, result);
    result = a.ndim() == 2 ? square : r.choose(again, square, result);
  }
  return result;
}

// ---- chains

namespace {

/// The split points of a chain: cut[i][j] for the product of matrices i to j. The algorithm of
/// Cormen et al., Introduction to Algorithms, 15.2.
std::vector<std::vector<std::size_t>> cheapest(const std::vector<std::int64_t>& sides) {
  const std::size_t n = sides.size() - 1;
  std::vector cost(n, std::vector<double>(n, 0));
  std::vector cut(n, std::vector<std::size_t>(n, 0));
  for (std::size_t length = 1; length < n; ++length) {
    for (std::size_t i = 0; i + length < n; ++i) {
      const std::size_t j = i + length;
      cost[i][j] = std::numeric_limits<double>::infinity();
      for (std::size_t k = i; k < j; ++k) {
        const double own = static_cast<double>(sides[i]) * static_cast<double>(sides[k + 1]) *
                           static_cast<double>(sides[j + 1]);
        const double all = cost[i][k] + cost[k + 1][j] + own;
        if (all < cost[i][j]) {
          cost[i][j] = all;
          cut[i][j] = k;
        }
      }
    }
  }
  return cut;
}

any_array product_of(const routine& r, const std::vector<any_array>& chain,
                     const std::vector<std::vector<std::size_t>>& cut, std::size_t i,
                     std::size_t j) {
  if (i == j) return chain[i];
  return r.product(product_of(r, chain, cut, i, cut[i][j]),
                   product_of(r, chain, cut, cut[i][j] + 1, j));
}

}  // namespace

any_array multi_dot(const std::vector<any_array>& chain, location where) {
  const routine r{"multi_dot", where};
  if (chain.size() < 2) {
    fail<value_error>(error_code::bad_argument, r.name, "a chain has two arrays at least", where);
  }
  std::vector<std::int64_t> sides;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const any_array& x = chain[i];
    checked(x, r.name, where);
    const bool end = i == 0 || i + 1 == chain.size();
    if (x.ndim() != 2 && !(x.ndim() == 1 && end)) {
      r.refuse_shape(x, "is no matrix, and not a vector at an end of the chain");
    }
    if (i == 0) sides.push_back(x.ndim() == 1 ? 1 : x.shape(0));
    const std::int64_t rows = x.ndim() == 1 ? (i == 0 ? 1 : x.shape(0)) : x.shape(0);
    if (i > 0 && rows != sides.back()) {
      r.refuse_shape(x, "does not align with " + text_of(chain[i - 1].extents()) + " before it");
    }
    sides.push_back(x.ndim() == 1 ? (i == 0 ? x.shape(0) : 1) : x.shape(1));
  }
  return product_of(r, chain, cheapest(sides), 0, chain.size() - 1);
}

}  // namespace sinter::detail

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

// Al-Mohy and Higham, SIAM J. Matrix Anal. Appl. 31, 2009: the coefficient of the 27th power in
// the error of the approximant, inverted.
constexpr double last_term = 113250775606021113483283660800000000.;

/// A matrix times 2^-room, and its powers, none of which overflows.
struct power_list {
  any_array a, a2, a4, a6;
  any_array room;  // (...), whole numbers
};

/// The binary logarithm of the largest sum of a column: (...), real.
any_array log_norm(const routine& r, const any_array& a) {
  const any_array columns = r.reduce(r.absolute(a), ir::op::add, {a.ndim() - 2});
  return r.op(ir::op::log2, {r.reduce_last(columns, ir::op::maximum)});
}

/// max(0, ceil(x)), and 0 of what is not finite.
any_array whole(const routine& r, const any_array& x) {
  const any_array zero = r.constant(0, x.dtype()), up = r.op(ir::op::ceil, {x});
  return r.op(ir::op::maximum, {r.choose(r.op(ir::op::isfinite, {up}), up, zero), zero});
}

any_array per_matrix(const routine& r, const any_array& x) {
  return r.expand(r.expand(x, -1), -1);
}

/// x times 2^(count * e), for e of (...).
any_array times_power(const routine& r, const any_array& x, const any_array& e, double count) {
  const any_array all = r.times(per_matrix(r, e), r.constant(count, e.dtype()));
  return r.times(x, r.as(r.op(ir::op::exp2, {all}), x.dtype()));
}

power_list powers(const routine& r, const any_array& x) {
  const any_array norm = log_norm(r, x);
  const double safe = norm.dtype() == dtype::float32 ? 20 : 160;  // six of it do not overflow
  const any_array room =
      whole(r, r.op(ir::op::subtract, {norm, r.constant(safe, norm.dtype())}));
  const any_array a = times_power(r, x, room, -1);
  const any_array a2 = r.product(a, a), a4 = r.product(a2, a2);
  return {a, a2, a4, r.product(a4, a2), room};
}

/// log2 of the norm of |a|^27, in double, as it may be far below that of a.
any_array log_norm_of_27(const routine& r, const any_array& a) {
  const any_array b = r.as(r.absolute(a), dtype::float64);
  const any_array b2 = r.product(b, b), b4 = r.product(b2, b2), b8 = r.product(b4, b4);
  any_array row = r.expand(r.reduce(b, ir::op::add, {b.ndim() - 2}), -2);
  for (const any_array& power : {b8, b8, b8, b2}) row = r.product(row, power);
  return log_norm(r, row);
}

/// The number of halvings of each matrix: (...), in its own real type. By the norms of powers,
/// which for a matrix that is not normal may be far below the power of its norm: halvings without
/// need lose digits. More of them where the powers of |a| say that rounding errors would grow.
any_array halvings(const routine& r, const power_list& p) {
  const dtype type = p.room.dtype();
  const auto constant = [&](double x) { return r.constant(x, type); };
  const any_array fourth = r.times(log_norm(r, p.a4), constant(1.0 / 4));
  const any_array sixth = r.times(log_norm(r, p.a6), constant(1.0 / 6));
  const any_array norm = log_norm(r, p.a);
  const any_array size =
      r.op(ir::op::minimum, {norm, r.op(ir::op::maximum, {fourth, sixth})});
  const any_array times =
      whole(r, r.op(ir::op::subtract, {r.op(ir::op::add, {size, p.room}),
                                       constant(std::log2(reach))}));
  const any_array more = r.op(ir::op::subtract, {p.room, times});
  const double rounding = type == dtype::float32 ? -24 : -53;
  const any_array error = r.op(
      ir::op::subtract,
      {r.op(ir::op::add, {r.op(ir::op::subtract, {r.as(log_norm_of_27(r, p.a), type), norm}),
                          r.times(more, constant(26))}),
       constant(std::log2(last_term) + rounding)});
  return r.op(ir::op::add, {times, whole(r, r.times(error, constant(1.0 / 26)))});
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

/// The exponential of a power_list's matrix, halved `times` times.
any_array approximant(const routine& r, const power_list& p, const any_array& times) {
  const any_array scale = r.op(ir::op::subtract, {p.room, times});
  const any_array a = times_power(r, p.a, scale, 1);
  const std::int64_t n = rows_in(a);
  const any_array one =
      r.broadcast(r.eye(n, n, a.dtype()), {a.extents().begin(), a.extents().end()});
  const any_array a2 = times_power(r, p.a2, scale, 2), a4 = times_power(r, p.a4, scale, 4),
                  a6 = times_power(r, p.a6, scale, 6);
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
  const precision ieee({.matmul = matmul_mode::ieee});
  const power_list p = powers(r, a);
  const any_array times = halvings(r, p);
  any_array result = approximant(r, p, times);
  if (tracing() && needs_stand_in(times)) {  // no value can be read: each matrix stops by itself
    squaring s{r};
    return while_loop({squaring::goes, &s, 1}, {squaring::step, &s, 2}, {result, times}, where)[0];
  }
  double most = 0;
  read(r.as(r.reduce_last(times, ir::op::maximum, times.ndim()), dtype::float64), &most, where,
       "expm");
  for (int i = 0; i < static_cast<int>(most); ++i) {
    const any_array again =
        per_matrix(r, r.op(ir::op::greater, {times, r.constant(i, times.dtype())}));
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

#pragma once
// Solvers, inverses, determinants, norms and powers: included by <sinter/linalg.hpp>.

#include <initializer_list>
#include <vector>

#include <sinter/linalg.hpp>
#include <sinter/reductions.hpp>

namespace sinter::linalg {

/// Solves a x = b for x: a (..., n, n); b (n) or (..., n, k), whose leading axes broadcast with
/// a's. Throws shape_error; linalg_error when read: "the matrix is singular: pivot 2 is zero".
/// `solve(a, b)`, `solve(a, {1, 2})`
template <detail::solvable A, detail::solvable B = detail::list_beside<A>>
auto solve(A&& a, B&& b, location where = location::current()) {
  return detail::typed<detail::solved_with<A, B>>(
      detail::solve(detail::to_any(std::forward<A>(a), where),
                    detail::to_any(std::forward<B>(b), where), where),
      where);
}

/// Solves a x = b for x, given the factors of a from `lu_factor`: `lu_solve(lu, pivots, b)`. A zero
/// pivot is divided by without an error. Throws shape_error if the shapes of factors, pivots and
/// right sides do not match, dtype_error for half types.
template <element T, detail::solvable B = array<T>>
auto lu_solve(const array<T>& lu, const array<std::int32_t>& pivots, B&& b,
              location where = location::current()) {
  return detail::typed<detail::solved_with<array<T>, B>>(
      detail::lu_solve(lu, pivots, detail::to_any(std::forward<B>(b), where), where), where);
}

/// Solves op(a) x = b for x, reading one triangle of a; shapes as for `solve`. Options:
/// `{.lower = true}`, `{.trans = "C"}`, `{.unit_diagonal = true}`. Throws linalg_error, when read,
/// for a zero on the diagonal. `solve_triangular(a, b, {.lower = true})`
template <detail::solvable A, detail::solvable B = detail::list_beside<A>>
auto solve_triangular(A&& a, B&& b, const triangular_options& options = {},
                      location where = location::current()) {
  return detail::typed<detail::solved_with<A, B>>(
      detail::solve_triangular(detail::to_any(std::forward<A>(a), where),
                               detail::to_any(std::forward<B>(b), where), options, where),
      where);
}

template <element T> struct lstsq_result {
  array<T> x;
  array<element_of<real_of(dtype_of<T>)>> residuals;
  array<std::int64_t> rank;
  array<element_of<real_of(dtype_of<T>)>> s;
};

/// The least-squares solution: the shortest x that minimises |b - a x|, for a (..., m, n) and b (m)
/// or (..., m, k). Also returns `residuals`, the sums of squares of b - a x, one per column, and
/// empty where m <= n (unlike NumPy's they are also returned if the rank is less than n); `rank`;
/// and `s`, the singular values. Singular values up to rtol times the largest count as zero. Throws
/// shape_error for a b that does not fit or is of a half type, dtype_error for an a of a half type;
/// linalg_error as `svd`. `auto [x, residuals, rank, s] = lstsq(a, b)`
template <detail::solvable A, detail::solvable B = detail::list_beside<A>>
auto lstsq(A&& a, B&& b, const cutoff_options& options = {}, location where = location::current()) {
  constexpr dtype t = detail::solved_with<A, B>;
  auto r = detail::lstsq(detail::to_any(std::forward<A>(a), where),
                         detail::to_any(std::forward<B>(b), where), options, where);
  return lstsq_result<element_of<t>>{
      detail::typed<t>(r.a, where), detail::typed<real_of(t)>(r.b, where),
      detail::typed<dtype::int64>(r.c, where), detail::typed<real_of(t)>(r.d, where)};
}

/// The inverse of (..., n, n). To solve a system use `solve`, which takes a third of the work and
/// is more accurate. Throws linalg_error, when read, for a singular matrix. `inv(a)`
template <detail::solvable A> auto inv(A&& a, location where = location::current()) {
  return detail::typed<detail::solved_type<A>>(
      detail::inv(detail::to_any(std::forward<A>(a), where), where), where);
}

/// The Moore-Penrose pseudo-inverse of a (..., m, n): (..., n, m). Singular values up to rtol times
/// the largest count as zero; by default rtol is max(m, n) times epsilon, as in the array API.
/// Throws shape_error below two axes, dtype_error for half types; linalg_error as `svd`. `pinv(a)`
template <detail::solvable A>
auto pinv(A&& a, const cutoff_options& options = {}, location where = location::current()) {
  return detail::typed<detail::solved_type<A>>(
      detail::pinv(detail::to_any(std::forward<A>(a), where), options, where), where);
}

/// `rtol` as a plain argument. `pinv(a, 1e-10)`
template <detail::solvable A, std::floating_point R>
auto pinv(A&& a, R rtol, location where = location::current()) {
  return pinv(std::forward<A>(a), cutoff_options{.rtol = static_cast<double>(rtol)}, where);
}

/// The determinant of (..., n, n): shape (...). Throws shape_error for matrices that are not
/// square, dtype_error for half types. `det(a)`
template <detail::solvable A> auto det(A&& a, location where = location::current()) {
  return detail::typed<detail::solved_type<A>>(
      detail::det(detail::to_any(std::forward<A>(a), where), where), where);
}

template <element T> struct slogdet_result {
  array<T> sign;
  array<element_of<real_of(dtype_of<T>)>> logabsdet;
};

/// The sign and the logarithm of |det(a)|, with det(a) = sign * exp(logabsdet); 0 and -inf for a
/// singular matrix. Throws shape_error for matrices that are not square, dtype_error for half
/// types. `auto [sign, logabsdet] = slogdet(a)`
template <detail::solvable A> auto slogdet(A&& a, location where = location::current()) {
  constexpr dtype t = detail::solved_type<A>;
  auto r = detail::slogdet(detail::to_any(std::forward<A>(a), where), where);
  return slogdet_result<element_of<t>>{detail::typed<t>(r.a, where),
                                       detail::typed<real_of(t)>(r.b, where)};
}

/// The number of singular values above the tolerance; for a vector, 1 unless it is zero. dtype:
/// int64. Throws dtype_error for half types; linalg_error as `svd`. `matrix_rank(a)`
template <detail::solvable A>
auto matrix_rank(A&& a, const rank_options& options = {}, location where = location::current()) {
  return detail::typed<dtype::int64>(
      detail::matrix_rank(detail::to_any(std::forward<A>(a), where), options, where), where);
}

/// `tol` as a plain argument. `matrix_rank(a, 1e-10)`
template <detail::solvable A, std::floating_point R>
auto matrix_rank(A&& a, R tol, location where = location::current()) {
  return matrix_rank(std::forward<A>(a), rank_options{.tol = static_cast<double>(tol)}, where);
}

/// a to the power n, in about log2(n) matrix products; the identity for n = 0, a power of the
/// inverse for negative n. dtype: that of a; for negative n that of `inv`. Throws shape_error for
/// matrices that are not square, dtype_error for a negative n of integers; linalg_error as `inv`.
/// `matrix_power(a, 5)`
template <detail::expression A>
auto matrix_power(A&& a, std::int64_t n, location where = location::current()) {
  return array<detail::value_of<A>>(
      detail::matrix_power(detail::to_any(std::forward<A>(a), where), n, where), where);
}

/// The norm of vectors (one axis) or matrices (two axes); by default of all elements as one vector.
/// dtype: real. Throws axis_error, dtype_error for half types, value_error for an order that is not
/// defined for these axes; linalg_error as `svd` for 2, -2 and nuc of matrices. `norm(x)`,
/// `norm(x, {.ord = 1, .axis = 0})`, `norm(x, {.ord = "nuc"})`
template <detail::solvable X>
auto norm(X&& x, const norm_options& options = {}, location where = location::current()) {
  return detail::typed<real_of(detail::solved_type<X>)>(
      detail::norm(detail::to_any(std::forward<X>(x), where), options, where), where);
}

/// The norm of the matrices in the last two axes: "fro" (the default), "nuc", 1, 2, inf, and -1,
/// -2, -inf for the smallest. Throws shape_error below two axes, dtype_error for half types,
/// value_error for an order that is not defined for matrices; linalg_error as `svd` for 2, -2 and
/// nuc. `matrix_norm(x, {.ord = 2})`
template <detail::solvable X>
auto matrix_norm(X&& x, const matrix_norm_options& options = {},
                 location where = location::current()) {
  return detail::typed<real_of(detail::solved_type<X>)>(
      detail::matrix_norm(detail::to_any(std::forward<X>(x), where), options, where), where);
}

/// The vector norm over any axes; `.ord` is a number (default 2): inf, -inf, 0 (the count of
/// nonzero elements), else the sum of |x|^p to the power 1/p. Throws axis_error, dtype_error for
/// half types, value_error for fro and nuc. `vector_norm(x, {.axis = -1})`
template <detail::solvable X>
auto vector_norm(X&& x, const norm_options& options = {}, location where = location::current()) {
  return detail::typed<real_of(detail::solved_type<X>)>(
      detail::vector_norm(detail::to_any(std::forward<X>(x), where), options, where), where);
}

/// The condition number in a norm, by default the 2-norm; inf for a singular matrix. Throws
/// shape_error below two axes, dtype_error for half types, value_error for no elements or an order
/// that is not defined for matrices; linalg_error as `svd`. `cond(a, 1)`
template <detail::solvable X>
auto cond(X&& x, norm_order p = {}, location where = location::current()) {
  return detail::typed<real_of(detail::solved_type<X>)>(
      detail::cond(detail::to_any(std::forward<X>(x), where), p, where), where);
}

/// The matrix exponential, by scaling and squaring with a Pade approximant of degree 13 (Higham,
/// SIAM J. Matrix Anal. 26, 2005), scaled by the norms of powers (Al-Mohy and Higham, SIAM J.
/// Matrix Anal. Appl. 31, 2009). Evaluates a, because they determine the number of squarings.
/// Throws shape_error for matrices that are not square, dtype_error for half types. `expm(a)`
template <detail::solvable A> auto expm(A&& a, location where = location::current()) {
  return detail::typed<detail::solved_type<A>>(
      detail::expm(detail::to_any(std::forward<A>(a), where), where), where);
}

/// An orthonormal basis of {x: a x = 0}, as columns: (n, n - rank). Evaluates a, because the shape
/// depends on the values. Throws shape_error unless a is a single matrix, dtype_error for half
/// types, linalg_error as `svd`. `null_space(a)`
template <detail::solvable A>
auto null_space(A&& a, const cutoff_options& options = {}, location where = location::current()) {
  return detail::typed<detail::solved_type<A>>(
      detail::null_space(detail::to_any(std::forward<A>(a), where), options, where), where);
}

/// The cross product of vectors of three along an axis; the other axes broadcast. dtype: the
/// promotion of both. Throws shape_error. `cross(a, b, 0)`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto cross(A&& a, B&& b, std::int64_t axis = -1, location where = location::current()) {
  constexpr dtype t = promote(detail::dtype_of_argument<A>, detail::dtype_of_argument<B>);
  return detail::typed<t>(detail::cross(detail::to_any(std::forward<A>(a), where),
                                        detail::to_any(std::forward<B>(b), where), axis, where),
                          where);
}

/// The sum of a diagonal of the last two axes: shape (...). dtype: as for `sum`. Throws shape_error
/// below two axes. `trace(a, 1)`
template <detail::expression A>
auto trace(A&& a, std::int64_t offset = 0, location where = location::current()) {
  using R = element_of<detail::sum_type(detail::dtype_of_argument<A>)>;
  return array<R>(detail::trace(detail::to_any(std::forward<A>(a), where), offset, where), where);
}

/// The product of a chain of n matrices in the cheapest order, found in n^3 steps; the first and
/// the last may be vectors. Throws shape_error, value_error for fewer than two arrays.
/// `multi_dot({a, b, c})`
template <element T>
array<T> multi_dot(std::initializer_list<array<T>> chain, location where = location::current()) {
  return array<T>(detail::multi_dot({chain.begin(), chain.end()}, where), where);
}
template <element T>
array<T> multi_dot(const std::vector<array<T>>& chain, location where = location::current()) {
  return array<T>(detail::multi_dot({chain.begin(), chain.end()}, where), where);
}

/// Solves tensordot(a, x, x.ndim()) = b for x: a (b.shape..., x.shape...), where b and x have the
/// same number of elements. Throws shape_error; linalg_error when read, as `solve`.
/// `tensorsolve(a, b)`
template <detail::solvable A, detail::solvable B>
auto tensorsolve(A&& a, B&& b, location where = location::current()) {
  return detail::typed<detail::solved_with<A, B>>(
      detail::tensorsolve(detail::to_any(std::forward<A>(a), where),
                          detail::to_any(std::forward<B>(b), where), where),
      where);
}

/// The inverse of a as a map from its last axes to its first `ind` axes; in the result the last
/// axes come first. Throws shape_error, value_error for ind < 1; linalg_error when read.
/// `tensorinv(a, 1)`
template <detail::solvable A>
auto tensorinv(A&& a, std::int64_t ind = 2, location where = location::current()) {
  return detail::typed<detail::solved_type<A>>(
      detail::tensorinv(detail::to_any(std::forward<A>(a), where), ind, where), where);
}

}  // namespace sinter::linalg

#pragma once
// Factorisations: included by <sinter/linalg.hpp>.

#include <sinter/linalg.hpp>

namespace sinter::linalg {

/// The Cholesky factor of a (..., n, n): lower triangular L with a = L L^H; with `{.upper = true}`,
/// R with a = R^H R. Reads one triangle of a and does not check symmetry. Takes n^3 / 3 operations.
/// Throws shape_error; linalg_error when read: "matrix 3 of the batch is not positive definite:
/// leading minor 17". `cholesky(a)`
template <detail::solvable A>
auto cholesky(A&& a, const cholesky_options& options = {}, location where = location::current()) {
  return detail::typed<detail::solved_type<A>>(
      detail::cholesky(detail::to_any(std::forward<A>(a), where), options, where), where);
}

template <element T> struct lu_factors {
  array<T> lu;                 // U, and L below its diagonal without its unit diagonal
  array<std::int32_t> pivots;  // row i was swapped with row pivots[i], counted from 0
};

/// The packed factors of a = P L U with partial pivoting, for `lu_solve`: a (..., m, n) gives lu
/// (..., m, n) and pivots (..., min(m, n)). A singular matrix has factors too. Throws shape_error
/// below two axes, dtype_error for half types. `auto [lu, pivots] = lu_factor(a)`
template <detail::solvable A> auto lu_factor(A&& a, location where = location::current()) {
  constexpr dtype t = detail::solved_type<A>;
  auto r = detail::lu_factor(detail::to_any(std::forward<A>(a), where), where);
  return lu_factors<element_of<t>>{detail::typed<t>(r.a, where),
                                   detail::typed<dtype::int32>(r.b, where)};
}

template <element T> struct lu_result { array<T> p, l, u; };

/// The factors of a = P L U: the permutation matrix P (..., m, m), L (..., m, k) with a unit
/// diagonal, and U (..., k, n), k = min(m, n). Throws shape_error below two axes, dtype_error for
/// half types. `auto [p, l, u] = lu(a)`
template <detail::solvable A> auto lu(A&& a, location where = location::current()) {
  constexpr dtype t = detail::solved_type<A>;
  auto r = detail::lu(detail::to_any(std::forward<A>(a), where), where);
  return lu_result<element_of<t>>{detail::typed<t>(r.a, where), detail::typed<t>(r.b, where),
                                  detail::typed<t>(r.c, where)};
}

template <element T> struct qr_result { array<T> q, r; };

/// The factors of a = Q R: Q (..., m, k) with orthonormal columns, and R (..., k, n) upper
/// triangular, k = min(m, n). With `{.mode = "complete"}`, k = m; with `{.mode = "r"}`, R alone,
/// and Q holds no array. The diagonal of R may be negative. Throws shape_error below two axes,
/// dtype_error for half types. `auto [q, r] = qr(a)`
template <detail::solvable A>
auto qr(A&& a, const qr_options& options = {}, location where = location::current()) {
  constexpr dtype t = detail::solved_type<A>;
  auto r = detail::qr(detail::to_any(std::forward<A>(a), where), options, where);
  qr_result<element_of<t>> out;
  if (r.a.valid()) out.q = detail::typed<t>(r.a, where);
  out.r = detail::typed<t>(r.b, where);
  return out;
}
/// The mode as a plain argument, as with `{.mode = mode}`; the errors are the same.
/// `qr(a, "complete")`
template <detail::solvable A, sinter::detail::word_for<qr_mode> M>
auto qr(A&& a, M mode, location where = location::current()) {
  return qr(std::forward<A>(a), qr_options{.mode = {mode, where}}, where);
}

template <element T> struct svd_result {
  array<T> u;
  array<element_of<real_of(dtype_of<T>)>> s;
  array<T> vh;
};

/// The singular value decomposition a = U diag(s) Vh: U (..., m, m), s (..., min(m, n)) real and
/// descending, Vh (..., n, n). With `{.full_matrices = false}`, U (..., m, k) and Vh (..., k, n), k
/// = min(m, n). Throws linalg_error, when read, for non-finite elements. `auto [u, s, vh] = svd(a)`
template <detail::solvable A>
auto svd(A&& a, const svd_options& options = {}, location where = location::current()) {
  constexpr dtype t = detail::solved_type<A>;
  auto r = detail::svd(detail::to_any(std::forward<A>(a), where), options.full_matrices, where);
  return svd_result<element_of<t>>{detail::typed<t>(r.a, where),
                                   detail::typed<real_of(t)>(r.b, where),
                                   detail::typed<t>(r.c, where)};
}

/// `full_matrices` as a plain argument. `svd(a, false)`
template <detail::solvable A, std::same_as<bool> Full>
auto svd(A&& a, Full full_matrices, location where = location::current()) {
  return svd(std::forward<A>(a), svd_options{.full_matrices = full_matrices}, where);
}

/// The singular values alone, descending: (..., min(m, n)). Throws as `svd` does. `svdvals(a)`
template <detail::solvable A> auto svdvals(A&& a, location where = location::current()) {
  return detail::typed<real_of(detail::solved_type<A>)>(
      detail::svdvals(detail::to_any(std::forward<A>(a), where), where), where);
}

template <element T> struct eigh_result {
  array<element_of<real_of(dtype_of<T>)>> eigenvalues;
  array<T> eigenvectors;  // as columns
};

/// The eigenvalues (..., n), ascending, and orthonormal eigenvectors (..., n, n) of Hermitian
/// matrices. Reads one triangle. Throws linalg_error, when read, for non-finite elements.
/// `auto [w, v] = eigh(a)`
template <detail::solvable A>
auto eigh(A&& a, const eigh_options& options = {}, location where = location::current()) {
  constexpr dtype t = detail::solved_type<A>;
  auto r = detail::eigh(detail::to_any(std::forward<A>(a), where), options, where);
  return eigh_result<element_of<t>>{detail::typed<real_of(t)>(r.a, where),
                                    detail::typed<t>(r.b, where)};
}

/// The eigenvalues of `eigh` alone. Throws as `eigh` does. `eigvalsh(a)`
template <detail::solvable A>
auto eigvalsh(A&& a, const eigh_options& options = {}, location where = location::current()) {
  return detail::typed<real_of(detail::solved_type<A>)>(
      detail::eigvalsh(detail::to_any(std::forward<A>(a), where), options, where), where);
}

template <element T> struct eig_result {
  array<T> eigenvalues, eigenvectors;  // as columns, each of norm 1
};

/// The eigenvalues (..., n) and right eigenvectors (..., n, n) of square matrices; complex for any
/// a. Throws linalg_error, when read, for non-finite elements. `auto [w, v] = eig(a)`
template <detail::solvable A> auto eig(A&& a, location where = location::current()) {
  constexpr dtype t = detail::complex_of(detail::solved_type<A>);
  auto r = detail::eig(detail::to_any(std::forward<A>(a), where), where);
  return eig_result<element_of<t>>{detail::typed<t>(r.a, where), detail::typed<t>(r.b, where)};
}

/// The eigenvalues of `eig` alone. Throws as `eig` does. `eigvals(a)`
template <detail::solvable A> auto eigvals(A&& a, location where = location::current()) {
  return detail::typed<detail::complex_of(detail::solved_type<A>)>(
      detail::eigvals(detail::to_any(std::forward<A>(a), where), where), where);
}

}  // namespace sinter::linalg

#pragma once
// Sums of products. If two operands both keep axes of their own, the product goes to the library
// behind `matmul`; anything else is one fused multiplication and reduction. dtype: the promotion of
// the operands; integers wrap, bool uses "and" and "or".

#include <sinter/linalg.hpp>
#include <sinter/rearrange.hpp>

namespace sinter {

struct cross_options {
  std::int64_t axis = -1;  // of the vectors, in both arrays and in the result
};

struct vecdot_options {
  std::int64_t axis = -1;  // of both arrays
};

/// The axes that `tensordot` sums over.
struct tensordot_axes {
  int_list a, b;
  std::int64_t count = -1;  // >= 0: the last of a with the first of b
  tensordot_axes(std::int64_t n) : count(n) {}
  tensordot_axes(int_list of_a, int_list of_b) : a(std::move(of_a)), b(std::move(of_b)) {}
};

/// The format of `einsum`, with its source location.
struct einsum_format {
  std::string_view text;
  location where;
  einsum_format(const char* t, location w = location::current()) : text(t), where(w) {}
  einsum_format(const std::string& t, location w = location::current()) : text(t), where(w) {}
};

namespace detail {

any_array dot(const any_array& a, const any_array& b, location where = location::current());
any_array vdot(const any_array& a, const any_array& b, location where = location::current());
any_array vecdot(const any_array& a, const any_array& b, const vecdot_options& o = {},
                 location where = location::current());
any_array inner(const any_array& a, const any_array& b, location where = location::current());
any_array outer(const any_array& a, const any_array& b, location where = location::current());
any_array kron(const any_array& a, const any_array& b, location where = location::current());
any_array matvec(const any_array& a, const any_array& b, location where = location::current());
any_array vecmat(const any_array& a, const any_array& b, location where = location::current());
any_array cross(const any_array& a, const any_array& b, const cross_options& o = {},
                location where = location::current());
any_array tensordot(const any_array& a, const any_array& b, const tensordot_axes& axes = 2,
                    location where = location::current());
any_array einsum(const einsum_format& format, std::vector<any_array> operands);

template <class A, class B>
using product_of_types = array<element_of<promote(dtype_of_argument<A>, dtype_of_argument<B>)>>;

}  // namespace detail

using detail::cross;
using detail::dot;
using detail::einsum;
using detail::inner;
using detail::kron;
using detail::matvec;
using detail::outer;
using detail::tensordot;
using detail::vdot;
using detail::vecdot;
using detail::vecmat;

/// NumPy's dot: the sum over the last axis of a and the second to last axis of b (a vector's only
/// axis). (..., k) and (+++, k, n) give (..., +++, n); with a scalar it is the product. Throws
/// shape_error. `dot(a, b)`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto dot(A&& a, B&& b, location where = location::current()) {
  return detail::product_of_types<A, B>(detail::dot(
      detail::to_any(std::forward<A>(a), where), detail::to_any(std::forward<B>(b), where), where));
}

/// The sum of conj(a) * b over all elements, regardless of shape: shape (). Throws shape_error if
/// the numbers of elements differ. `vdot(a, b)`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto vdot(A&& a, B&& b, location where = location::current()) {
  return detail::product_of_types<A, B>(detail::vdot(
      detail::to_any(std::forward<A>(a), where), detail::to_any(std::forward<B>(b), where), where));
}

/// The sum of conj(a) * b over one axis; the other axes broadcast. Throws axis_error, shape_error.
/// `vecdot(a, b, {.axis = 0})`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto vecdot(A&& a, B&& b, const vecdot_options& options = {},
            location where = location::current()) {
  return detail::product_of_types<A, B>(detail::vecdot(detail::to_any(std::forward<A>(a), where),
                                                       detail::to_any(std::forward<B>(b), where),
                                                       options, where));
}

/// The sums of products over the last axes: (..., k) and (+++, k) give (..., +++). Throws
/// shape_error. `inner(a, b)`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto inner(A&& a, B&& b, location where = location::current()) {
  return detail::product_of_types<A, B>(detail::inner(
      detail::to_any(std::forward<A>(a), where), detail::to_any(std::forward<B>(b), where), where));
}

/// The products of every element of a with every element of b: shape (a.size(), b.size()). Throws
/// shape_error for more than 2^63 - 1 bytes. `outer(a, b)`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto outer(A&& a, B&& b, location where = location::current()) {
  return detail::product_of_types<A, B>(detail::outer(
      detail::to_any(std::forward<A>(a), where), detail::to_any(std::forward<B>(b), where), where));
}

/// The Kronecker product: every element of a times the whole of b; the extents multiply. Throws
/// shape_error for more than 2^63 - 1 bytes. `kron(eye(2), b)`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto kron(A&& a, B&& b, location where = location::current()) {
  return detail::product_of_types<A, B>(detail::kron(
      detail::to_any(std::forward<A>(a), where), detail::to_any(std::forward<B>(b), where), where));
}

/// Matrices (..., m, k) times vectors (..., k): (..., m). Throws shape_error. `matvec(a, x)`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto matvec(A&& a, B&& b, location where = location::current()) {
  return detail::product_of_types<A, B>(detail::matvec(
      detail::to_any(std::forward<A>(a), where), detail::to_any(std::forward<B>(b), where), where));
}

/// Conjugated vectors (..., k) times matrices (..., k, n): (..., n). Throws shape_error.
/// `vecmat(x, a)`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto vecmat(A&& a, B&& b, location where = location::current()) {
  return detail::product_of_types<A, B>(detail::vecmat(
      detail::to_any(std::forward<A>(a), where), detail::to_any(std::forward<B>(b), where), where));
}

/// The cross products of vectors of 3 (or 2, whose third component is 0) along an axis; two vectors
/// of 2 give only the third component. Throws axis_error, shape_error. `cross(a, b)`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto cross(A&& a, B&& b, const cross_options& options = {}, location where = location::current()) {
  return detail::product_of_types<A, B>(detail::cross(detail::to_any(std::forward<A>(a), where),
                                                      detail::to_any(std::forward<B>(b), where),
                                                      options, where));
}

/// The sum of products over some axes of a and of b: a count (the last axes of a with the first of
/// b) or two lists. Shape: the remaining axes of a, then those of b. Throws axis_error,
/// shape_error. `tensordot(a, b, 1)`, `tensordot(a, b, {{0, 1}, {1, 0}})`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto tensordot(A&& a, B&& b, const tensordot_axes& axes = 2, location where = location::current()) {
  return detail::product_of_types<A, B>(detail::tensordot(detail::to_any(std::forward<A>(a), where),
                                                          detail::to_any(std::forward<B>(b), where),
                                                          axes, where));
}

/// Einstein summation over labelled axes, in NumPy's format: repeated labels are diagonals, labels
/// missing from the output are summed over, and "..." are axes that broadcast. Without "->" the
/// output has the labels that occur once, sorted. Several operands are contracted in pairs, the
/// cheapest pair first. Throws value_error for a malformed format, shape_error.
/// `einsum("ij,jk->ik", a, b)`, `einsum("...ii", x)`
template <detail::expression... X> auto einsum(const einsum_format& format, X&&... x) {
  using R = element_of<detail::promoted_arguments<X...>()>;
  return array<R>(detail::einsum(format, {detail::to_any(std::forward<X>(x), format.where)...}));
}

}  // namespace sinter

// Names of the array API's linalg extension; its `diagonal` is over the last two axes.
namespace sinter::linalg {

using sinter::matmul;
using sinter::matrix_transpose;
using sinter::outer;
using sinter::tensordot;
using sinter::vecdot;

struct offset_options {
  std::int64_t offset = 0;  // > 0: above the main diagonal
};

/// The diagonals of the matrices in the last two axes: (..., n). Throws shape_error below two axes.
/// `linalg::diagonal(x, {.offset = 1})`
template <detail::expression X>
auto diagonal(X&& x, const offset_options& options = {}, location where = location::current()) {
  return sinter::diagonal(std::forward<X>(x), {options.offset, -2, -1}, where);
}

}  // namespace sinter::linalg

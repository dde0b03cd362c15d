#pragma once
// Products of matrices.

#include <sinter/arguments.hpp>

namespace sinter {
namespace detail {

any_array matmul(const any_array& a, const any_array& b, location where = location::current());

}  // namespace detail

using detail::matmul;  // for arrays whose dtype is known at run time only

/// The matrix product over the last axis of a and the second to last of b: (..., m, k) and (..., k,
/// n) give (..., m, n). The axes in front broadcast. A vector counts as a row in front and as a
/// column behind, and leaves no axis. dtype: the promotion of both. Throws shape_error.
/// `matmul(a, b)`
template <detail::expression A, detail::expression B>
auto matmul(A&& a, B&& b, location where = location::current()) {
  using R = element_of<promote(detail::dtype_of_argument<A>, detail::dtype_of_argument<B>)>;
  return array<R>(detail::matmul(detail::to_any(std::forward<A>(a), where),
                                 detail::to_any(std::forward<B>(b), where), where));
}

}  // namespace sinter

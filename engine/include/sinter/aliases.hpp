#pragma once
// NumPy's names beside the array API's, and the other way round.

#include <sinter/operators.hpp>
#include <sinter/reductions.hpp>

namespace sinter {
namespace detail {

/// An op's function under a second name.
template <op O>
struct named_op {
  template <class... X>
    requires applicable<O, X...>
  auto operator()(X&&... x) const {
    return apply<O>(std::forward<X>(x)...);
  }
};

/// Converts integers and bools to float before rounding.
struct named_rint {
  template <class X>
    requires applicable<op::round, X>
  auto operator()(X&& x) const {
    using T = typename std::remove_cvref_t<X>::value_type;
    constexpr dtype floats = ir::inexact_operand(op::exp, dtype_of<T>);
    if constexpr (floats == dtype_of<T>)
      return apply<op::round>(std::forward<X>(x));
    else
      return apply<op::round>(astype<element_of<floats>>(std::forward<X>(x)));
  }
};

}  // namespace detail
/// NumPy's names of these ops, with the same shapes, dtypes and errors: `arcsin(x)` is `asin(x)`.
inline constexpr detail::named_op<ir::op::abs> absolute;
inline constexpr detail::named_op<ir::op::asin> arcsin;
inline constexpr detail::named_op<ir::op::acos> arccos;
inline constexpr detail::named_op<ir::op::atan> arctan;
inline constexpr detail::named_op<ir::op::atan2> arctan2;
inline constexpr detail::named_op<ir::op::asinh> arcsinh;
inline constexpr detail::named_op<ir::op::acosh> arccosh;
inline constexpr detail::named_op<ir::op::atanh> arctanh;
inline constexpr detail::named_op<ir::op::bitwise_invert> bitwise_not;
inline constexpr detail::named_op<ir::op::bitwise_invert> invert;
inline constexpr detail::named_op<ir::op::conj> conjugate;
inline constexpr detail::named_op<ir::op::radians> deg2rad;
inline constexpr detail::named_op<ir::op::sigmoid> expit;
inline constexpr detail::named_op<ir::op::bitwise_left_shift> left_shift;
inline constexpr detail::named_op<ir::op::remainder> mod;
inline constexpr detail::named_op<ir::op::pow> power;
inline constexpr detail::named_op<ir::op::degrees> rad2deg;
inline constexpr detail::named_op<ir::op::bitwise_right_shift> right_shift;
inline constexpr detail::named_op<ir::op::divide> true_divide;
inline constexpr detail::named_op<ir::op::trunc> fix;

/// Like `round`, but integers and bools become floats, as in NumPy. Throws nothing. `rint(2.5 * x)`
inline constexpr detail::named_rint rint;

/// NumPy's other name of `max`, with the same errors.
template <detail::ordered X>
auto amax(X&& x, const fold_options& options = {}, location where = location::current()) {
  return max(std::forward<X>(x), options, where);
}

/// NumPy's other name of `min`, with the same errors.
template <detail::ordered X>
auto amin(X&& x, const fold_options& options = {}, location where = location::current()) {
  return min(std::forward<X>(x), options, where);
}

/// Converts the elements of an array whose dtype is known only at run time. Throws nothing.
/// `astype(load_npy(p), dtype::float32)`
inline any_array astype(const any_array& x, dtype to, location where = location::current()) {
  return detail::astype(x, to, where);
}

}  // namespace sinter

#pragma once
// The elementwise functions, one per row of ir/ops.def, and their C++ operators.
//
// Every function takes arrays, expressions and scalars in any combination with at least one array
// or expression. It broadcasts them (NumPy's rule) and promotes their types (NumPy 2's rule; a C++
// scalar is weak unless nothing else determines the type: where(x > 0, 1.0f, 0.0f) is float).
// Nothing is computed. Where the expression becomes an array, it throws shape_error for shapes that
// do not broadcast, and value_error for integers to the power of a negative C++ integer.

#include <sinter/array.hpp>
#include <sinter/casting.hpp>

namespace sinter {
namespace detail {

template <class T>
concept operand = expression<T> || scalar<std::remove_cvref_t<T>>;

template <class E>
concept remembered = requires(const E& e) {
  { e.memo } -> std::same_as<const operand_memo&>;
};

/// Records an expression as the array that `recorded` holds.
template <class E>
any_array record_unrounded(E&& e, location where) {
  if constexpr (is_half(E::value)) {
    return record_expression(cast_expr<dtype::float32, E>(std::move(e)), where);
  } else {
    return record_expression(std::move(e), where);
  }
}

template <class E>
struct unrecorded_expression final : unrecorded {
  explicit unrecorded_expression(const E& e) : expression(e) {}
  any_array record(location where) const override {
    return record_unrounded(E(expression), where);
  }
  E expression;
};

/// Returns a named expression as the array that its first use recorded.
template <class E>
recorded<E::value> recorded_once(const E& e) {
  any_array known = e.memo.get();
  if (known.valid()) return {std::move(known)};
  try {
    return {e.memo.keep(record_unrounded(E(e), location::current()))};
  } catch (const user_error&) {
    return {{}, std::make_shared<unrecorded_expression<E>>(e)};
  }
}

/// Converts an argument to a node of an expression.
template <class X>
auto as_operand(X&& x) {
  using U = std::remove_cvref_t<X>;
  if constexpr (scalar<U>) {
    if constexpr (std::same_as<U, bool>) return weak_scalar<bool>{x};
    else if constexpr (std::is_integral_v<U> && std::is_signed_v<U>)
      return weak_scalar<std::int64_t>{static_cast<std::int64_t>(x)};
    else if constexpr (std::is_integral_v<U>)
      return weak_scalar<std::uint64_t>{static_cast<std::uint64_t>(x)};
    else if constexpr (is_complex(dtype_of<U>))
      return weak_scalar<std::complex<double>>{std::complex<double>(x)};
    else return weak_scalar<double>{static_cast<double>(x)};
  } else if constexpr (std::derived_from<U, any_array>) {
    using T = typename U::value_type;
    return leaf<T>{sinter::array<T>(std::forward<X>(x))};
  } else if constexpr (std::is_lvalue_reference_v<X> && remembered<U>) {
    return recorded_once(x);
  } else {
    return U(std::forward<X>(x));
  }
}

/// Records an operand as an array of its own, to keep types small.
template <class E>
auto cut(E&& e, location where) {
  if constexpr (E::ops == 0) return E(std::move(e));
  else return recorded<E::value>{record_unrounded(std::move(e), where)};
}

template <op O, class... A>
auto make_expr(A&&... a) {
  constexpr int ops = (A::ops + ...) + 1;
  if constexpr (ops <= max_ops) {
    return expr<O, std::remove_cvref_t<A>...>(std::move(a)...);
  } else {
    return make_expr<O>(cut(std::move(a), location::current())...);
  }
}

/// A value of the C++ common type if all of these are C++ scalars, else nothing.
template <class... X>
constexpr auto common_scalar() {
  if constexpr ((scalar<X> && ...) && requires { typename std::common_type_t<X...>; }) {
    return std::common_type_t<X...>();
  }
}
/// The same for the operands that determine the type of O: a condition and an exponent do not.
template <op O, class A, class... X>
constexpr auto type_of_scalars() {
  constexpr auto traits = ir::info(O).traits;
  if constexpr (traits & ir::first_bool) return common_scalar<X...>();
  else if constexpr (traits & ir::second_int32) return common_scalar<A>();
}

template <class X, class T>
auto as_operand_beside(X&& x) {
  if constexpr (element<T> && scalar<std::remove_cvref_t<X>>) {
    const auto a = as_operand(x);
    return typed_scalar<std::remove_cv_t<decltype(a.x)>, dtype_of<T>>{{a.x}};
  } else {
    return as_operand(std::forward<X>(x));
  }
}

template <op O, class... X>
auto apply(X&&... x) {
  if constexpr (ir::info(O).traits & (ir::first_bool | ir::second_int32)) {
    using T = decltype(type_of_scalars<O, std::remove_cvref_t<X>...>());
    return make_expr<O>(as_operand_beside<X, T>(std::forward<X>(x))...);
  } else {
    return make_expr<O>(as_operand(std::forward<X>(x))...);
  }
}

template <op O, class... X>
concept applicable =
    (operand<X> && ...) && (expression<X> || ...) && !(ir::info(O).traits & ir::internal) &&
    static_cast<int>(sizeof...(X)) == ir::info(O).arity;

}  // namespace detail

#define SINTER_OP(name, arity, domain, result, traits, identity, cost, expand, complex_form, cuda, \
                  llvm, reference, doc)                                                            \
  template <class... X>                                                                            \
    requires detail::applicable<ir::op::name, X...>                                                \
  auto name(X&&... x) {                                                                            \
    return detail::apply<ir::op::name>(std::forward<X>(x)...);                                     \
  }
#include <sinter/ir/ops.def>
#undef SINTER_OP

/// Converts the elements of x to U: float to integer saturates and maps NaN to 0, integers wrap,
/// conversion to bool is != 0, complex to real drops the imaginary part. Throws nothing.
/// `astype<int>(x)`
template <element U, detail::expression X>
auto astype(X&& x) {
  using A = decltype(detail::as_operand(std::forward<X>(x)));
  return cast_expr<dtype_of<U>, A>(detail::as_operand(std::forward<X>(x)));
}

// One line per operator, with its op.
#define SINTER_BINARY(symbol, name)                       \
  template <detail::operand A, detail::operand B>         \
    requires(detail::expression<A> || detail::expression<B>) \
  auto operator symbol(A&& a, B&& b) {                    \
    return detail::apply<ir::op::name>(std::forward<A>(a), std::forward<B>(b)); \
  }
SINTER_BINARY(+, add)
SINTER_BINARY(-, subtract)
SINTER_BINARY(*, multiply)
SINTER_BINARY(/, divide)
SINTER_BINARY(%, remainder)
SINTER_BINARY(==, equal)
SINTER_BINARY(!=, not_equal)
SINTER_BINARY(<, less)
SINTER_BINARY(<=, less_equal)
SINTER_BINARY(>, greater)
SINTER_BINARY(>=, greater_equal)
SINTER_BINARY(&, bitwise_and)
SINTER_BINARY(|, bitwise_or)
SINTER_BINARY(^, bitwise_xor)
SINTER_BINARY(<<, bitwise_left_shift)
SINTER_BINARY(>>, bitwise_right_shift)
#undef SINTER_BINARY

// A C++ bool on the left keeps the language's operators, which may leave out the right side: `i < n
// && x(i) > 0`.
template <detail::expression A, detail::operand B>
auto operator&&(A&& a, B&& b) {
  return detail::apply<ir::op::logical_and>(std::forward<A>(a), std::forward<B>(b));
}
template <detail::expression A, detail::operand B>
auto operator||(A&& a, B&& b) {
  return detail::apply<ir::op::logical_or>(std::forward<A>(a), std::forward<B>(b));
}

template <detail::expression A>
auto operator-(A&& a) { return detail::apply<ir::op::negative>(std::forward<A>(a)); }
template <detail::expression A>
auto operator+(A&& a) { return detail::apply<ir::op::positive>(std::forward<A>(a)); }
template <detail::expression A>
auto operator~(A&& a) { return detail::apply<ir::op::bitwise_invert>(std::forward<A>(a)); }
template <detail::expression A>
auto operator!(A&& a) { return detail::apply<ir::op::logical_not>(std::forward<A>(a)); }

namespace detail {

/// Throws shape_error if the result of `a op= b` has another shape than a. An a of rank 0 may take
/// any shape, as a NumPy number takes the shape of its addend.
void check_in_place_shape(const any_array& a, const any_array& result, const char* op);

}  // namespace detail

// `a` keeps its value if this throws, because the expression holds a handle of its own.
#define SINTER_COMPOUND(symbol, binary)                                      \
  template <element T, detail::operand B>                                    \
  array<T>& operator symbol(array<T>& a, B&& b) {                            \
    using both = decltype(a binary std::forward<B>(b));                      \
    detail::check_in_place<both::value, dtype_of<T>>();                      \
    array<T> result = astype<T>(a binary std::forward<B>(b)).to_array();     \
    detail::check_in_place_shape(a, result, #symbol);                        \
    return a = std::move(result);                                            \
  }
SINTER_COMPOUND(+=, +)
SINTER_COMPOUND(-=, -)
SINTER_COMPOUND(*=, *)
SINTER_COMPOUND(/=, /)
SINTER_COMPOUND(%=, %)
SINTER_COMPOUND(&=, &)
SINTER_COMPOUND(|=, |)
SINTER_COMPOUND(^=, ^)
SINTER_COMPOUND(<<=, <<)
SINTER_COMPOUND(>>=, >>)
#undef SINTER_COMPOUND

namespace detail {

template <class A, class B>
inline constexpr dtype steps_in =
    promoted<op::nextafter, decltype(as_operand(std::declval<A>())),
             decltype(as_operand(std::declval<B>()))>();

/// A half-typed operand as float, rounded to the half type.
template <element H, class X>
sinter::array<float> rounded_to(X&& x) {
  if constexpr (scalar<std::remove_cvref_t<X>>) {
    const auto v = scalar_of<dtype::float32>(static_cast<float>(H(x)));
    return sinter::array<float>(from_scalar(v, dtype::float32, {}));
  } else {
    return astype<float>(astype<H>(std::forward<X>(x)));
  }
}

}  // namespace detail

/// The next value of a half type after a in the direction of b. Throws shape_error, as all of these
/// do. `nextafter(h, inf)`
template <class A, class B>
  requires(detail::applicable<ir::op::nextafter, A, B> && is_half(detail::steps_in<A, B>))
auto nextafter(A&& a, B&& b) {
  using H = element_of<detail::steps_in<A, B>>;
  constexpr bool wide = std::same_as<H, bfloat16>;
  // Five eighths of a unit, or five quarters: rounding makes either one unit, also where the unit
  // halves; the minimum is that of subnormal numbers.
  constexpr double part = wide ? 0x1.4p-8 : 0x1.4p-11, least = wide ? 0x1.4p-134 : 0x1.4p-25;
  constexpr double largest = wide ? 0x1.fep127 : 65504;
  const array<float> x = detail::rounded_to<H>(std::forward<A>(a));
  const array<float> y = detail::rounded_to<H>(std::forward<B>(b));
  const array<float> step = copysign(maximum(abs(x) * part, least), y - x);
  const array<float> next = where(isinf(x), copysign(largest, x), x + step);
  return astype<H>(where(x == y || isnan(y), y, next));
}

}  // namespace sinter

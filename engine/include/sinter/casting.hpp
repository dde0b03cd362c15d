#pragma once
// Rules for conversions between dtypes, and for assignments into an array of a fixed dtype.

#include <sinter/ir/dtype.hpp>

namespace sinter {

/// Which conversions are allowed: none; of byte order only (here the same as none); lossless ones;
/// within a kind or to a higher kind; any.
enum class casting { no, equiv, safe, same_kind, unsafe };

namespace detail {

constexpr bool holds_exactly(dtype from, dtype to) {
  return promote(from, to) == to;
}

/// Ranks of the kinds: bool, unsigned, signed, real, complex.
constexpr int rank_of_kind(dtype t) {
  return is_bool(t) ? 0 : is_unsigned(t) ? 1 : is_integer(t) ? 2 : is_real(t) ? 3 : 4;
}

/// Whether `from` is of the kind of `to` or a lower one, ignoring signedness.
constexpr bool of_kind(dtype from, dtype to) {
  return rank_of_kind(from) <= rank_of_kind(to) || (is_integer(from) && is_integer(to));
}

}  // namespace detail

/// Whether `from` can be converted to `to` under the rule `how`. Throws nothing.
/// `can_cast(dtype::int32, dtype::float32)` is false.
constexpr bool can_cast(dtype from, dtype to, casting how = casting::safe) {
  switch (how) {
    case casting::no:
    case casting::equiv:
      return from == to;
    case casting::safe:
      return detail::holds_exactly(from, to);
    case casting::same_kind:
      return detail::holds_exactly(from, to) ||
             detail::rank_of_kind(from) <= detail::rank_of_kind(to);
    case casting::unsafe:
      break;
  }
  return true;
}

namespace detail {

/// Assignment converts as NumPy's does, except that dropping imaginary parts is a compile error.
template <dtype From, dtype To>
constexpr void check_assigned() {
  static_assert(!is_complex(From) || is_complex(To),
                "complex numbers do not fit into an array that is not complex: assign real(z) or "
                "abs(z), or make the array complex first: astype<std::complex<float>>(x)");
}

/// The result of x op= v must be of x's kind or a lower one, NumPy's same_kind.
template <dtype From, dtype To>
constexpr void check_in_place() {
  constexpr bool fits = can_cast(From, To, casting::same_kind);
  static_assert(fits || !is_complex(From),
                "x op= v would drop imaginary parts, as x is not complex: use real(v) or abs(v), "
                "or make x complex first: astype<std::complex<float>>(x)");
  static_assert(fits || !is_real(From),
                "x op= v would drop fractions, as x is not of floats: write x = astype<int>(x op "
                "v), or convert v: astype<int>(v)");
  static_assert(fits || !is_integer(From) || !is_bool(To),
                "x op= v would make integers of bool: use |=, &= or ^= with bool values, v != 0");
  static_assert(fits || !is_integer(From) || is_bool(To),
                "x op= v would drop signs, as x is unsigned: convert v, for one by "
                "astype<unsigned>(v)");
}

}  // namespace detail
}  // namespace sinter

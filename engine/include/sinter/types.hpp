#pragma once
// Properties of dtypes, and reinterpretation of arrays as another dtype.

#include <limits>
#include <optional>

#include <sinter/casting.hpp>
#include <sinter/operators.hpp>
#include <sinter/reductions.hpp>

namespace sinter {

namespace detail {

template <class T>
concept inexact_number = element<T> && is_inexact(dtype_of<T>);
template <class T>
concept whole_number = element<T> && is_integer(dtype_of<T>);

template <>
inline constexpr enum_words option_words<casting> = {"casting",
                                                     "no, equiv, safe, same_kind, unsafe"};

any_array view(const any_array& x, dtype to, location where);
any_array complex_of_parts(const any_array& re, const any_array& im, location where);
any_array checked_cast(const any_array& x, dtype to, casting how, location where);

constexpr dtype complex_from(dtype t) {
  return promote_weak(t, dtype_kind::complex);
}

}  // namespace detail

/// The dtype to which operands of these dtypes promote. Throws nothing.
/// `result_type(dtype::int8, dtype::float16)`
template <std::same_as<dtype>... D> constexpr dtype result_type(dtype first, D... rest) {
  ((first = promote(first, rest)), ...);
  return first;
}

/// The dtype to which these arrays or expressions promote. `result_type(x, y)`
template <detail::expression X, detail::expression... Y>
constexpr dtype result_type(const X&, const Y&...) {
  return result_type(detail::dtype_of_argument<X>, detail::dtype_of_argument<Y>...);
}

/// The kinds of the array API: "bool", "signed integer", "unsigned integer", "integral", "real
/// floating", "complex floating", "numeric".
enum class dtype_class {
  boolean,
  signed_integer,
  unsigned_integer,
  integral,
  real_floating,
  complex_floating,
  numeric
};

/// Whether t is of a kind. Throws nothing. `isdtype(x.dtype(), dtype_class::integral)`
constexpr bool isdtype(dtype t, dtype_class kind) {
  switch (kind) {
    case dtype_class::boolean:
      return is_bool(t);
    case dtype_class::signed_integer:
      return is_signed(t);
    case dtype_class::unsigned_integer:
      return is_unsigned(t);
    case dtype_class::integral:
      return is_integer(t);
    case dtype_class::real_floating:
      return is_real(t);
    case dtype_class::complex_floating:
      return is_complex(t);
    case dtype_class::numeric:
      break;
  }
  return !is_bool(t);
}
constexpr bool isdtype(dtype t, dtype other) {
  return t == other;
}

/// Properties of a float type; for a complex type, of its parts.
struct finfo_t {
  int bits = 0;             // of storage
  double eps = 0;           // from 1 to the next number
  double max = 0, min = 0;  // the largest finite number and its negative
  double smallest_normal = 0, smallest_subnormal = 0;
  sinter::dtype dtype = sinter::dtype::float64;
};

/// The properties of float type t. Throws dtype_error unless t is a float or complex type.
/// `finfo(dtype::float32).eps`
finfo_t finfo(dtype t, location where = location::current());
template <detail::inexact_number T>
finfo_t finfo() {
  return finfo(dtype_of<T>);
}

/// Properties of an integer type.
struct iinfo_t {
  int bits = 0;
  std::int64_t min = 0;
  std::uint64_t max = 0;
  sinter::dtype dtype = sinter::dtype::int64;
};

/// The properties of integer type t. Throws dtype_error unless t is an integer type.
/// `iinfo(dtype::int8).max`
iinfo_t iinfo(dtype t, location where = location::current());
template <detail::whole_number T>
iinfo_t iinfo() {
  return iinfo(dtype_of<T>);
}

/// `can_cast` with the rule as a word. Throws value_error for an unknown word.
/// `can_cast(dtype::int32, dtype::int8, "same_kind")`
inline bool can_cast(dtype from, dtype to, detail::worded<casting> how) {
  return can_cast(from, to, casting(how));
}

/// Converts x to another dtype if `how` allows it. Throws dtype_error, naming a rule that would.
/// `astype<int>(x, "same_kind")`, `astype<int>(x, casting::same_kind)`
template <element U, detail::expression X>
array<U> astype(X&& x, detail::worded<casting> how, location where = location::current()) {
  return array<U>(
      detail::checked_cast(detail::to_any(std::forward<X>(x), where), dtype_of<U>, how, where));
}
inline any_array astype(const any_array& x, dtype to, detail::worded<casting> how,
                        location where = location::current()) {
  return detail::checked_cast(x, to, how, where);
}

/// Reinterprets the bits of x as another dtype, NumPy's `x.view(dtype)`: one of the same size
/// (except half types), or complex as real numbers (with the last axis twice as long) and back.
/// Throws dtype_error, shape_error for a last axis of odd extent. `view<float>(z)`,
/// `view<std::uint32_t>(x)`
template <element U, detail::expression X>
array<U> view(X&& x, location where = location::current()) {
  return array<U>(detail::view(detail::to_any(std::forward<X>(x), where), dtype_of<U>, where));
}
inline any_array view(const any_array& x, dtype to, location where = location::current()) {
  return detail::view(x, to, where);
}

/// The complex numbers with these parts, which broadcast. dtype: complex of their promotion. Exact
/// for infinities and zeros, unlike re + 1i * im. One part may be a number, which takes the width
/// of the other part. Throws shape_error. `complex(re, im)`, `complex(re, 0)`
template <detail::ordered A, detail::ordered B>
auto complex(A&& re, B&& im, location where = location::current()) {
  using R = element_of<detail::complex_from(
      promote(detail::dtype_of_argument<A>, detail::dtype_of_argument<B>))>;
  return array<R>(detail::complex_of_parts(detail::to_any(std::forward<A>(re), where),
                                           detail::to_any(std::forward<B>(im), where), where));
}

namespace detail {
/// The dtype of a part beside an array of X's dtype.
template <class X>
using other_part = typename element_of<complex_from(dtype_of_argument<X>)>::value_type;
}  // namespace detail

template <detail::ordered A, class B>
  requires(std::is_arithmetic_v<B>)
auto complex(A&& re, B im, location where = location::current()) {
  using T = detail::other_part<A>;
  return complex(std::forward<A>(re), array<T>(static_cast<T>(im)), where);
}
template <class A, detail::ordered B>
  requires(std::is_arithmetic_v<A>)
auto complex(A re, B&& im, location where = location::current()) {
  using T = detail::other_part<B>;
  return complex(array<T>(static_cast<T>(re)), std::forward<B>(im), where);
}

}  // namespace sinter

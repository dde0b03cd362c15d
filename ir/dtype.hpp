#pragma once
// Element types, and NumPy's promotion between them.
//
// Public header: standard library only.

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace sinter {

/// Element types. The order is the promotion order inside each kind.
enum class dtype : std::uint8_t {
  bool_,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
};

inline constexpr int dtype_count = 15;

/// Python's scalar kinds; a weak scalar has a kind and no width.
enum class dtype_kind : std::uint8_t { boolean, signed_integer, unsigned_integer, real, complex };

struct dtype_info {
  std::string_view name;
  std::uint8_t size;  // bytes
  dtype_kind kind;
};

inline constexpr dtype_info dtype_table[dtype_count] = {
    {"bool", 1, dtype_kind::boolean},
    {"int8", 1, dtype_kind::signed_integer},
    {"int16", 2, dtype_kind::signed_integer},
    {"int32", 4, dtype_kind::signed_integer},
    {"int64", 8, dtype_kind::signed_integer},
    {"uint8", 1, dtype_kind::unsigned_integer},
    {"uint16", 2, dtype_kind::unsigned_integer},
    {"uint32", 4, dtype_kind::unsigned_integer},
    {"uint64", 8, dtype_kind::unsigned_integer},
    {"float16", 2, dtype_kind::real},
    {"bfloat16", 2, dtype_kind::real},
    {"float32", 4, dtype_kind::real},
    {"float64", 8, dtype_kind::real},
    {"complex64", 8, dtype_kind::complex},
    {"complex128", 16, dtype_kind::complex},
};

constexpr const dtype_info& info(dtype t) { return dtype_table[static_cast<int>(t)]; }
constexpr std::string_view name(dtype t) { return info(t).name; }
constexpr std::size_t size_of(dtype t) { return info(t).size; }
constexpr dtype_kind kind_of(dtype t) { return info(t).kind; }

constexpr bool is_bool(dtype t) { return t == dtype::bool_; }
constexpr bool is_signed(dtype t) { return kind_of(t) == dtype_kind::signed_integer; }
constexpr bool is_unsigned(dtype t) { return kind_of(t) == dtype_kind::unsigned_integer; }
constexpr bool is_integer(dtype t) { return is_signed(t) || is_unsigned(t); }
constexpr bool is_real(dtype t) { return kind_of(t) == dtype_kind::real; }
constexpr bool is_complex(dtype t) { return kind_of(t) == dtype_kind::complex; }
constexpr bool is_inexact(dtype t) { return is_real(t) || is_complex(t); }
constexpr bool is_half(dtype t) { return t == dtype::float16 || t == dtype::bfloat16; }

/// The type of a complex number's parts; any other type is its own.
constexpr dtype real_of(dtype t) {
  if (t == dtype::complex64) return dtype::float32;
  if (t == dtype::complex128) return dtype::float64;
  return t;
}

/// The type arithmetic on `t` is done in: half types compute in float32.
constexpr dtype compute_of(dtype t) { return is_half(t) ? dtype::float32 : t; }

/// NumPy's integer-to-float step for functions that have no integer form (sin, sqrt, divide).
constexpr dtype inexact_of(dtype t) {
  if (is_inexact(t)) return t;
  if (size_of(t) == 1) return dtype::float16;
  if (size_of(t) == 2) return dtype::float32;
  return dtype::float64;
}

namespace detail {

constexpr dtype integer_of(bool with_sign, std::size_t size) {
  constexpr dtype s[] = {dtype::int8, dtype::int16, dtype::int32, dtype::int64};
  constexpr dtype u[] = {dtype::uint8, dtype::uint16, dtype::uint32, dtype::uint64};
  const int i = std::countr_zero(size);
  return with_sign ? s[i] : u[i];
}

constexpr dtype promote_integers(dtype a, dtype b) {
  if (is_signed(a) == is_signed(b)) return size_of(a) >= size_of(b) ? a : b;
  const dtype s = is_signed(a) ? a : b, u = is_signed(a) ? b : a;
  if (size_of(s) > size_of(u)) return s;
  if (size_of(u) == 8) return dtype::float64;
  return integer_of(true, size_of(u) * 2);
}

/// The smallest real type that holds an integer type, by NumPy's rules.
constexpr dtype real_holding(dtype t) {
  if (is_real(t)) return t;
  if (is_bool(t) || size_of(t) == 1) return dtype::float16;
  return size_of(t) == 2 ? dtype::float32 : dtype::float64;
}

constexpr dtype promote_reals(dtype a, dtype b) {
  if (a == b) return a;
  if (is_half(a) && is_half(b)) return dtype::float32;
  return size_of(a) >= size_of(b) ? a : b;
}

}  // namespace detail

/// NumPy's result type of two array types. bfloat16 with a 16-bit or wider integer gives what
/// float16 gives; bfloat16 with an 8-bit integer or bool stays bfloat16.
constexpr dtype promote(dtype a, dtype b) {
  if (a == b) return a;
  if (is_bool(a)) return b;
  if (is_bool(b)) return a;
  if (is_integer(a) && is_integer(b)) return detail::promote_integers(a, b);
  if (is_complex(a) || is_complex(b)) {
    const dtype r = detail::promote_reals(detail::real_holding(real_of(a)),
                                          detail::real_holding(real_of(b)));
    return r == dtype::float64 ? dtype::complex128 : dtype::complex64;
  }
  if (is_integer(a) && size_of(a) == 1) return b;
  if (is_integer(b) && size_of(b) == 1) return a;
  return detail::promote_reals(detail::real_holding(a), detail::real_holding(b));
}

/// The result type of an array type with a weak (Python-like) scalar of `kind`.
constexpr dtype promote_weak(dtype t, dtype_kind kind) {
  const bool integer = kind == dtype_kind::signed_integer || kind == dtype_kind::unsigned_integer;
  if (kind == dtype_kind::boolean) return t;
  if (integer) return is_bool(t) ? dtype::int64 : t;
  if (kind == dtype_kind::real) return is_inexact(t) ? t : dtype::float64;
  if (is_complex(t)) return t;
  return is_half(t) || t == dtype::float32 ? dtype::complex64 : dtype::complex128;
}

namespace detail {

/// IEEE binary16 from float, round to nearest even.
constexpr std::uint16_t half_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x33000001u) return static_cast<std::uint16_t>(sign);
  const bool subnormal = magnitude < 0x38800000u;
  const int shift = subnormal ? 126 - static_cast<int>(magnitude >> 23) : 13;
  const std::uint32_t mantissa =
      subnormal ? (magnitude & 0x7fffffu) | 0x800000u : magnitude - 0x38000000u;
  const std::uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1);
  const std::uint32_t tie = 1u << (shift - 1);
  const bool up = rest > tie || (rest == tie && (kept & 1));
  return static_cast<std::uint16_t>(sign | (kept + (up ? 1 : 0)));
}

constexpr float float_of_half(std::uint16_t h) {
  const std::uint32_t sign = (h & 0x8000u) << 16, exponent = (h >> 10) & 31, mantissa = h & 0x3ffu;
  if (exponent == 31) {  // a NaN becomes a quiet one, as it does in hardware
    const std::uint32_t quiet = mantissa ? 0x400000u : 0u;
    return std::bit_cast<float>(sign | 0x7f800000u | quiet | (mantissa << 13));
  }
  if (exponent) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  const float tiny = static_cast<float>(mantissa) * 0x1p-24f;
  return sign ? -tiny : tiny;
}

constexpr std::uint16_t bfloat_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

/// A double narrowed so that a second rounding (to a half type) is not observable: round to odd.
constexpr float round_to_odd(double value) {
  const float f = static_cast<float>(value);
  if (!(value == value) || static_cast<double>(f) == value) return f;
  auto bits = std::bit_cast<std::uint32_t>(f);
  if ((bits & 0x7f800000u) == 0x7f800000u) return f;
  if (bits & 1) return f;
  const double back = f, magnitude = value < 0 ? -value : value;
  return std::bit_cast<float>((back < 0 ? -back : back) > magnitude ? bits - 1 : bits + 1);
}

}  // namespace detail

/// IEEE binary16. A storage type: arithmetic on arrays of it is done in float.
struct float16 {
  std::uint16_t bits = 0;
  constexpr float16() = default;
  constexpr float16(float value) : bits(detail::half_bits(value)) {}
  constexpr explicit float16(double value) : float16(detail::round_to_odd(value)) {}
  constexpr explicit float16(int value) : float16(static_cast<double>(value)) {}
  constexpr operator float() const { return detail::float_of_half(bits); }
};

/// The upper half of a float. A storage type: arithmetic on arrays of it is done in float.
struct bfloat16 {
  std::uint16_t bits = 0;
  constexpr bfloat16() = default;
  constexpr bfloat16(float value) : bits(detail::bfloat_bits(value)) {}
  constexpr explicit bfloat16(double value) : bfloat16(detail::round_to_odd(value)) {}
  constexpr explicit bfloat16(int value) : bfloat16(static_cast<double>(value)) {}
  constexpr operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
};

namespace detail {

template <class T>
constexpr int dtype_index() {
  if constexpr (std::is_same_v<T, bool>) return 0;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<int>(integer_of(std::is_signed_v<T>, sizeof(T)));
  else if constexpr (std::is_same_v<T, float16>) return 9;
  else if constexpr (std::is_same_v<T, bfloat16>) return 10;
  else if constexpr (std::is_same_v<T, float>) return 11;
  else if constexpr (std::is_same_v<T, double>) return 12;
  else if constexpr (std::is_same_v<T, std::complex<float>>) return 13;
  else if constexpr (std::is_same_v<T, std::complex<double>>) return 14;
  else return -1;
}

template <dtype>
struct cpp_type;
template <> struct cpp_type<dtype::bool_> { using type = bool; };
template <> struct cpp_type<dtype::int8> { using type = std::int8_t; };
template <> struct cpp_type<dtype::int16> { using type = std::int16_t; };
template <> struct cpp_type<dtype::int32> { using type = std::int32_t; };
template <> struct cpp_type<dtype::int64> { using type = std::int64_t; };
template <> struct cpp_type<dtype::uint8> { using type = std::uint8_t; };
template <> struct cpp_type<dtype::uint16> { using type = std::uint16_t; };
template <> struct cpp_type<dtype::uint32> { using type = std::uint32_t; };
template <> struct cpp_type<dtype::uint64> { using type = std::uint64_t; };
template <> struct cpp_type<dtype::float16> { using type = float16; };
template <> struct cpp_type<dtype::bfloat16> { using type = bfloat16; };
template <> struct cpp_type<dtype::float32> { using type = float; };
template <> struct cpp_type<dtype::float64> { using type = double; };
template <> struct cpp_type<dtype::complex64> { using type = std::complex<float>; };
template <> struct cpp_type<dtype::complex128> { using type = std::complex<double>; };

}  // namespace detail

/// A C++ type that can be an array's element.
template <class T>
concept element = detail::dtype_index<T>() >= 0;

template <element T>
inline constexpr dtype dtype_of = static_cast<dtype>(detail::dtype_index<T>());

/// The C++ type of a dtype.
template <dtype D>
using element_of = typename detail::cpp_type<D>::type;

}  // namespace sinter

#pragma once
// The scalar functions that the `reference` column of ir/ops.def uses. They follow NumPy, are
// independent of the formulas in the same rows, and agree with them bit by bit wherever an op is
// not approximate.

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ir/dtype.hpp"
#include "ir/ops.hpp"
#include "ir/philox.hpp"

namespace sinter::ir::ref {

template <class T>
concept integral = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T>
concept signed_integral = integral<T> && std::is_signed_v<T>;
template <class T>
concept real = std::is_floating_point_v<T>;

/// The unsigned type whose arithmetic neither overflows nor is promoted to a signed type.
template <integral T>
using wrapping = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <integral T>
constexpr bool is_negative(T a) {
  if constexpr (std::is_signed_v<T>) return a < 0;
  else return false;
}

// ---- arithmetic

template <class T>
T add(T a, T b) { return a + b; }
inline bool add(bool a, bool b) { return a || b; }
template <integral T>
T add(T a, T b) { return static_cast<T>(wrapping<T>(a) + wrapping<T>(b)); }

template <class T>
T subtract(T a, T b) { return a - b; }
template <integral T>
T subtract(T a, T b) { return static_cast<T>(wrapping<T>(a) - wrapping<T>(b)); }

inline bool multiply(bool a, bool b) { return a && b; }
template <real T>
T multiply(T a, T b) { return a * b; }
template <integral T>
T multiply(T a, T b) { return static_cast<T>(wrapping<T>(a) * wrapping<T>(b)); }
template <real T>
std::complex<T> multiply(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <real T>
T divide(T a, T b) { return a / b; }
/// Smith, CACM 5 (1962); by zero as NumPy, both parts over +0.
template <real T>
std::complex<T> divide(std::complex<T> a, std::complex<T> b) {
  const T br = b.real(), bi = b.imag();
  if (br == 0 && bi == 0) return {a.real() / std::abs(br), a.imag() / std::abs(br)};
  if (std::abs(br) >= std::abs(bi)) {
    const T r = bi / br, d = br + bi * r;
    return {(a.real() + a.imag() * r) / d, (a.imag() - a.real() * r) / d};
  }
  const T r = br / bi, d = br * r + bi;
  return {(a.real() * r + a.imag()) / d, (a.imag() * r - a.real()) / d};
}

template <real T>
T reciprocal(T a) { return 1 / a; }
template <real T>
std::complex<T> reciprocal(std::complex<T> a) {
  const T re = a.real(), im = a.imag();
  if (std::abs(re) >= std::abs(im)) {
    const T r = im / re, d = re + im * r;
    return {1 / d, -r / d};
  }
  const T r = re / im, d = re * r + im;
  return {r / d, -1 / d};
}

template <integral T>
T negative(T a) { return subtract(T(0), a); }
template <class T>
T negative(T a) { return -a; }

template <integral T>
T quotient(T a, T b) {
  if (b == 0) return 0;
  if (is_negative(b) && b == static_cast<T>(-1)) return negative(a);
  return static_cast<T>(a / b);
}

template <real T>
T fmod(T a, T b) { return std::fmod(a, b); }
template <integral T>
T fmod(T a, T b) {
  if (b == 0 || (is_negative(b) && b == static_cast<T>(-1))) return 0;
  return static_cast<T>(a % b);
}

/// The remainder with the sign of `b`, not adjusted when it is zero.
template <class T>
T floor_modulus(T a, T b) {
  const T m = fmod(a, b);
  return m != 0 && (b < 0) != (m < 0) ? add(m, b) : m;
}

/// NumPy's npy_divmod, except for infinite a: the array API has infinities there, not NaN.
template <real T>
T floor_divide(T a, T b) {
  if (b == 0 || std::isinf(a)) return a / b;
  const T m = std::fmod(a, b);
  T d = (a - m) / b;
  if (m != 0 && (b < 0) != (m < 0)) d -= 1;
  if (d == 0) return std::copysign(T(0), a / b);
  const T f = std::floor(d);
  return d - f > T(0.5) ? f + 1 : f;
}
template <integral T>
T floor_divide(T a, T b) {
  if (b == 0) return 0;
  const T q = quotient(a, b);
  return fmod(a, b) != 0 && is_negative(a) != is_negative(b) ? static_cast<T>(q - 1) : q;
}

template <real T>
T remainder(T a, T b) {
  const T m = floor_modulus(a, b);
  return m == 0 ? std::copysign(m, b) : m;
}
template <integral T>
T remainder(T a, T b) { return floor_modulus(a, b); }

template <real T>  // C libraries differ in what 1 ** sNaN and sNaN ** 0 are
T pow(T a, T b) { return a == T(1) || b == T(0) ? T(1) : std::pow(a, b); }
/// By squaring, wrapping. A negative exponent gives the integer part of the true power, 0 for 0.
template <integral T>
T pow(T a, T b) {
  if (is_negative(b)) {
    if (a == 1) return 1;
    if (is_negative(a) && a == static_cast<T>(-1)) return b & 1 ? a : T(1);
    return 0;
  }
  T result = 1;
  for (; b != 0; b = static_cast<T>(b >> 1), a = multiply(a, a)) {
    if (b & 1) result = multiply(result, a);
  }
  return result;
}
/// NumPy: anything to the power 0 is 1; 0 to a power with a positive real part is 0, else NaN.
template <real T>
std::complex<T> pow(std::complex<T> a, std::complex<T> b) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  if (b == T(0)) return T(1);
  if (a == T(0)) return b.real() > 0 ? std::complex<T>() : std::complex<T>(nan, nan);
  if (b == T(1)) return a;
  if (b == T(2)) return multiply(a, a);
  return std::pow(a, b);
}

template <real T>
T abs(T a) { return std::abs(a); }
template <integral T>
T abs(T a) { return is_negative(a) ? negative(a) : a; }
inline bool abs(bool a) { return a; }
template <real T>
T abs(std::complex<T> a) { return std::hypot(a.real(), a.imag()); }

template <class T>
T sign(T a) { return a > 0 ? T(1) : a < 0 ? static_cast<T>(-1) : a == 0 ? T(0) : a; }
/// NumPy 2: the unit number in the direction of `a`; along one infinite part, NaN for two.
template <real T>
std::complex<T> sign(std::complex<T> a) {
  using limits = std::numeric_limits<T>;
  // A modulus of subnormal parts has few digits, one of huge parts may overflow.
  const T most = std::fmax(std::abs(a.real()), std::abs(a.imag()));
  a *= most < limits::min() ? T(0x1p54) : most > limits::max() / 4 ? T(0.25) : T(1);
  const T m = std::hypot(a.real(), a.imag());
  const bool re = std::isinf(a.real()), im = std::isinf(a.imag());
  if (m == 0) return T(0);
  return {re && !im ? std::copysign(T(1), a.real()) : a.real() / m,  // inf / inf is NaN
          im && !re ? std::copysign(T(1), a.imag()) : a.imag() / m};
}

template <real T>
T fma(T a, T b, T c) { return std::fma(a, b, c); }
template <integral T>
T fma(T a, T b, T c) { return add(multiply(a, b), c); }

// ---- order

template <class T>
bool unordered(T a) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(a);
  else return false;
}

template <class T>
bool below(T a, T b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); }

/// NaN if either is; -0 is below 0 (IEEE 754-2019), so the order of operands is not observable.
template <class T>
T maximum(T a, T b) { return below(a, b) || unordered(b) ? b : a; }
template <class T>
T minimum(T a, T b) { return below(b, a) || unordered(b) ? b : a; }
template <class T>
T fmax(T a, T b) { return a >= b || unordered(b) ? a : b; }
template <class T>
T fmin(T a, T b) { return a <= b || unordered(b) ? a : b; }

template <integral T>
bool isnan(T) { return false; }
template <real T>
bool isnan(T a) { return std::isnan(a); }
template <real T>
bool isnan(std::complex<T> a) { return std::isnan(a.real()) || std::isnan(a.imag()); }

template <integral T>
bool isinf(T) { return false; }
template <real T>
bool isinf(T a) { return std::isinf(a); }
template <real T>
bool isinf(std::complex<T> a) { return std::isinf(a.real()) || std::isinf(a.imag()); }

template <integral T>
bool isfinite(T) { return true; }
template <real T>
bool isfinite(T a) { return std::isfinite(a); }
template <real T>
bool isfinite(std::complex<T> a) { return std::isfinite(a.real()) && std::isfinite(a.imag()); }

template <integral T>
bool signbit(T a) { return is_negative(a); }
template <real T>
bool signbit(T a) { return std::signbit(a); }

// ---- bits

inline bool invert(bool a) { return !a; }
template <integral T>
T invert(T a) { return static_cast<T>(~a); }

template <integral T>
bool within_width(T b) { return !is_negative(b) && std::uint64_t(b) < 8 * sizeof(T); }
template <integral T>
T left_shift(T a, T b) { return within_width(b) ? static_cast<T>(wrapping<T>(a) << b) : T(0); }
template <integral T>
T right_shift(T a, T b) {
  if (within_width(b)) return static_cast<T>(a >> b);
  return is_negative(a) ? static_cast<T>(-1) : T(0);
}

// ---- rounding, roots, exponentials, logarithms

template <class T>
T floor(T a) { return a; }
template <real T>
T floor(T a) { return std::floor(a); }
template <class T>
T ceil(T a) { return a; }
template <real T>
T ceil(T a) { return std::ceil(a); }
template <class T>
T trunc(T a) { return a; }
template <real T>
T trunc(T a) { return std::trunc(a); }

template <integral T>
T round(T a) { return a; }
template <real T>
T round(T a) { return std::nearbyint(a); }
template <real T>
std::complex<T> round(std::complex<T> a) { return {round(a.real()), round(a.imag())}; }

template <class T>
T sqrt(T a) { return std::sqrt(a); }
template <class T>
T exp(T a) { return std::exp(a); }
template <class T>
T log(T a) { return std::log(a); }
template <real T>
T expm1(T a) { return std::expm1(a); }
template <real T>
std::complex<T> expm1(std::complex<T> a) {
  const long double x = a.real(), y = a.imag();
  if (std::abs(a) < T(0.25)) {  // where a difference from 1 would lose all of it
    const long double half = std::sin(y / 2), grown = std::expm1(x);
    return {T(grown * std::cos(y) - 2 * half * half), T((grown + 1) * std::sin(y))};
  }
  return std::complex<T>(std::exp(std::complex<long double>(a)) - 1.0L);
}
template <real T>
T log1p(T a) { return std::log1p(a); }
template <real T>
std::complex<T> log1p(std::complex<T> a) {
  const long double x = a.real(), y = a.imag();
  const std::complex<long double> z = std::log(std::complex<long double>(1 + x, y));
  if (std::abs(a) < T(0.25)) return {T(std::log1p(x * (2 + x) + y * y) / 2), T(z.imag())};
  return std::complex<T>(z);
}
template <class T>
T log2(T a) { return std::log2(a); }
template <real T>
std::complex<T> log2(std::complex<T> a) { return std::log(a) * T(1.4426950408889634); }
template <class T>
T log10(T a) { return std::log10(a); }
template <real T>
std::complex<T> log10(std::complex<T> a) { return std::log(a) * T(0.4342944819032518); }

template <real T>
T logaddexp(T a, T b) {
  if (a == b) return a + T(0.6931471805599453);
  const T d = a - b;
  if (d > 0) return a + std::log1p(std::exp(-d));
  return d <= 0 ? b + std::log1p(std::exp(d)) : d;
}

template <real T>
T ldexp(T a, std::int32_t b) { return std::scalbn(a, b); }

/// The op's formula evaluated bit by bit, for ops of one or two operands without another
/// definition.
float by_formula(op code, float a, float b = 0);
double by_formula(op code, double a, double b = 0);

// ---- random bits
template <class T>
philox_block philox_of(T a, T b, T key) {
  const auto word = [](T v, int half) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(v) >> 32 * half);
  };
  const philox_block counter = {word(a, 0), word(a, 1), word(b, 0), word(b, 1)};
  return philox4x32_10(counter, {word(key, 0), word(key, 1)});
}
template <class T>
T two_words(const philox_block& w, std::size_t at) {
  return static_cast<T>(w[at] | std::uint64_t{w[at + 1]} << 32);
}
template <class T>
T philox_low(T a, T b, T c) { return two_words<T>(philox_of(a, b, c), 0); }
template <class T>
T philox_high(T a, T b, T c) { return two_words<T>(philox_of(a, b, c), 2); }

// ---- trigonometry

template <class T>
T sin(T a) { return std::sin(a); }
template <class T>
T cos(T a) { return std::cos(a); }
template <class T>
T tan(T a) { return std::tan(a); }
template <class T>
T sinh(T a) { return std::sinh(a); }
template <class T>
T cosh(T a) { return std::cosh(a); }
template <class T>
T tanh(T a) { return std::tanh(a); }
template <class T>
T asin(T a) { return std::asin(a); }
template <class T>
T acos(T a) { return std::acos(a); }
template <class T>
T atan(T a) { return std::atan(a); }
template <class T>
T asinh(T a) { return std::asinh(a); }
template <class T>
T acosh(T a) { return std::acosh(a); }
template <class T>
T atanh(T a) { return std::atanh(a); }

// ---- complex parts

template <class T>
T real_part(T a) { return a; }
template <real T>
T real_part(std::complex<T> a) { return a.real(); }
template <class T>
T imaginary_part(T) { return 0; }
template <real T>
T imaginary_part(std::complex<T> a) { return a.imag(); }
template <class T>
T join(T a, T) { return a; }
template <real T>
std::complex<T> join(std::complex<T> a, std::complex<T> b) { return {a.real(), b.real()}; }
template <class T>
T conjugate(T a) { return a; }
template <real T>
std::complex<T> conjugate(std::complex<T> a) { return {a.real(), -a.imag()}; }
template <real T>
T angle(T a) { return std::isnan(a) ? a : std::signbit(a) ? T(3.141592653589793) : T(0); }
template <real T>
T angle(std::complex<T> a) { return std::atan2(a.imag(), a.real()); }

}  // namespace sinter::ir::ref

#pragma once
// Test values for ops, and their comparison.

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "ir/reference.hpp"

namespace ir_tests {

using namespace sinter;
using ir::scalar_of;
using ir::scalar_value;
using ir::value_of;

/// Calls f<T>() with the C++ type of a dtype that is neither complex nor half.
template <class F>
auto with_type(dtype t, F f) {
  switch (t) {
    case dtype::bool_: return f.template operator()<bool>();
    case dtype::int8: return f.template operator()<std::int8_t>();
    case dtype::int16: return f.template operator()<std::int16_t>();
    case dtype::int32: return f.template operator()<std::int32_t>();
    case dtype::int64: return f.template operator()<std::int64_t>();
    case dtype::uint8: return f.template operator()<std::uint8_t>();
    case dtype::uint16: return f.template operator()<std::uint16_t>();
    case dtype::uint32: return f.template operator()<std::uint32_t>();
    case dtype::uint64: return f.template operator()<std::uint64_t>();
    case dtype::float32: return f.template operator()<float>();
    default: return f.template operator()<double>();
  }
}

template <class T>
std::vector<T> edges() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_integral_v<T>) {
    std::vector<T> v = {limits::max(), T(limits::max() - 1), limits::min(), T(limits::min() + 1)};
    for (int x : {0, 1, 2, 3, 5, 7, 8, 13, 31, 32, 33, 63, 64, 65, 100}) v.push_back(T(x));
    for (int x : {-1, -2, -3, -7, -8, -13, -64}) v.push_back(T(x));
    return v;
  } else {
    std::vector<T> v;
    for (double x : {0.0, 0.1, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 7.0, 10.0, 100.25, 0.49999997,
                     8388609.5, 1e10, 1e-10, 1.0 / 3}) {
      v.push_back(static_cast<T>(x));
    }
    for (T x : {limits::epsilon(), limits::min(), limits::min() * T(0.75), limits::denorm_min(),
                limits::max(), limits::max() / 2, limits::infinity(), std::nextafter(T(1), T(0)),
                std::nextafter(T(0.5), T(0))}) {
      v.push_back(x);
    }
    std::mt19937 random(1);
    for (int i = 0; i < 20; ++i) {
      const T mantissa = 1 + static_cast<T>(random() >> 8) / T(1 << 24);
      v.push_back(std::ldexp(mantissa, static_cast<int>(random() % 80) - 40));
    }
    const std::size_t n = v.size();
    for (std::size_t i = 0; i < n; ++i) v.push_back(-v[i]);
    v.push_back(limits::quiet_NaN());
    return v;
  }
}

/// The edge values of a type, as scalars.
inline std::vector<scalar_value> edges_of(dtype t) {
  return with_type(t, []<class T>() {
    std::vector<scalar_value> out;
    for (T x : edges<T>()) out.push_back(scalar_of(x));
    return out;
  });
}

inline double as_double(dtype t, const scalar_value& v) {
  return value_of<double>(ir::convert(v, t, dtype::float64));
}

/// The same bits, or both NaN.
inline bool same(dtype t, const scalar_value& a, const scalar_value& b) {
  return a == b || (is_real(t) && std::isnan(as_double(t, a)) && std::isnan(as_double(t, b)));
}

/// The parts of a value; one if it is not complex.
inline std::vector<scalar_value> parts_of(dtype t, const scalar_value& v) {
  if (t == dtype::complex64) {
    const auto z = value_of<std::complex<float>>(v);
    return {scalar_of(z.real()), scalar_of(z.imag())};
  }
  if (t == dtype::complex128) {
    const auto z = value_of<std::complex<double>>(v);
    return {scalar_of(z.real()), scalar_of(z.imag())};
  }
  return {v};
}

inline scalar_value complex_of(dtype t, const scalar_value& re, const scalar_value& im) {
  if (t == dtype::complex64) {
    return scalar_of(std::complex<float>(value_of<float>(re), value_of<float>(im)));
  }
  return scalar_of(std::complex<double>(value_of<double>(re), value_of<double>(im)));
}

}  // namespace ir_tests

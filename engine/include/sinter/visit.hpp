#pragma once
// Dispatch from an array whose dtype is known at run time to array<T>.

#include <sinter/array.hpp>

namespace sinter {

/// Calls f with x as array<T>, where T is x's element type. f must accept every element type and
/// return one type. Throws value_error if x holds no array.
/// `visit(load_npy(p), [](auto x) { return sum(astype<double>(x)).item(); })`
template <class F>
decltype(auto) visit(const any_array& x, F&& f) {
  switch (x.dtype()) {
    case dtype::bool_: return f(array<bool>(x));
    case dtype::int8: return f(array<std::int8_t>(x));
    case dtype::int16: return f(array<std::int16_t>(x));
    case dtype::int32: return f(array<std::int32_t>(x));
    case dtype::int64: return f(array<std::int64_t>(x));
    case dtype::uint8: return f(array<std::uint8_t>(x));
    case dtype::uint16: return f(array<std::uint16_t>(x));
    case dtype::uint32: return f(array<std::uint32_t>(x));
    case dtype::uint64: return f(array<std::uint64_t>(x));
    case dtype::float16: return f(array<float16>(x));
    case dtype::bfloat16: return f(array<bfloat16>(x));
    case dtype::float32: return f(array<float>(x));
    case dtype::float64: return f(array<double>(x));
    case dtype::complex64: return f(array<std::complex<float>>(x));
    case dtype::complex128: break;
  }
  return f(array<std::complex<double>>(x));
}

}  // namespace sinter

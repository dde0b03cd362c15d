#pragma once
// The meaning of every op, run in plain C++: the oracle for both code generators.
//
// Integers wrap; what C++ leaves undefined (division by zero, shifts past the width, conversion of
// a float that does not fit) has one documented value. Float rules are IEEE 754's and NumPy's.

#include <cstdint>
#include <cstring>

#include "ir/ops.hpp"

namespace sinter::ir {

/// One value of any dtype, in its low bytes; the rest is zero. Only complex128 needs the second
/// word.
struct scalar_value {
  std::uint64_t bits[2] = {};
  bool operator==(const scalar_value&) const = default;
};

template <element T>
scalar_value scalar_of(T value) {
  scalar_value s;
  std::memcpy(s.bits, &value, sizeof(T));
  return s;
}

template <element T>
T value_of(const scalar_value& s) {
  T value;
  std::memcpy(static_cast<void*>(&value), s.bits, sizeof(T));
  return value;
}

/// A row of the op table applied to operands of type `type` (see `argument_type`); gives a value of
/// `result_type(code, type)`. Throws std::invalid_argument when the op has no meaning for the type.
/// Not for cast and bitcast.
scalar_value apply(op code, dtype type, const scalar_value* args);

/// Value conversion. Float to integer truncates and saturates, NaN gives 0; integer to integer
/// wraps; anything to bool is `!= 0`; complex to real drops the imaginary part. Every step to a
/// narrower float rounds once, to nearest even; an integer becomes a half type by way of float32.
scalar_value convert(const scalar_value& value, dtype from, dtype to);

/// The neutral element of a reduction with `code` over `type`: lowest and highest are the
/// infinities for floats. Throws std::invalid_argument for ops that have none.
scalar_value identity_of(op code, dtype type);
/// What a scan starts from: the first element passes through unchanged, -0 too.
scalar_value neutral_of(op code, dtype type);

/// `apply` over dense arrays: out[i] = code(args[0][i], ...) for i in [0, n). `out` may be an
/// argument of the same element size. Null when the op has no meaning for the type.
using strip_function = void (*)(void* out, const void* const* args, std::int64_t n);
strip_function strip_of(op code, dtype type);

/// `convert` over dense arrays; `out` and the input do not overlap.
strip_function convert_strip_of(dtype from, dtype to);

}  // namespace sinter::ir

#pragma once
// The formula language: how ops.def says one op in terms of others.
//
// A formula is `name = expression;` any number of times, then one expression, or two with a comma
// between (real and imaginary part). The operators, loosest first: || && == != < <= > >= & + - * /
// and the unary - and !. Calls name rows of the table. Operands are a b c, or ar ai br bi cr ci for
// the parts of complex ones. A number or named constant has the type of what it meets. Types are
// never mixed silently.
//
//   where(c, x, y)            selection
//   as_int(x) as_float(i)     the bits as a signed integer of the same size, and back
//   T(x) I(x) int32(x) uint64(x) float32(x) ...   conversions; T is the type the op computes in (of
//                             a complex op: of its parts), I the signed integer of the same size
//   poly(x, c0, c1, ...)      Horner's scheme, c0 + x (c1 + x (...)), a multiply and an add a step
//   fpoly(x, c0, c1, ...)     the same, an fma a step
//   pick(x, y)                x where T is float32, else y; only the one taken is emitted
//   inf nan tiny normal huge  floats of the type they meet: the smallest subnormal and normal
//                             numbers, the largest finite one
//   all_ones                  an integer of the type it meets
//   width ebias digits        facts about T, in the type they meet: its bits, its exponent bias,
//                             the bits of its significand
//
// Assignments are emitted only if a result needs them. Expressions of numbers and constants alone
// are folded; if nothing else determines their type, it is T.

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir {

/// Appends `i` to `body`, or finds an identical pure instruction among the last few hundred. Exact
/// ops on constants are folded. Returns the instruction that holds the value.
std::int32_t append(std::vector<inst>& body, const inst& i);

/// Appends a constant of type `type`.
std::int32_t emit_constant(std::vector<inst>& body, dtype type, std::uint64_t bits);

/// Appends the conversion of `value` to `to`, unless it has that type. No complex types.
std::int32_t emit_cast(std::vector<inst>& body, std::int32_t value, dtype to);

/// Appends `code`, computing in `type`, to `body` and returns the instruction that holds the value.
/// Ops with a formula are expanded recursively into rows without one. `type` is none of the complex
/// and half types. Throws std::invalid_argument if the op has no meaning for the type.
std::int32_t emit(std::vector<inst>& body, op code, dtype type, const std::int32_t* args);

/// The same for complex operands: `args` holds pairs (real, imaginary), of which a bool operand
/// uses the first; returns the two parts, the second -1 if the result is real or bool. Any other
/// type is passed to `emit`, with the first of each pair.
std::pair<std::int32_t, std::int32_t> emit_complex(std::vector<inst>& body, op code, dtype type,
                                                   const std::int32_t* args);

/// Does the op reach code generators unexpanded for operands of type `type`?
bool is_primitive(op code, dtype type);

/// Does the op give the same bits on every device for operands of type `type`?
bool is_exact(op code, dtype type);

/// The text for operands of type `type` in a column of ops.def with alternatives "real | integer |
/// bool"; the last one given stands for the ones after it. For complex types, the whole column.
std::string_view alternative_of(std::string_view column, dtype type);

}  // namespace sinter::ir

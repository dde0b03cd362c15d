#pragma once
// explode: splits maps of many ops into maps of one op each.
//
// Why: an expression spelled out in two statements, as two C++ types, must become one node before
// CSE can see it, and fusion must be free to cut inside a statement. Strength reduction happens
// here too, because every path (fused, unfused, CPU, GPU) still passes through: powers with a small
// constant exponent become products, integer quotients and remainders by powers of two become
// shifts and masks, and extrema of floats and a constant and shifts by less than the width become
// one instruction.

#include "ir/graph.hpp"

namespace sinter::ir {

graph explode(const graph&);

/// Classifies the cheaper ops that an op with this scalar as second operand becomes; part of a
/// plan's key, because it depends on a value. 0: none. pow: 1 + the row of `exponents` in
/// explode.cpp; integer division: 1 for a power of two; extrema and bounds of floats: 1 for a
/// number other than 0; shifts: 1 for less than the width.
int scalar_class(op code, dtype type, std::uint64_t bits);

/// Can scalar_class() differ from 0 for this op?
constexpr bool looks_at_scalar(op code) {
  return code == op::pow || code == op::remainder || code == op::floor_divide ||
         code == op::maximum || code == op::minimum || code == op::clip ||
         code == op::bitwise_left_shift || code == op::bitwise_right_shift;
}

}  // namespace sinter::ir

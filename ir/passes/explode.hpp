#pragma once
// explode: maps of many ops become maps of one op.
//
// Why: what the C++ types of two statements spelled out twice must meet as one node before CSE can
// see it, and fusion must be free to cut inside a statement. Powers with a small constant exponent
// become products here, integer quotients and remainders by powers of two shifts and masks, and
// extrema of floats and a number, and shifts by less than the width, one instruction, because here
// every path (fused, unfused, CPU, GPU) still goes through.

#include "ir/graph.hpp"

namespace sinter::ir {

graph explode(const graph&);

/// The cheaper ops that an op with this scalar behind its first operand stands for: part of a
/// plan's key, because it looks at a value. 0: none; else of pow 1 + the row of `exponents` in
/// explode.cpp, of integer division 1 for a power of two, of extrema and bounds of floats 1 for a
/// number other than 0, of shifts 1 for less than the width.
int scalar_class(op code, dtype type, std::uint64_t bits);

/// Does that ever come to something?
constexpr bool looks_at_scalar(op code) {
  return code == op::pow || code == op::remainder || code == op::floor_divide ||
         code == op::maximum || code == op::minimum || code == op::clip ||
         code == op::bitwise_left_shift || code == op::bitwise_right_shift;
}

}  // namespace sinter::ir

#pragma once
// The attributes of a "matmul" call: how the routine reads its operands where they lie.
//
// None: dense operands (..., m, k) and (..., k, n), float32 products as IEEE has them. One: the
// mode alone. All of them: what `attributes_of` writes, and then the operands' shapes say nothing.

#include "ir/graph.hpp"

namespace sinter::ir {

/// How products of float32 are computed where the device can: as they are, or from operands rounded
/// to fewer digits.
enum class matmul_mode : std::uint8_t { ieee, tf32, bfloat16, float16 };

/// Element (i, j) of matrix b is at offset + b * batch + i * leading + j; with `transpose` at
/// offset + b * batch + j * leading + i.
struct matmul_operand {
  extent offset = 0, leading = 0, batch = 0;
  bool transpose = false, conjugate = false;
  bool operator==(const matmul_operand&) const = default;
};

struct matmul_form {
  matmul_mode mode = matmul_mode::ieee;
  extent m = 0, n = 0, k = 0, batch = 1;
  matmul_operand a, b;
  bool operator==(const matmul_form&) const = default;
};

std::vector<std::int64_t> attributes_of(const matmul_form&);
/// REQUIRES: attributes as above, and operands of two axes or more where they say nothing.
matmul_form matmul_form_of(const shape_t& a, const shape_t& b,
                           const std::vector<std::int64_t>& attributes);

/// Elements an operand reaches, its offset included; 0 for none.
extent reach_of(const matmul_operand&, extent rows, extent columns, extent batch);

}  // namespace sinter::ir

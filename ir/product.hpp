#pragma once
// The attributes of a "matmul" call: how the routine reads its operands in place, and its epilogue.
// "syrk" has the same ones, no epilogue, and two operands that are one array: only elements on and
// below the diagonal are defined.
//
// No attributes: dense operands (..., m, k) and (..., k, n), IEEE products of float32. One: mode
// and epilogue alone. All of them: as `attributes_of` writes them, and then the operands' shapes
// are ignored. Inputs after the operands belong to the epilogue.

#include "ir/graph.hpp"

namespace sinter::ir {

/// How products of float32 are computed where the device can: exactly, or from operands rounded to
/// fewer digits.
enum class matmul_mode : std::uint8_t { ieee, tf32, bfloat16, float16 };

/// Element (i, j) of matrix b is at offset + b * batch + i * leading + j; with `transpose` at
/// offset + b * batch + j * leading + i.
struct matmul_operand {
  extent offset = 0, leading = 0, batch = 0;
  bool transpose = false, conjugate = false;
  bool operator==(const matmul_operand&) const = default;
};

/// Narrow operands are multiplied and accumulated in 32 bits, and may be stored in that type.
constexpr dtype summed_in(dtype operand) {
  return operand == dtype::int8 ? dtype::int32 : compute_of(operand);
}

enum class matmul_activation : std::uint8_t { none, relu, gelu };

/// activation(alpha a b + beta addend + bias), from the accumulators (of halves in float32),
/// rounded when it is stored. Inputs after the operands, as far as present: bias (n elements),
/// addend (as large as the product), both of the product's type; alpha and beta, rank 0 and of the
/// type that is computed in. gelu is the one by tanh (Hendrycks and Gimpel, 2016).
struct matmul_epilogue {
  bool bias = false, addend = false, alpha = false, beta = false;
  matmul_activation activation = matmul_activation::none;

  bool any() const { return inputs() > 0 || activation != matmul_activation::none; }
  std::size_t inputs() const {
    return std::size_t{bias} + std::size_t{addend} + std::size_t{alpha} + std::size_t{beta};
  }
  bool operator==(const matmul_epilogue&) const = default;
};

struct matmul_form {
  matmul_mode mode = matmul_mode::ieee;
  matmul_epilogue epilogue;
  extent m = 0, n = 0, k = 0, batch = 1;
  matmul_operand a, b;
  bool operator==(const matmul_form&) const = default;
};

extent_list attributes_of(const matmul_form&);
/// The same without the operands, which are dense.
std::vector<std::int64_t> dense_attributes_of(const matmul_form&);
/// Are the operands dense, and is there no epilogue?
bool says_nothing_but_mode(const extent_list& attributes);
/// REQUIRES: attributes as above, and operands of two or more axes if these omit the shapes.
matmul_form matmul_form_of(const shape_t& a, const shape_t& b,
                           const extent_list& attributes);

/// The epilogue as a graph of its own, for libraries that do not fold it. Its sources are the
/// accumulators (batch m, n), bias and addend as far as present; its first scalars alpha and beta.
/// `type`: of the operands; `stored`: of the result, bias and addend.
graph epilogue_graph(const matmul_form&, dtype type, dtype stored);

/// The extent of an operand's storage in elements, its offset included; 0 if it is empty.
extent reach_of(const matmul_operand&, extent rows, extent columns, extent batch);

/// The constants that identify an activation. Which of them a scalar equals belongs to the key of a
/// plan with products in it; no other property of its value does.
enum class activation_constant : std::uint8_t { other, zero, half, one, root, cube };
activation_constant activation_constant_of(dtype, std::uint64_t bits);

}  // namespace sinter::ir

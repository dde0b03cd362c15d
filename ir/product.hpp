#pragma once
// The attributes of a "matmul" call: how the routine reads its operands where they lie, and what it
// makes of their product before it stores it. "syrk" has the same ones, no epilogue, and two
// operands that are one array: only the elements on and below the diagonal mean anything.
//
// None: dense operands (..., m, k) and (..., k, n), float32 products as IEEE has them. One: the
// mode and the epilogue alone. All of them: what `attributes_of` writes, and then the operands'
// shapes say nothing. The inputs behind the operands are those of the epilogue.

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

/// Narrow operands are multiplied and added up in 32 bits, and may be stored as that.
constexpr dtype summed_in(dtype operand) {
  return operand == dtype::int8 ? dtype::int32 : compute_of(operand);
}

enum class matmul_activation : std::uint8_t { none, relu, gelu };

/// activation(alpha a b + beta addend + bias), from the sums as they were added up (of halves in
/// float32), rounded when it is stored. Inputs behind the operands, as far as there are: bias (n
/// elements), addend (as large as the product), both of the product's type; alpha and beta, rank 0
/// and of the type that is computed in. gelu is the one by tanh (Hendrycks and Gimpel, 2016).
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
/// The same but for the operands: they are dense.
std::vector<std::int64_t> dense_attributes_of(const matmul_form&);
/// Are the operands dense, and is nothing made of their product?
bool says_nothing_but_mode(const extent_list& attributes);
/// REQUIRES: attributes as above, and operands of two axes or more where they say nothing.
matmul_form matmul_form_of(const shape_t& a, const shape_t& b,
                           const extent_list& attributes);

/// What an epilogue does to the sums, as a graph of its own: where a library does not fold it. Its
/// sources are the sums (batch m, n), bias and addend as far as there are; its first scalars alpha
/// and beta. `type`: of the operands; `stored`: of the result, bias and addend.
graph epilogue_graph(const matmul_form&, dtype type, dtype stored);

/// Elements an operand reaches, its offset included; 0 for none.
extent reach_of(const matmul_operand&, extent rows, extent columns, extent batch);

/// The numbers that tell an activation from other formulas. Which of them a scalar is belongs to
/// the key of a plan with products in it; no other value does.
enum class activation_constant : std::uint8_t { other, zero, half, one, root, cube };
activation_constant activation_constant_of(dtype, std::uint64_t bits);

}  // namespace sinter::ir

#pragma once
// integer_products: turns large integer matrix products into products of doubles, or of bfloat16
// accumulated in float32, on a GPU; and products of bytes into the library's int8 products.
//
// Why: no library multiplies 32-bit integers, and a kernel that reads both matrices for every
// element does 0.6e12 steps a second where a GPU's library does 30e12 in doubles, which hold sums
// of products of few bits exactly. Bytes are exact in bfloat16, and sums of 1,024 of their products
// in float32. If operands are not known to have few bits, their 16-bit halves are multiplied. A
// CPU's byte instructions do eight times what such a kernel does. Results are those of integer
// sums, bit by bit.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

graph integer_products(const graph&, const machine&);

}  // namespace sinter::ir

#pragma once
// integer_products: large products of integer matrices become products of doubles, or of bfloat16
// added up in float32, on a GPU; those of bytes products of bytes, where the library has them.
//
// Why: no library multiplies integers of 32 bits, and a kernel that reads both matrices for every
// element does 0.6e12 steps a second where a GPU's library does 30e12 with doubles, which hold sums
// of products of few bits exactly; bytes are bfloat16 exactly, and sums of 1,024 of their products
// float32. Where operands are not seen to have few bits, their halves are multiplied. A CPU's
// instructions for bytes do eight times what such a kernel does. The bits are those of the sums.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

graph integer_products(const graph&, const machine&);

}  // namespace sinter::ir

#pragma once
// vector_products: turns a product with one column or one row into a multiplication and a sum, and
// an outer product into a multiplication.
//
// Why: a library reads the matrix once, and so does a sum; but a sum fuses with the producer of the
// matrix, which is then never stored, with its neighbours and with its consumers. On a GPU products
// of depth up to four are sums of outer products: its library has no kernel for that depth (4e6
// points of 3 coordinates times a matrix took 207 us, copying them takes 23). Nor has it one for
// many matrices of up to 8 by 8, nor for few outputs or columns (product_forms).
//
// REQUIRES: operands are dense (read_in_place has not run).

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// Halves are multiplied and summed as floats, as libraries do. Depends on shapes and the target
/// alone, so fused and unfused programs compute the same.
graph vector_products(const graph&, const machine&);

}  // namespace sinter::ir

#pragma once
// vector_products: a product with one column or one row is a multiplication and a sum, an outer
// product is a multiplication.
//
// Why: a library reads the matrix once, and so does a sum; but a sum fuses with what makes the
// matrix, which then is never stored, with its neighbours and with what is done to the result. On a
// GPU products of a depth up to four are sums of outer products: its library has no kernel for
// that depth (4e6 points of 3 coordinates times a matrix took 207 us, a copy of them takes 23). Nor
// has it one for many matrices of up to 8 by 8, nor for few outputs or columns (product_forms).

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// Halves are multiplied and summed as floats, as libraries do. Depends on shapes and the target
/// alone, so fused and unfused programs compute the same. REQUIRES: operands are dense
/// (read_in_place has not run).
graph vector_products(const graph&, const machine&);

}  // namespace sinter::ir

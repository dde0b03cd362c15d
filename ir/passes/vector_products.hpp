#pragma once
// vector_products: a product with one column or one row is a multiplication and a sum, an outer
// product is a multiplication.
//
// Why: a library reads the matrix once, and so does a sum; but a sum fuses with what makes the
// matrix, which then is never stored, with its neighbours and with what is done to the result.

#include "ir/graph.hpp"

namespace sinter::ir {

/// Halves are multiplied and summed as floats, as libraries do. Depends on shapes alone, so fused
/// and unfused programs compute the same. REQUIRES: operands are dense (read_in_place has not run).
graph vector_products(const graph&);

}  // namespace sinter::ir

#pragma once
// symmetric_products: computes x^T x and x x^T (conjugated: x^H x and x x^H) below the diagonal
// only, by syrk and herk, and mirrors them when read.
//
// Why: half the multiplications. The mirror is a map, and fuses with what follows the product.
//
// REQUIRES: read_in_place has run.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// Where it pays, which depends on the sizes and the number of units. Mirrored elements are exactly
/// equal (or exactly conjugate, with a real diagonal), which a general product does not promise;
/// the sums are the library's either way.
graph symmetric_products(const graph&, const machine&);

}  // namespace sinter::ir

#pragma once
// symmetric_products: x^T x and x x^T (conjugated: x^H x and x x^H) are computed below the diagonal
// alone, by syrk and herk, and read from there.
//
// Why: half the multiplications. The mirror is a map, and fuses with what follows the product.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// Where it pays, which depends on the sizes and on how many units the device has. Elements at
/// mirrored places are exactly equal (or exactly conjugate, with a real diagonal), which a general
/// product does not promise; the sums are the library's either way. REQUIRES: read_in_place has
/// run.
graph symmetric_products(const graph&, const machine&);

}  // namespace sinter::ir

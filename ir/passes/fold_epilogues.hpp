#pragma once
// fold_epilogues: folds into a product's call what cuBLASLt can apply to it before the store: a
// scale, an addend, a bias, relu, gelu, a cast to the operands' type.
//
// Why: a kernel after the product reads and writes all of it once more: a tenth of the time of a
// large product of halves, and most of a small one's. An epilogue is folded only if that removes
// the kernel; if some work remains for it, the kernel does everything.
//
// REQUIRES: exploded maps.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// Only for GPUs. An epilogue starts from the accumulators, before rounding to a half type, and
/// rounds once (ir/product.hpp). gelu is folded only into products stored in a half type, whose
/// rounding hides how the library computes it.
graph fold_epilogues(const graph&, const machine&);

}  // namespace sinter::ir

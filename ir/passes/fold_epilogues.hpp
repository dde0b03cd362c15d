#pragma once
// fold_epilogues: what follows a product and cuBLASLt can do before it stores it (a scale, an
// addend, a bias, relu, gelu, a cast to the operands' type) becomes part of the call.
//
// Why: the kernel after the product reads and writes the whole of it once more; that is a tenth of
// the time of a large product of halves, and most of a small one's. Folded is only what saves that
// kernel: where something remains to be done, the kernel does it all.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// Only for GPUs. An epilogue starts from the sums, before they are rounded to a half type, and
/// rounds once: ir/product.hpp. gelu is folded into products stored in half types alone, whose
/// rounding hides how the library computes it. REQUIRES: exploded maps.
graph fold_epilogues(const graph&, const machine&);

}  // namespace sinter::ir

#pragma once
// shape_chain: chooses the chunks of long rows that the blocks of a GPU scan by chaining.
//
// Why: the chunk size fixes the tree in which long rows are combined, by the size of an element
// alone, and how many bytes are in flight, which decides the speed.

#include <vector>

#include "ir/index_expr.hpp"
#include "ir/kernel.hpp"

namespace sinter::ir {

/// Sets threads and vectors of a kernel with chained scans, lanes along rows; returns the elements
/// of a chunk. `tested`: small chunks, so that small arrays have many.
extent shape_chain(kernel& k, const std::vector<index_expr>& operands, bool tested);

/// Blocks to launch for this many chunks: each takes further chunks until none is left, so
/// launching more than are resident does no harm.
extent chain_blocks(extent chunks, int units);

}  // namespace sinter::ir

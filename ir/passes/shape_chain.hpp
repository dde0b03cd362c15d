#pragma once
// shape_chain: chunks of long rows that blocks of a GPU scan one after the other.
//
// Why: in which tree long rows are combined is decided here, by the size of an element alone; so is
// how much of them is under way at once, on which the speed hangs.

#include <vector>

#include "ir/index_expr.hpp"
#include "ir/kernel.hpp"

namespace sinter::ir {

/// Threads and vectors of a kernel with chained scans, lanes along rows; the elements of a chunk.
/// `tested`: small chunks, so that small arrays have many.
extent shape_chain(kernel& k, const std::vector<index_expr>& operands, bool tested);

/// Blocks to launch for so many chunks: each goes on until there are none left, so more than run at
/// once do no harm.
extent chain_blocks(extent chunks, int units);

}  // namespace sinter::ir

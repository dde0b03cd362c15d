#pragma once
// shape_gpu_map: chooses vectors, tiles and the reach of every operand of a map on a GPU.
//
// Why: memory runs at full speed in aligned vectors along the axis an operand is contiguous along.
// If operands disagree about that axis, a tile of some is transposed in shared memory; if they
// agree, but not about alignment, vectors begin where those of the output do, and the others are
// assembled from two aligned ones.

#include <vector>

#include "ir/index_expr.hpp"
#include "ir/kernel.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// `k` is a map whose last axis is that of the lanes; `vector` elements of the widest operand make
/// the widest access. Sets the schedule and the reach of the operands.
void shape_gpu_map(kernel& k, const shape_t& extents, const std::vector<index_expr>& operands,
                   const machine& m, int vector);

}  // namespace sinter::ir

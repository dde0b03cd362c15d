#pragma once
// choose_tile: chooses the tile of a GPU map whose operands are contiguous along two different
// axes.
//
// Why: a tile is as large as shared memory and registers allow, and square, so that both kinds of
// operand are accessed by whole lines; but no longer than an axis, since threads outside the array
// idle.
//
// REQUIRES: the reach of the operands and their vectors are chosen.

#include "ir/graph.hpp"
#include "ir/kernel.hpp"

namespace sinter::ir {

/// Sets the tile, and the threads and vectors that cover it. `size`: bytes of the widest element
/// that is transposed.
void choose_tile(kernel&, const shape_t& extents, int size);

}  // namespace sinter::ir

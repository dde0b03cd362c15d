#pragma once
// choose_tile: the tile of a map whose operands lie along two axes, on a GPU.
//
// Why: a tile is as large as shared memory and registers allow, a square, so that what lies along
// either axis is read and written by whole lines; and no longer than an axis, for threads outside
// of the array do nothing.

#include "ir/graph.hpp"
#include "ir/kernel.hpp"

namespace sinter::ir {

/// Sets the tile, and the threads and vectors that go over it. REQUIRES: the reach of the operands
/// and their vectors are chosen; `size`: bytes of the widest element that is turned.
void choose_tile(kernel&, const shape_t& extents, int size);

}  // namespace sinter::ir

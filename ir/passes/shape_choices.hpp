#pragma once
// Whether a GPU's thread asks once for a vector of what it reads under conditions.
//
// Why: a roll of bytes is sixteen loads and as many comparisons of a thread, or a few of sixteen
// bytes. But a warp in which a condition changes goes both ways, and registers hold what is read
// until lanes are computed; of a pad, or a roll alone, memory hides how it is read.

#include <vector>

#include "ir/index_expr.hpp"
#include "ir/kernel.hpp"

namespace sinter::ir {

/// Of a kernel whose lanes run along `axis`, of so many elements; its vector is known.
/// REQUIRES: `operands` say how those of the kernel move.
bool asks_once(const kernel&, const std::vector<index_expr>& operands, std::size_t axis,
               const extent& length);

/// Of the same, whose rows vectors divide: does all that is chosen among begin equally far from
/// aligned places, and do the edges stand still? Then an aligned vector lies on one side of each,
/// as in a roll, and none of them takes a warp both ways, however short a row is.
bool knows_edges(const kernel&, const std::vector<index_expr>& operands, std::size_t axis);

/// Marks the operands (reach::aligned) that are chosen among by conditions which say one thing all
/// along the axis, where vectors of all of them are aligned, as where rows are rolled: to ask once
/// for these costs nothing, however short a row is.
void mark_aligned(kernel&, const std::vector<index_expr>& operands, std::size_t axis);

}  // namespace sinter::ir

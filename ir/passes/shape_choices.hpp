#pragma once
// Decides whether a GPU thread tests the conditions of guarded reads once per vector.
//
// Why: a roll of bytes is sixteen loads and comparisons per thread, or a few of sixteen bytes. But
// a warp within which a condition changes diverges, and registers hold what was read until the
// lanes are computed; for a pad or a roll alone, memory hides how it is read.

#include <vector>

#include "ir/index_expr.hpp"
#include "ir/kernel.hpp"

namespace sinter::ir {

/// For a kernel whose lanes run along `axis`, of `length` elements; its vector is chosen. REQUIRES:
/// `operands` are the index expressions of the kernel's operands.
bool asks_once(const kernel&, const std::vector<index_expr>& operands, std::size_t axis,
               const extent& length);

/// For the same, if vectors divide its rows: do all alternatives of every choice begin equally far
/// from an aligned address, and are the edges the same in all rows? Then an aligned vector lies on
/// one side of each edge, as in a roll, and no warp diverges, however short a row is.
bool knows_edges(const kernel&, const std::vector<index_expr>& operands, std::size_t axis);

/// Marks operands (reach::aligned) chosen among by conditions that are constant along the axis and
/// whose vectors are all aligned, as when rows are rolled: one test per vector then costs nothing,
/// however short a row is.
void mark_aligned(kernel&, const std::vector<index_expr>& operands, std::size_t axis);

}  // namespace sinter::ir

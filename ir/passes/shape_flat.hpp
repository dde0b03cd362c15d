#pragma once
// make_flat: lets the vectors of a GPU map cross the ends of its rows.
//
// Why: if the vector width does not divide the row length, everything stored and most of what is
// read may still be one contiguous run, which vectors cover as if there were no rows. Broadcast
// operands (a row, a column, a coordinate) are read lane by lane, from a cache. H200, us, 64
// million floats in rows of 33 (a copy 121): (x - row) / row 320 -> 126, exp(x - row) / row 506 ->
// 132; halves 635 -> 174.

#include <vector>

#include "ir/index_expr.hpp"
#include "ir/kernel.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// Makes a map with known vectors and last axis `flat`, with narrower vectors where runs begin
/// unaligned. False: some operand is neither contiguous nor broadcast; left unchanged.
bool make_flat(kernel&, const shape_t& extents, const std::vector<index_expr>& operands,
               const machine&);

/// The same for a CPU, for rows that are short but no shorter than a vector: inputs need not be
/// broadcast, but must be contiguous along rows.
bool make_flat_rows(kernel&, const shape_t& extents, const std::vector<index_expr>& operands);

}  // namespace sinter::ir

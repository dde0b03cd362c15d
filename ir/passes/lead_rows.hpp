#pragma once
// lead_rows: lets a GPU reduction read unaligned rows by whole vectors that begin before the row.
//
// Why: if the vector width does not divide the row length, each row begins at another offset in its
// cache line, and reading a row of halves element by element takes twenty instructions each.
// Instead the vectors of a row begin at an aligned address, up to vector - 1 elements before the
// row, and the lanes before it are ignored. So the last bits of a row's result may depend on where
// the row begins. The extra lanes lie in the same aligned 16 bytes as part of the row, which are
// always mapped.

#include <vector>

#include "ir/index_expr.hpp"
#include "ir/kernel.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// Gives a reduction whose lanes run along its rows the widest vectors of its inputs and a lead, if
/// its rows are contiguous in walking order and nothing is read or written elsewhere. False: left
/// unchanged; its vectors are aligned already, or cannot be.
bool lead_rows(kernel&, const std::vector<index_expr>& operands, extent length, const machine&);

}  // namespace sinter::ir

#pragma once
// lead_rows: rows of a GPU's reduction that begin between vectors are walked by whole vectors.
//
// Why: of rows that no vector divides each begins elsewhere in its line, and element by element a
// row of halves takes twenty instructions each. Instead the vectors of a row begin where memory is
// aligned, the first of them up to vector - 1 elements before the row: its lanes there count for
// nothing. So what a row comes to may hang, in its last place, on where the row begins. What is
// read beside a row lies in the same aligned 16 bytes as some of it, which are memory as a whole.

#include <vector>

#include "ir/index_expr.hpp"
#include "ir/kernel.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// Gives a reduction whose lanes run along its rows the widest vectors its inputs have, and a lead,
/// if its rows lie in memory as they are walked and nothing is read or written elsewhere. False:
/// left alone; its vectors are aligned as they are, or cannot be.
bool lead_rows(kernel&, const std::vector<index_expr>& operands, extent length, const machine&);

}  // namespace sinter::ir

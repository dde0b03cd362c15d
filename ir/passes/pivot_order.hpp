#pragma once
// pivot_order: turns the row exchanges of LU pivots ("pivot_rows") into a list of row numbers.
//
// Why: exchanging whole rows pivot by pivot moves all columns once per row, in one call per matrix.
// Where one row ends up is a walk along the pivots that needs no other row: one kernel for all rows
// of all matrices, and whatever reads through the list fuses with it.
//
// REQUIRES: simplify has run.

#include "ir/graph_builder.hpp"

namespace sinter::ir {

/// "pivot_rows" (pivots) -> int64 (..., rows), attributes {backwards}.
graph pivot_order(const graph&);

/// `pivots`: int32 (..., k), counted from 1, of matrices with `rows` rows, k or more. The row at
/// each position after rows i and pivots[i] - 1 have been exchanged, for i from 0 on; `backwards`:
/// from the last i down, which undoes it. int64 (..., rows).
node_id rows_by_pivots(graph_builder&, node_id pivots, extent rows, bool backwards);

}  // namespace sinter::ir

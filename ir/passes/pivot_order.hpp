#pragma once
// pivot_order: the rows that the pivots of LU factors exchange ("pivot_rows") become a list of row
// numbers.
//
// Why: exchanging whole rows pivot by pivot moves all columns as often as there are rows, in one
// call a matrix. Where a single row ends up is a walk along the pivots that needs no other row: one
// kernel for all rows of all matrices, and what reads by the list fuses with it.

#include "ir/graph_builder.hpp"

namespace sinter::ir {

/// "pivot_rows" (pivots) -> int64 (..., rows), attributes {backwards}. REQUIRES: simplify has run.
graph pivot_order(const graph&);

/// `pivots`: int32 (..., k), counted from 1, of matrices with `rows` rows, k or more. Which row
/// comes to each place when rows i and pivots[i] - 1 are exchanged, i from 0 on; `backwards`: from
/// the last one on, which undoes that. int64 (..., rows).
node_id rows_by_pivots(graph_builder&, node_id pivots, extent rows, bool backwards);

}  // namespace sinter::ir

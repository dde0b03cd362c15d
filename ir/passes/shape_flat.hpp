#pragma once
// make_flat: vectors of a GPU's map go on over the ends of its rows.
//
// Why: where rows are no whole vectors, all that is stored and most of what is read may still be
// one run of memory, which vectors cover as if there were no rows. What is repeated (a row, a
// column, a coordinate) each lane finds by itself, in a cache. H200, us, 64 million floats in rows
// of 33 (a copy 121): (x - row) / row 320 -> 126, exp(x - row) / row 506 -> 132; halves 635 -> 174.

#include <vector>

#include "ir/index_expr.hpp"
#include "ir/kernel.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// Makes a map whose vectors and last axis are known `flat`, with vectors of fewer elements where
/// runs do not begin at whole ones. False: something is neither a run nor repeated; left alone.
bool make_flat(kernel&, const shape_t& extents, const std::vector<index_expr>& operands,
               const machine&);

/// The same for a CPU, of rows that are short, but no shorter than a vector: what is read need not
/// be repeated, but lie along its rows.
bool make_flat_rows(kernel&, const shape_t& extents, const std::vector<index_expr>& operands);

}  // namespace sinter::ir

#pragma once
// Finds the axes along which the range check of a gather's or a scatter's indices varies.
//
// Why: an index that selects a whole row is checked once per row, not once per element. Of four
// coefficients looked up for every point, all four checked the point's index, in a kernel of their
// own.

#include "ir/graph.hpp"
#include "ir/index_expr.hpp"

namespace sinter::ir {

struct flag_rows {
  shape_t shape;    // the leading axes of the walked shape
  extent each = 1;  // elements per point of `shape`

  /// The index, among all walked elements, of the first element of each point, over a domain whose
  /// points `rows` numbers.
  index_expr place(index_expr rows) const;
};

/// The shape that is walked: a gather's own, or that of a scatter's indices.
const shape_t& walked_shape(const graph&, const node&);

/// REQUIRES: a gather or a scatter with checked indices.
flag_rows rows_of_flag(const graph&, const node&);

}  // namespace sinter::ir

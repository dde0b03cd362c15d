#pragma once
// Along which axes what is said of a gather's or a scatter's indices differs.
//
// Why: rows that are picked by one index each are checked once a row, not once an element: of four
// coefficients looked up for every point all four asked whether the point's index is in range, in
// a kernel of their own.

#include "ir/graph.hpp"
#include "ir/index_expr.hpp"

namespace sinter::ir {

struct flag_rows {
  shape_t shape;    // the leading axes of what is walked
  extent each = 1;  // elements for each point of them

  /// Where the first element of each stands among all of them, over a domain whose elements that
  /// `rows` numbers are these points.
  index_expr place(index_expr rows) const;
};

/// What is walked: a gather's own shape, or that of a scatter's indices.
const shape_t& walked_shape(const graph&, const node&);

/// REQUIRES: a gather or a scatter with checked indices.
flag_rows rows_of_flag(const graph&, const node&);

}  // namespace sinter::ir

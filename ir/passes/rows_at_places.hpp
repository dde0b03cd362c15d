#pragma once
// Scatters whose places are rows of an array.
//
// Why: `x.at(i).add(v)` of a matrix has one index for all elements of a row, spread along the row.
// Who adds rows up has to see the list again that was spread, and the values as rows of memory.

#include <optional>

#include "ir/graph.hpp"

namespace sinter::ir {

/// Element (r, c) of an array seen as rows: x[offset + r * row + c * column].
struct matrix {
  node_id x = -1;
  extent offset = 0, row = 0, column = 0;
};

/// A scatter of rows: the elements of row r of `values` are added behind place `at` of the base.
struct row_sums {
  extent rows = 0, width = 0, places = 0;
  matrix at, values;
  std::optional<matrix> counts, wrong, words;
};

/// The scatter as rows, if it is `summed`, its places are the last axes of its base, whole, and an
/// index is all rows of a place have.
std::optional<row_sums> rows_at_places(const graph&, const node&);

}  // namespace sinter::ir

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
  bool operator==(const matrix&) const = default;
};

/// A scatter of rows: the elements of row r of `values` are added behind place `at` of the base.
struct row_sums {
  extent rows = 0, width = 0, places = 0;
  std::size_t lead = 0;  // axes of the index that are rows
  matrix at, values;
  std::optional<matrix> counts, wrong, words;
};

/// A node of `shape`, or of rank 0, whose first `lead` axes are rows; nullopt where no strides say
/// it.
std::optional<matrix> seen_as_rows(const graph&, node_id, const shape_t& shape, std::size_t lead);
/// The same of what a map says; `x` is not set.
std::optional<matrix> seen_as_rows(const index_map&, const shape_t& shape, std::size_t lead);

/// The scatter as rows, if it is `summed`, its places are the last axes of its base, whole, and an
/// index is all rows of a place have.
std::optional<row_sums> rows_at_places(const graph&, const node&);

}  // namespace sinter::ir

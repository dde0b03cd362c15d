#pragma once
// Recognises scatters that add whole rows.
//
// Why: `x.at(i).add(v)` on a matrix has one index per row, broadcast along the row. A sum of rows
// needs that list before the broadcast, and the values as rows in memory.

#include <optional>

#include "ir/graph.hpp"

namespace sinter::ir {

/// Element (r, c) of an array seen as rows: x[offset + r * row + c * column].
struct matrix {
  node_id x = -1;
  extent offset = 0, row = 0, column = 0;
  bool operator==(const matrix&) const = default;
};

/// A scatter of rows: row r of `values` is added at row `at`[r] of the base.
struct row_sums {
  extent rows = 0, width = 0, places = 0;
  std::size_t lead = 0;  // axes of the index that enumerate rows
  matrix at, values;
  std::optional<matrix> counts, wrong, words;
};

/// A node of `shape`, or of rank 0, whose first `lead` axes are rows; nullopt if no strides express
/// it.
std::optional<matrix> seen_as_rows(const graph&, node_id, const shape_t& shape, std::size_t lead);
/// The same for a map; `x` is not set.
std::optional<matrix> seen_as_rows(const index_map&, const shape_t& shape, std::size_t lead);

/// The scatter as rows, if it is `summed`, its rows are the last axes of its base, whole, and all
/// elements of a row share an index.
std::optional<row_sums> rows_at_places(const graph&, const node&);

}  // namespace sinter::ir

#pragma once
// Describes how each row of a scatter's values is computed, so that it can be recomputed in sorted
// order.
//
// Why: a sum that visits rows in the order of their places reads each row once. Stored values are
// written in one order and read in another; their operands (rows selected by an index, one number
// per row) can be fetched in sorted order instead.

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.hpp"
#include "ir/passes/rows_at_places.hpp"

namespace sinter::ir {

/// One element per row. For an index also which elements are out of range, the status words of
/// these, and the check that reports them.
struct row_list {
  matrix of;
  bool picks = false;
  std::optional<matrix> wrong, words;
  std::uint64_t check = 0;
  bool operator==(const row_list&) const = default;
};

/// An input of the program.
struct row_leaf {
  enum class form : std::uint8_t {
    same,    // one row for all: of[offset + column * c]
    list,    // an element of lists[which]
    picked,  // of[offset + index + column * c], index being an element of lists[which]
    own      // of[offset + row * r + column * c]
  };
  form is;
  matrix of;
  int which = -1;
};

/// Element (r, c) of the values.
struct computed_rows {
  std::vector<row_list> lists;
  std::vector<row_leaf> leaves;
  program code;  // if empty, the value is the only leaf

  bool reads_own() const;
  dtype type() const;
};

/// Values of `shape`, whose first `lead` axes are rows. nullopt if they are already in memory, are
/// complex, or need more lists, leaves or operations than one thread should hold.
std::optional<computed_rows> rows_computed(const graph&, node_id values, const shape_t& shape,
                                           std::size_t lead);

}  // namespace sinter::ir

#pragma once
// What rows of values are computed from.
//
// Why: who adds rows up in the order of their places reads each of them once. Values that are
// stored for it are written in one order and read in another; what they are computed from, rows
// that an index picks and numbers a row has, can be had in that order in the first place.

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.hpp"
#include "ir/passes/rows_at_places.hpp"

namespace sinter::ir {

/// An element for each row. Of an index also which elements are out of range, words for these, and
/// the check that reports them.
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
    same,    // for all rows: of[offset + column * c]
    list,    // an element of lists[which]
    picked,  // of[offset + index + column * c], the index being an element of lists[which]
    own      // of[offset + row * r + column * c]
  };
  form is;
  matrix of;
  int which = -1;
};

/// Element (r, c) of values.
struct computed_rows {
  std::vector<row_list> lists;
  std::vector<row_leaf> leaves;
  program code;  // where it is empty, the value is the only leaf

  bool reads_own() const;
  dtype type() const;
};

/// Values of `shape`, whose first `lead` axes are rows. nullopt where they are memory already, are
/// made of complex numbers, or of more lists and operations than a thread should hold.
std::optional<computed_rows> rows_computed(const graph&, node_id values, const shape_t& shape,
                                           std::size_t lead);

}  // namespace sinter::ir

#pragma once
// Where the conditions of a map change along its last axis, or of a reduction along the axis that
// its lanes go along. Rolls, pads, triangles and diagonals ask every point where it is, and along a
// row the answer changes at a place or two. A CPU walks such a row in pieces between these places:
// there a condition is one value, what it chooses among is one address, and no vector is as narrow
// as the coordinates that were compared.

#include <functional>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir {

/// A comparison of an int64 that moves by one along the last axis with one that stands still.
struct edge {
  int instruction;
  int moving;     // which of its arguments moves
  bool backward;  // it falls by one; else it rises
  bool computed;  // it is more than an index, and may wrap around on its way
};

/// What is known of a map's body, by where its points are along the last axis.
struct lane_values {
  std::vector<edge> edges;  // in order
  std::vector<bool> shared;  // by instruction: does no lane have one of its own, as it stands still
                             // or only edges want it? Of an edge itself: no
};

/// How an operand moves along the last axis.
using lane_step = std::function<step(int operand)>;

/// Linear in the body.
lane_values find_edges(const kernel&, const lane_step&);

/// The same, of a kernel whose operands have their steps.
lane_values find_edges(const kernel&);

}  // namespace sinter::ir

#pragma once
// Finds where the conditions of a map change along its last axis, or of a reduction along its
// lanes' axis. Rolls, pads, triangles and diagonals test the coordinate of every point, and along a
// row the answer changes once or twice. A CPU walks such a row in pieces between these positions:
// within a piece a condition is one value, the chosen operand is one address, and vectors are not
// limited by the width of the compared coordinates.

#include <functional>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir {

/// A comparison of an int64 that moves by one along the last axis with one that is constant.
struct edge {
  int instruction;
  int moving;     // which of its arguments moves
  bool backward;  // it decreases by one; else it increases
  bool computed;  // it is more than an index, and may wrap around
};

/// What is known about a map's body from the coordinate along the last axis.
struct lane_values {
  std::vector<edge> edges;  // ascending
  std::vector<bool> shared;  // per instruction: is it the same in all lanes, being constant or used
                             // only by edges? Of an edge itself: no
};

/// How an operand moves along the last axis.
using lane_step = std::function<step(int operand)>;

/// Linear in the body.
lane_values find_edges(const kernel&, const lane_step&);

/// The same for a kernel whose operands have their steps.
lane_values find_edges(const kernel&);

}  // namespace sinter::ir

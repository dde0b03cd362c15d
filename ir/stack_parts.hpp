#pragma once
// The parts of a stack as plain maps: what a host runs for a box, one after the other, with tiles
// as ordinary arrays. A part that stores to both its tile and memory is computed once; the memory
// is then copied from the tile.

#include <cstdint>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir {

/// A map over the points of a part, in a box given by its extents, with the part's operands. Tile
/// operands have passed strides, except along the last axis.
struct plain_part {
  kernel code;
  std::size_t part = 0;
  bool beyond = false;  // computed in the box and its margins, clipped to the part; else in the box
                        // alone
};

/// In execution order; the maps of one part are adjacent.
std::vector<plain_part> plain_parts(const kernel& stack);

/// For a box: does a plain part's slot describe a position in memory, per point that the box begins
/// after the part's domain? Slots of other kinds do not depend on the box.
bool moves_with_box(const kernel& code, const slot&);

}  // namespace sinter::ir

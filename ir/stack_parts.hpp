#pragma once
// The parts of a stack as plain maps: what a host runs of a box, one after the other, tiles being
// arrays like any other. A part that stores to both its tile and memory is computed once; what goes
// to memory is then copied from the tile.

#include <cstdint>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir {

/// A map over the points of a part, in a box that its extents say, with the part's operands. Those
/// in tiles have strides, but along the last axis.
struct plain_part {
  kernel code;
  std::size_t part = 0;
  bool beyond = false;  // computed beyond the box, as far as the part is; else in the box alone
};

/// In the order in which they are to run; those of one part follow each other.
std::vector<plain_part> plain_parts(const kernel& stack);

/// Of a box that is computed: what a plain part's slot says of its place in memory, in elements for
/// each point that the box begins behind the part's domain. Slots of other kinds do not depend on
/// it.
bool moves_with_box(const kernel& code, const slot&);

}  // namespace sinter::ir

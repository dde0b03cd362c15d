#pragma once
// Lookups in turn: `p(p(x))`, `y = lut(y) + lut(255 - y)` again and again.
//
// Why: in one kernel each lookup waits for the one before it, and a CPU sees no further than a few
// vectors ahead to find other loads. A kernel each has nothing but independent loads. (1e6 numbers,
// one core of an EPYC, in turn through a table of 256 and of 4e6 int32s: twice 1.5 -> 1.1 ms and
// 15.4 -> 4.9, eight times 12.4 -> 4.3 and 213 -> 22; a table of bytes at two places, eight times
// 17.6 -> 4.8.)

#include "ir/graph.hpp"

namespace sinter::ir {

/// What is stored before gather n so that its index depends on no other gather in its kernel: of
/// the maps below the index the first through which all that it takes from gathers goes, or the
/// only gather. -1: it depends on none.
node_id link_before(const graph&, node_id gather);

}  // namespace sinter::ir

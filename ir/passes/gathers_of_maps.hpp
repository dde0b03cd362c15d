#pragma once
// gathers_of_maps: replaces a gather from a computed array by the same computation on gathered
// operands.
//
// Why: an index can select any element, so a gather's base must be materialised as a whole.
// `log_softmax(x)(rows, labels)` needs one element per row, `pad(cumsum(x))(ends) -
// pad(cumsum(x))(starts)` those where rows end. Maps, views, pads and iotas below a gather are
// known element by element, so the gather sinks to their leaves, if that computes no more elements
// than before; nothing is then stored for it.
//
// REQUIRES: maps have one op.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

graph gathers_of_maps(const graph&, const machine&);

}  // namespace sinter::ir

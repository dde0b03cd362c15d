#pragma once
// gathers_of_maps: elements picked from what was computed are computed from picked elements.
//
// Why: an index reaches any element, so what it picks from has to be in memory, all of it. Of
// `log_softmax(x)(rows, labels)` one element a row is wanted, of `pad(cumsum(x))(ends) -
// pad(cumsum(x))(starts)` those where rows end. Below the gather lie functions, views, pads and
// numbers by place, which are known element by element; what they in turn read is picked from
// instead: no more elements than would have been computed, and nothing is written for it.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// REQUIRES: maps have one op.
graph gathers_of_maps(const graph&, const machine&);

}  // namespace sinter::ir

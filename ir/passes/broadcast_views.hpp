#pragma once
// broadcast_views: a view that stands still along some axes, and goes far apart along the last one,
// is the same for all of a view without these.
//
// Why: a column that is added to every row is read as often as there are rows, each time across as
// many lines as it has elements. As a view of its own it can be stored, packed, before
// (fuser::lies_far_apart). Comes last: everywhere else one view is simpler than two.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

graph broadcast_views(const graph&, const machine&);

}  // namespace sinter::ir

#pragma once
// broadcast_views: splits a view that is broadcast along some axes and strided by more than
// `most_apart` along the last into a view without the broadcast axes and a broadcast of it.
//
// Why: a column added to every row is read once per row, each time across as many cache lines as it
// has elements. The inner view can be packed into dense memory first (fuser::lies_far_apart).
//
// REQUIRES: runs after all passes that rewrite views: everywhere else one view is simpler than two.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

graph broadcast_views(const graph&, const machine&);

}  // namespace sinter::ir

#pragma once
// Elementwise loops whose bodies contain such loops, as one loop.
//
// Why: the kernels know loops at a point, not loops of these; a launch a round of the outer loop
// and everything through memory would cost more than a few choices.
// How: by flattening (Ghuloum and Fisher, "Flattening and Parallelizing Irregular, Recurrent Loop
// Nests", 1995). A round of the flat loop is a round of the inner loop that an element is in, or,
// where that one ends, what the outer body does around it. So each element goes on by itself:
// none waits for the longest inner loop of its neighbours.

#include "engine/control/traced_loop.hpp"

namespace sinter::detail {

/// The flat loop, and which of its outputs are those of `loop`: its first carries, all of one
/// shape. Nothing if there is no loop in it, or one that cannot be flattened; then `why` says so.
std::optional<traced_loop> flattened(const traced_loop& loop, std::string& why, location where);

}  // namespace sinter::detail

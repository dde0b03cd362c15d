#pragma once
// Flattens elementwise loops whose bodies contain such loops into one loop.
//
// Why: kernels support loops at a point, but not nested ones; one launch per round of the outer
// loop, with all values through memory, would cost more than a few selects. How: by flattening
// (Ghuloum and Fisher, "Flattening and Parallelizing Irregular, Recurrent Loop Nests", 1995). A
// round of the flat loop is a round of an element's current inner loop, or, where that one ends,
// the part of the outer body around it. So each element proceeds by itself: none waits for the
// longest inner loop of its neighbours.

#include "engine/control/traced_loop.hpp"

namespace sinter::detail {

/// The flat loop; its first carries, all of one shape, are the outputs of `loop`. Nothing if there
/// is no inner loop, or one that cannot be flattened; `why` then explains.
std::optional<traced_loop> flattened(const traced_loop& loop, std::string& why, location where);

}  // namespace sinter::detail

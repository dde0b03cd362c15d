#pragma once
// Records a round that is elementwise over one shape, or over single elements of its carries, as
// the program of a loop node.

#include <optional>
#include <string>
#include <vector>

#include "engine/control/traced_loop.hpp"

namespace sinter::detail {

/// The final carries, then what was emitted. Nothing for any other round; `why` then explains.
/// REQUIRES: no loop in it (nested_loops.hpp).
std::optional<std::vector<any_array>> recorded_loop(const traced_loop&, std::string& why, location);

}  // namespace sinter::detail

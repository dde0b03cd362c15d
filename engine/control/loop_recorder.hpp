#pragma once
// A round that is elementwise over one shape, or over single elements of what it carries, as the
// program of a loop node.

#include <optional>
#include <string>
#include <vector>

#include "engine/control/traced_loop.hpp"

namespace sinter::detail {

/// What the carries come to, then what was emitted. Nothing if the round is another one; then `why`
/// says what is in the way. REQUIRES: no loop in it (nested_loops.hpp).
std::optional<std::vector<any_array>> recorded_loop(const traced_loop&, std::string& why, location);

}  // namespace sinter::detail

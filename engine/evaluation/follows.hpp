#pragma once
// Conditions that are not worth storing. A condition on coordinates costs less than reading it, and
// a kernel that computes it knows at which positions along a row it changes.

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// Is a pending node computed from coordinates and scalars alone, in a few operations? Takes
/// constant time. REQUIRES: the evaluation lock.
bool follows_from_places(const node&);

}  // namespace sinter::detail

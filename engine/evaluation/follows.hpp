#pragma once
// What is not worth storing. A condition on coordinates costs less than reading it would, and where
// it is computed a kernel knows at which places along a row it changes.

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// Does a pending node follow from coordinates and scalars alone, in a few operations? Takes
/// constant time. REQUIRES: the evaluation lock.
bool follows_from_places(const node&);

}  // namespace sinter::detail

#pragma once
// Evaluation: from pending nodes to buffers.

#include <span>

#include "engine/node.hpp"

namespace sinter::detail {

/// Materialises the roots on the current device, together: what they share is computed once.
/// Returns when the work is queued. Throws memory_error, device_error; every array stays usable.
void evaluate(std::span<const any_array> roots);

}  // namespace sinter::detail

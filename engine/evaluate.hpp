#pragma once
// Evaluation: from pending nodes to buffers.

#include <span>
#include <string_view>

#include "engine/node.hpp"

namespace sinter::detail {

/// Materialises the roots on the current device, together: what they share is computed once.
/// Returns when the work is queued. Throws memory_error, device_error; every array stays usable.
/// Errors name `op` and `where`, or, without them, "eval" and the statement that made the first
/// root.
void evaluate(std::span<const any_array> roots, std::string_view op = {}, location where = {});

}  // namespace sinter::detail

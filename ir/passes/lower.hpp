#pragma once
// lower: groups become kernels, and a list of steps with a value for every argument slot.
//
// Why: all decisions end here. Axes are merged, classes of steps baked, a schedule chosen; what is
// left for a code generator is printing.

#include <optional>

#include "ir/machine.hpp"
#include "ir/passes/fuse.hpp"
#include "ir/plan.hpp"

namespace sinter::ir {

/// Nothing, if several walks of a long row turn out to be no work for a cluster (its elements do
/// not lie along it): then the graph is to be fused for a machine without.
std::optional<plan> lower(const graph&, const fusion&, const machine&);

}  // namespace sinter::ir

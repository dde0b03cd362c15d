#pragma once
// lower: turns groups into kernels and a list of steps with a value for every argument slot.
//
// Why: all decisions end here. Axes are merged, step classes are baked in and a schedule is chosen;
// a code generator only has to print.

#include <optional>

#include "ir/machine.hpp"
#include "ir/passes/fuse.hpp"
#include "ir/plan.hpp"

namespace sinter::ir {

/// Nothing if several walks of a long row turn out not to fit a cluster (its elements are not
/// contiguous along it): then the graph must be fused for a machine without clusters.
std::optional<plan> lower(const graph&, const fusion&, const machine&);

}  // namespace sinter::ir

#pragma once
// Plans run by the kernel interpreter, in memory that notices stray writes.

#include <vector>

#include "ir/interpreter.hpp"
#include "ir/plan.hpp"

namespace sinter::fuzz {

/// The outputs of the graph that the plan was made of. `donate`: sources may be overwritten where
/// the plan says so. Throws std::runtime_error for what a kernel must not do.
std::vector<ir::tensor> run_interpreted(const ir::graph&, const ir::plan&,
                                        const std::vector<ir::tensor>& sources, bool donate);

}  // namespace sinter::fuzz

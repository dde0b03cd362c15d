#pragma once
// Runs plans by the kernel interpreter, or by the CUDA text of their kernels, in memory that
// detects stray writes.

#include <vector>

#include "ir/interpreter.hpp"
#include "ir/plan.hpp"

namespace sinter::fuzz {

/// The outputs of the graph behind the plan. `donate`: sources may be overwritten if the plan says
/// so. Throws std::runtime_error if a kernel breaks a rule.
std::vector<ir::tensor> run_interpreted(const ir::graph&, const ir::plan&,
                                        const std::vector<ir::tensor>& sources, bool donate);

/// The same by the text for a GPU's compiler, compiled by the host's and run block by block, in a
/// second or more. REQUIRES: a plan for a GPU.
std::vector<ir::tensor> run_simulated(const ir::graph&, const ir::plan&,
                                      const std::vector<ir::tensor>& sources, bool donate);

}  // namespace sinter::fuzz

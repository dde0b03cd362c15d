#pragma once
// Plans run by the kernel interpreter, or by the CUDA text of their kernels, in memory that notices
// stray writes.

#include <vector>

#include "ir/interpreter.hpp"
#include "ir/plan.hpp"

namespace sinter::fuzz {

/// The outputs of the graph that the plan was made of. `donate`: sources may be overwritten where
/// the plan says so. Throws std::runtime_error for what a kernel must not do.
std::vector<ir::tensor> run_interpreted(const ir::graph&, const ir::plan&,
                                        const std::vector<ir::tensor>& sources, bool donate);

/// The same by what a GPU's compiler would be given, which the host's compiles and runs block after
/// block: a second and more. REQUIRES: a plan for a GPU.
std::vector<ir::tensor> run_simulated(const ir::graph&, const ir::plan&,
                                      const std::vector<ir::tensor>& sources, bool donate);

}  // namespace sinter::fuzz

#pragma once
// The parameters of a kernel, or of the function of one of its parts, from its slots.

#include <string>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::codegen::cuda_text {

/// Joined by commas, in lines of readable length.
std::string listed(const std::vector<std::string>& words);

/// "long long n0, const float* in0": declarations, in order.
std::vector<std::string> declarations(const ir::kernel&, const std::vector<ir::slot>&);

/// "n0", "in0": names, in order.
std::vector<std::string> names(const ir::kernel&, const std::vector<ir::slot>&);

}  // namespace sinter::codegen::cuda_text

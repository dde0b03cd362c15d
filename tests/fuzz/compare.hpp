#pragma once
// Are two arrays the same?

#include <optional>
#include <string>

#include "tests/fuzz/estimate.hpp"

namespace sinter::fuzz {

/// What differs first, or nothing. NaN is NaN.
std::optional<std::string> difference(const estimate& expected, const ir::tensor& got);

/// Per output: is it made without sums of floats or products of matrices, so that the same device
/// gives the same bits however the graph is cut?
std::vector<bool> reproducible(const ir::graph&);

}  // namespace sinter::fuzz

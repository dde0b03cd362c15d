#pragma once
// Compares arrays.

#include <optional>
#include <string>

#include "tests/fuzz/estimate.hpp"

namespace sinter::fuzz {

/// The first difference, or nullopt. All NaNs are equal.
std::optional<std::string> difference(const estimate& expected, const ir::tensor& got);

/// Per output: is it computed without sums of floats or matrix products, so that a device gives the
/// same bits however the graph is cut?
std::vector<bool> reproducible(const ir::graph&);

}  // namespace sinter::fuzz

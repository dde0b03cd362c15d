#pragma once
// The order of what a round of a loop does to its tables.

#include <vector>

#include "ir/graph.hpp"

namespace sinter::ir {

/// Behind how many writes to its tables a value of the loop's program is known, by value. 0: before
/// the first one.
std::vector<int> writes_before(const node& loop);

}  // namespace sinter::ir

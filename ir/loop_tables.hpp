#pragma once
// The order of a round's accesses to the tables of a loop.

#include <vector>

#include "ir/graph.hpp"

namespace sinter::ir {

/// Per value of the loop's program: how many writes to its tables must precede it. 0: none.
std::vector<int> writes_before(const node& loop);

}  // namespace sinter::ir

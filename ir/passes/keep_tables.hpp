#pragma once
// keep_tables: adds a `result` node for every table of a loop that has none.
//
// Why: the rounds of a loop work in the memory of that output, even if nothing reads it: a walk
// back through a table only wants the path.

#include "ir/graph.hpp"

namespace sinter::ir {

graph keep_tables(const graph&);

}  // namespace sinter::ir

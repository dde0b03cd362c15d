#pragma once
// keep_tables: what every table of a loop comes to has a node.
//
// Why: the rounds of a loop work in the memory of that output, also where nobody wants it: of a
// walk back through a table only the path.

#include "ir/graph.hpp"

namespace sinter::ir {

graph keep_tables(const graph&);

}  // namespace sinter::ir

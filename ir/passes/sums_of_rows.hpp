#pragma once
// sums_of_rows: of a CPU, what reduces several axes of which the last is short, and reads something
// that does not lie along both, reduces one after the other.
//
// Why: lanes go along the last axis, which is all of a vector's work there: the squares of
// `points - centre` over rows of three, summed up, took 145 us, of one array 10. A few places are
// written out, so that lanes go across the rows; of more, columns come first, whose sums are few.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

graph sums_of_rows(const graph&, const machine&);

}  // namespace sinter::ir

#pragma once
// sums_of_rows: on CPUs, splits a reduction over several axes with a short last axis into
// successive reductions, when some operand is not contiguous along both.
//
// Why: lanes run along the last axis, which is less than a vector's work: the squares of `points -
// centre` over rows of three, summed, took 145 us, of one array 10. Few positions are unrolled, so
// that lanes run across the rows; with more, columns are reduced first, and then their few sums.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

graph sums_of_rows(const graph&, const machine&);

}  // namespace sinter::ir

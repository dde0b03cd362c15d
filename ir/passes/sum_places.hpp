#pragma once
// sum_places: turns floating-point scatter-adds on a GPU into integer scatter-adds.
//
// Why: threads reach a place in any order, and a float sum depends on that order; an integer sum
// does not. So each value is written in units of a power of two that follows from the largest value
// of its place: two scatters instead of one (the maximum, then the sums) and, for doubles, another
// one of what the units left over. A CPU adds in order and needs none of it.
//
// If there are many values, all are inspected first, in a sequential read that costs a tenth of a
// scatter. If they lie within some 50 powers of two of each other, one unit holds them all and
// their sums are exact; the scatter of maxima then exits before it reads anything. A place of -0
// that receives only zeros stays as it is.
//
// REQUIRES: indices are inside the base, also of values that do not count.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// The graph without scatters that are `summed`, for GPUs.
graph sum_places(const graph&, const machine&);

}  // namespace sinter::ir

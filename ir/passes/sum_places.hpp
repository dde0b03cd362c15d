#pragma once
// Sums of floats at places, on a GPU, as sums of integers.
//
// Why: threads come to a place in any order, and the sum of floats depends on it. Sums of integers
// do not. So each value is written in units of a power of two that follow from the largest value of
// its place: two scatters for what was float (the largest, then the sums), and beside the second
// one another, of what the units left over, for doubles. A CPU adds in order and needs none of it.
//
// Of many values all are looked at first, which is read in order and costs a tenth of a scatter. If
// they lie within some 50 powers of two of each other, units of one size hold them all,
// and their sums are exact; the scatter of the largest then ends before it reads anything. A place
// of -0 to which only zeros come stays as it is.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// The graph without scatters that are `summed`, for GPUs. REQUIRES: their indices are inside the
/// base, also of values that do not count.
graph sum_places(const graph&, const machine&);

}  // namespace sinter::ir

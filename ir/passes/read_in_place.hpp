#pragma once
// read_in_place: products read transposed, conjugated, sliced and repeated operands where they lie,
// and halves that were cast to float32 as halves.
//
// Why: a view between an array and a library call would be a copy of the whole operand; BLAS takes
// a leading dimension, a step between the matrices of a batch and two flags instead. What it does
// not take stays a view, which is stored.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// REQUIRES: exploded maps.
graph read_in_place(const graph&, const machine&);

}  // namespace sinter::ir

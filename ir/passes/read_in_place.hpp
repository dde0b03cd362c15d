#pragma once
// read_in_place: lets products read transposed, conjugated, sliced and broadcast operands in place,
// and halves that were cast to float32 as halves.
//
// Why: a view between an array and a library call would be a copy of the whole operand; BLAS takes
// a leading dimension, a batch stride and two flags instead. A view BLAS cannot express remains,
// and is stored.
//
// REQUIRES: exploded maps.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

graph read_in_place(const graph&, const machine&);

}  // namespace sinter::ir

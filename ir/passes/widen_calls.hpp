#pragma once
// widen_calls: turns library calls on half types into calls on float32 where the library has no
// halves.
//
// Why: cuBLAS multiplies halves on tensor cores, OpenBLAS has no half types. The element type of a
// product is the program's choice; where it is converted is the target's.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// Only for CPUs. The operands are converted, and the result is rounded once, as cuBLAS does.
graph widen_calls(const graph&, const machine&);

}  // namespace sinter::ir

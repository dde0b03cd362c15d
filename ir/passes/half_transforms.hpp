#pragma once
// half_transforms: computes Fourier transforms of halves in half precision where asked to and the
// library can: real ones on a GPU, of power-of-two lengths.
//
// Why: there is no complex half type, so a recorded transform gives complex64. Here its output
// becomes pairs of halves, which the reading kernel widens; where the library has no such
// transform, the input is widened instead.
//
// REQUIRES: simplify has run.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

graph half_transforms(const graph&, const machine&);

}  // namespace sinter::ir

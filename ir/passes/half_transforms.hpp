#pragma once
// half_transforms: Fourier transforms of halves that may be computed in halves are, where the
// library has them: real ones on a GPU, of lengths that are powers of two.
//
// Why: a spectrum has no half type, so a transform that was recorded gives complex64. Here its
// output becomes pairs of halves, which the kernel that reads them widens; and where the library
// has no such transform, its input is widened instead.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// REQUIRES: simplify has run.
graph half_transforms(const graph&, const machine&);

}  // namespace sinter::ir

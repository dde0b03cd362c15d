#pragma once
// narrow_maps: computes a map of broadcast operands at their unbroadcast shape and broadcasts the
// result.
//
// Why: a statement has one shape, so `log(2 * pi * var) + (x - mean)**2 / var` over samples,
// classes and features computes the logarithm of every variance once per sample. At the smaller
// shape pricing recognises it: expensive, small, and read at many points.

#include "ir/graph.hpp"

namespace sinter::ir {

graph narrow_maps(const graph&);

}  // namespace sinter::ir

#pragma once
// narrow_maps: a map of what is repeated along an axis is computed where it is not, and repeated.
//
// Why: a statement has one shape, so `log(2 * pi * var) + (x - mean)**2 / var` over samples,
// classes and features has the logarithm of every variance once a sample. Of the smaller shape it
// is seen for what it is: dear, small, and read at many places.

#include "ir/graph.hpp"

namespace sinter::ir {

graph narrow_maps(const graph&);

}  // namespace sinter::ir

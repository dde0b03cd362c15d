#pragma once
// short_sums: reductions of a few elements, each computed from far less than there are of them,
// become operations on these elements.
//
// Why: distances of all pairs of points are sums over two or three coordinates. As a reduction that
// is a kernel of its own, whose result is stored for every pair; as a map it is computed where it
// is read, from the points.

#include "ir/graph.hpp"

namespace sinter::ir {

graph short_sums(const graph&);

}  // namespace sinter::ir

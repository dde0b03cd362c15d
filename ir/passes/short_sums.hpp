#pragma once
// short_sums: reductions of a few elements, each computed from far less than there are of them,
// standing apart in memory (windows), or joined along the axis, become operations on these.
//
// Why: distances of all pairs of points are sums over two or three coordinates. As a reduction that
// is a kernel of its own, whose result is stored for every pair; as a map it is computed where it
// is read, from the points. And what stands in a window of an image is no row that threads or lanes
// could share: as a map neighbouring windows are read side by side.

#include <cstdint>

#include "ir/graph.hpp"

namespace sinter::ir {

/// The most places of an axis of joined parts that a reduction is written out along.
inline constexpr std::int64_t most_joined_places = 64;

/// Does n reduce one axis, of real numbers to numbers of their type?
bool is_plain_sum(const graph&, const node& n);

graph short_sums(const graph&);

}  // namespace sinter::ir

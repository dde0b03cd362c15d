#pragma once
// short_sums: turns reductions over a few elements into elementwise ops, if these are computed from
// far fewer elements, are windows strided in memory, or are joined along the reduced axis.
//
// Why: distances between all pairs of points are sums over two or three coordinates. As a reduction
// that is a kernel of its own, whose result is stored for every pair; as a map it is computed from
// the points where it is read. And a window of an image is no row that threads or lanes could
// share: as a map neighbouring windows are read side by side.

#include <cstdint>

#include "ir/graph.hpp"

namespace sinter::ir {

/// The longest axis of a join along which a reduction is unrolled.
inline constexpr std::int64_t most_joined_places = 64;

/// Does n reduce one axis, of real numbers to numbers of their type, without positions?
bool is_plain_sum(const graph&, const node& n);

graph short_sums(const graph&);

}  // namespace sinter::ir

#pragma once
// map_of_join: turns a map of a join along a short axis into a join of maps of the pieces.
//
// Why: a state of three components that is joined and then scaled and added to would select the
// component for every element and compute all earlier steps for each of the three. As pieces each
// step is computed once, all in one kernel, and the pieces are joined where they are stored.

#include <functional>
#include <optional>

#include "ir/graph.hpp"

namespace sinter::ir {

/// Adds a node to the graph under construction, simplified.
using place_node = std::function<node_id(node)>;

/// f(join(x, y), z) -> join(f(x, z0), f(y, z1)), z0 and z1 being the matching slices of z, if one
/// of the pieces is computed. Nothing if `map` is no such map, gives halves, or joins along an axis
/// longer than most_shared_places or much longer than its number of pieces.
std::optional<node_id> map_of_join(graph& g, const node& map, const place_node& place);

}  // namespace sinter::ir

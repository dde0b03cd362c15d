#pragma once
// maps_of_joins: a map of what was joined along a short axis is a join of maps of the pieces.
//
// Why: a state of three components that is put together and then scaled and added to is asked for,
// of every element, which component it is, and all steps before are computed for each of the three.
// As pieces the steps are computed once each, in one kernel, and put together where they are
// stored.

#include <functional>
#include <optional>

#include "ir/graph.hpp"

namespace sinter::ir {

/// What adds a node to the graph that is being made, simplified.
using place_node = std::function<node_id(node)>;

/// f(join(x, y), z) -> join(f(x, z0), f(y, z1)), z0 and z1 being what z has beside the pieces,
/// where one of these is computed. Nothing: `map` is none such, gives halves, or goes along an axis
/// of more than most_shared_places, or of far more places than pieces.
std::optional<node_id> map_of_join(graph& g, const node& map, const place_node& place);

}  // namespace sinter::ir

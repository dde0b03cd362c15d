#pragma once
// slice_of_join: what a slice of a join reads, if that is one of the pieces joined.
//
// Why: a join asks of every element which piece it is of. A state of three components that a step
// takes apart and puts together again is asked three times a step, of all three components; a slice
// of it is just one of them, and nothing is put together between steps.

#include <optional>

#include "ir/graph.hpp"

namespace sinter::ir {

/// Of a view that stands still along the axis that choices below it go by: the same view of what is
/// chosen, its map and input in place of the view's. False: nothing is known, and nothing changed.
/// Zeros around a pad are chosen like a piece, by a constant added to `g`.
bool slice_of_join(graph& g, node& view);

}  // namespace sinter::ir

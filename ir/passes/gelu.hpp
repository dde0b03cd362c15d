#pragma once
// gelu_of: recognises gelu by tanh (Hendrycks and Gimpel, 2016), in any order of its factors: 0.5 x
// (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), or ... (sqrt(2 / pi) x (1 + 0.044715 x^2)).
//
// Why: cuBLASLt can apply gelu to a product before it is stored (fold_epilogues).

#include <vector>

#include "ir/graph.hpp"

namespace sinter::ir {

/// The node that is gelu of x, if nothing else reads x; else -1. `uses`: the readers of each node.
node_id gelu_of(const graph&, const std::vector<std::vector<node_id>>& uses, node_id x);

}  // namespace sinter::ir

#pragma once
// Recognising gelu by tanh (Hendrycks and Gimpel, 2016), however its factors are ordered:
// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), or ... (sqrt(2 / pi) x (1 + 0.044715 x^2)).

#include <vector>

#include "ir/graph.hpp"

namespace sinter::ir {

/// The node that is gelu of x, if nothing else uses x; else -1. `uses`: per node, by whom.
node_id gelu_of(const graph&, const std::vector<std::vector<node_id>>& uses, node_id x);

}  // namespace sinter::ir

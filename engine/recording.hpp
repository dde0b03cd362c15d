#pragma once
// How a node is recorded: started, filled in, finished.

#include <memory>

#include "engine/node.hpp"

namespace sinter::detail {

using new_node = std::unique_ptr<node>;

new_node start(ir::node_kind kind, dtype type, shape_view shape, location where);

/// A handle to the node. Evaluates what it is made of where the chain would become too long.
any_array finish(new_node);

}  // namespace sinter::detail

#include "ir/passes/broadcast_views.hpp"

#include <utility>
#include <vector>

#include "ir/graph_builder.hpp"
#include "ir/index_expr.hpp"
#include "ir/kernel.hpp"

namespace sinter::ir {
namespace {

bool stands_still(const node& n, std::size_t axis) {
  return n.map.strides[axis] == 0 && n.shape[axis] > 1;
}

bool is_far_broadcast(const graph& g, const node& n) {
  if (n.kind != node_kind::view || n.shape.size() < 2) return false;
  if (g[n.inputs[0]].shape.empty() || n.map.strides.size() != n.shape.size()) return false;
  if (!(magnitude(n.map.strides.back()) > most_apart)) return false;
  for (std::size_t a = 0; a + 1 < n.shape.size(); ++a) {
    if (stands_still(n, a)) return true;
  }
  return false;
}

}  // namespace

graph broadcast_views(const graph& g, const machine& m) {
  if (!m.fuse) return g;
  // For a library's call or a loop, an input must be one view.
  std::vector<bool> elsewhere(g.nodes.size());
  for (const node& n : g.nodes) {
    for (node_id i : n.inputs) {
      if (n.kind != node_kind::map) elsewhere[static_cast<std::size_t>(i)] = true;
    }
  }
  for (node_id o : g.outputs) elsewhere[static_cast<std::size_t>(o)] = true;
  const auto asks = [&](const node& n) {
    return is_far_broadcast(g, n) && !elsewhere[static_cast<std::size_t>(&n - g.nodes.data())];
  };
  return replaced(g, asks, [](graph_builder& b, const node& n, const node& copy) {
    shape_t shape;
    extent_list strides;
    for (std::size_t a = 0; a < n.shape.size(); ++a) {
      if (stands_still(n, a)) continue;
      shape.push_back(n.shape[a]);
      strides.push_back(n.map.strides[a]);
    }
    const node_id packed = b.view(copy.inputs[0], shape, strides, n.map.offset);
    const auto dense = dense_strides(shape);
    extent_list steps;
    std::size_t next = 0;
    for (std::size_t a = 0; a < n.shape.size(); ++a) {
      steps.push_back(stands_still(n, a) ? extent(0) : dense[next++]);
    }
    return b.view(packed, n.shape, steps, 0);
  });
}

}  // namespace sinter::ir

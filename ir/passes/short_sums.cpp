#include "ir/passes/short_sums.hpp"

#include <algorithm>
#include <set>

#include "ir/graph_builder.hpp"
#include "ir/index_expr.hpp"

namespace sinter::ir {
namespace {

/// Elements of a reduction, and how many times as many of them there are as of what they follow
/// from: less, and reading the stored result costs no more than computing it again.
constexpr std::int64_t most_elements = 8, least_times = 8;

/// What the map nodes below a node read, in elements; with what is as large as itself, that too.
extent read_by(const graph& g, node_id from) {
  extent elements = 0;
  std::set<node_id> seen;
  std::vector<node_id> open{from};
  while (!open.empty()) {
    const node_id id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    const node& n = g[id];
    if (n.kind == node_kind::map || n.kind == node_kind::view) {
      open.insert(open.end(), n.inputs.begin(), n.inputs.end());
    } else if (n.kind != node_kind::scalar && n.kind != node_kind::iota) {
      elements += size_of(n.shape);
    }
  }
  return elements;
}

bool wanted(const graph& g, const node& n) {
  if (n.kind != node_kind::reduce || n.reduction.arg || n.reduction.axes.size() != 1) return false;
  const node& x = g[n.inputs[0]];
  if (x.kind != node_kind::map || x.type != n.type || is_half(n.type) || is_complex(n.type)) {
    return false;
  }
  const node_id id = static_cast<node_id>(&n - g.nodes.data());
  if (std::ranges::find(g.outputs, id) != g.outputs.end()) return false;
  const extent length = x.shape[static_cast<std::size_t>(n.reduction.axes[0])];
  if (!(length >= 2 && length <= most_elements)) return false;
  return read_by(g, n.inputs[0]) * least_times <= size_of(x.shape);
}

}  // namespace

graph short_sums(const graph& g) {
  const auto asks = [&](const node& n) { return wanted(g, n); };
  return replaced(g, asks, [](graph_builder& b, const node& n, const node& copy) {
    const node_id x = copy.inputs[0];
    const shape_t shape = b.out[x].shape;
    const auto axis = static_cast<std::size_t>(n.reduction.axes[0]);
    extent_list strides(dense_strides(shape));
    const extent step = strides[axis];
    strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(axis));
    // From 0 on, as a walk is: of -0 that is 0.
    const bool sum = n.reduction.code == op::add && is_real(n.type);
    node_id held = sum ? b.constant(n.type, 0) : node_id{-1};
    for (std::int64_t i = 0; shape[axis] > i; ++i) {
      const node_id element = b.view(x, n.shape, strides, i * step);
      held = held < 0 ? element : b.apply(n.reduction.code, {held, element});
    }
    return held;
  });
}

}  // namespace sinter::ir

#include "ir/passes/lookup_chains.hpp"

#include <algorithm>
#include <vector>

namespace sinter::ir {
namespace {

/// Longer index computations are left alone: each of their nodes may be the link.
constexpr std::size_t most_below = 64;

/// The maps and gathers below x, ascending; the inputs of gathers are not followed.
std::vector<node_id> below(const graph& g, node_id x) {
  std::vector<node_id> found, left = {x};
  while (!left.empty() && found.size() <= most_below) {
    const node_id n = left.back();
    left.pop_back();
    const bool gather = g[n].kind == node_kind::gather;
    if (!(gather || g[n].kind == node_kind::map) || std::ranges::count(found, n) > 0) continue;
    found.push_back(n);
    if (!gather) left.insert(left.end(), g[n].inputs.begin(), g[n].inputs.end());
  }
  std::ranges::sort(found);
  return found;
}

/// Does x need a gather other than through `link`?
bool reaches_gather(const graph& g, const std::vector<node_id>& nodes, node_id x, node_id link) {
  std::vector<node_id> reaching;
  for (const node_id i : nodes) {  // operands precede their users
    const bool takes = std::ranges::any_of(g[i].inputs, [&](node_id input) {
      return std::ranges::count(reaching, input) > 0;
    });
    if (i != link && (takes || g[i].kind == node_kind::gather)) reaching.push_back(i);
  }
  return std::ranges::count(reaching, x) > 0;
}

}  // namespace

node_id link_before(const graph& g, node_id gather) {
  const node_id index = g[gather].inputs[1];
  const std::vector<node_id> nodes = below(g, index);
  if (nodes.empty() || nodes.size() > most_below || !reaches_gather(g, nodes, index, -1)) return -1;
  const auto link = std::ranges::find_if(
      nodes, [&](node_id n) { return !reaches_gather(g, nodes, index, n); });
  return g[*link].shape == g[gather].shape ? *link : -1;
}

}  // namespace sinter::ir

#include "ir/passes/keep_tables.hpp"

#include <set>
#include <utility>

namespace sinter::ir {

graph keep_tables(const graph& g) {
  std::set<std::pair<node_id, std::uint64_t>> there;
  for (const node& n : g.nodes) {
    if (n.kind == node_kind::result) there.insert({n.inputs[0], n.value[0]});
  }
  graph out = g;
  for (node_id l = 0; l < static_cast<node_id>(g.nodes.size()); ++l) {
    const node& from = g[l];
    for (int t = 0; t < from.loop.tables; ++t) {
      const std::uint64_t output = from.loop.results.size() + static_cast<std::uint64_t>(t);
      if (there.contains({l, output})) continue;
      const auto behind = static_cast<std::size_t>(from.loop.tables - t);
      const node_id base = from.inputs[from.inputs.size() - behind];
      node r;
      r.kind = node_kind::result;
      r.type = g[base].type;
      r.shape = g[base].shape;
      r.inputs = {l};
      r.value[0] = output;
      r.origin = from.origin;
      out.add(std::move(r));
    }
  }
  return out;
}

}  // namespace sinter::ir

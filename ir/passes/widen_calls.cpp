#include "ir/passes/widen_calls.hpp"

namespace sinter::ir {

namespace {

node_id cast(graph& g, node_id x, dtype to) {
  node m;
  m.kind = node_kind::map;
  m.type = to;
  m.shape = g[x].shape;
  m.origin = g[x].origin;
  m.inputs = {x};
  m.program.inputs = {g[x].type};
  m.program.code = {{op::cast, g[x].type, to, {0, -1, -1}}};
  return g.add(std::move(m));
}

}  // namespace

graph widen_calls(const graph& g, const machine& m) {
  if (m.target != target::cpu) return g;
  graph out;
  out.origins = g.origins;
  std::vector<node_id> id, wide;  // wide: results of calls, before they are narrowed again
  for (const node& n : g.nodes) {
    node copy = n;
    const auto& from = n.kind == node_kind::result ? wide : id;
    for (node_id& i : copy.inputs) i = from[static_cast<std::size_t>(i)];
    const bool result =
        n.kind == node_kind::result && out[copy.inputs[0]].kind == node_kind::call;
    const bool produced = (n.kind == node_kind::call && !is_barrier(n)) || result;
    if (!produced || !is_half(n.type)) {
      id.push_back(out.add(std::move(copy)));
      wide.push_back(id.back());
      continue;
    }
    for (node_id& i : copy.inputs) {
      if (is_half(out[i].type)) i = cast(out, i, dtype::float32);
    }
    copy.type = dtype::float32;
    wide.push_back(out.add(std::move(copy)));
    id.push_back(cast(out, wide.back(), n.type));
  }
  for (node_id o : g.outputs) out.outputs.push_back(id[static_cast<std::size_t>(o)]);
  return out;
}

}  // namespace sinter::ir

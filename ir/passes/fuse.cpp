#include "ir/passes/fuse.hpp"

#include <algorithm>

#include "ir/passes/fuser.hpp"

namespace sinter::ir::fusing {
namespace {

shape_t long_axes(const shape_t& s) {
  shape_t out;
  for (extent e : s) {
    if (e != 1) out.push_back(e);
  }
  return out;
}

}  // namespace

fuser::fuser(const graph& g, const machine& m)
    : g_(g), m_(m), prices_(g, m), demands_(g.nodes.size()), forced_(g.nodes.size()) {
  out_.stored.assign(g.nodes.size(), not_stored);
}

fusion fuser::run() {
  force();
  force_reshapes();
  for (node_id n = static_cast<node_id>(g_.nodes.size()); n-- > 0;) visit(n);
  write_after_reading();
  if (m_.fuse) join_siblings(out_, waits_, std::move(notes_), g_, prices_, op_limit);
  put_in_order(out_, waits_);
  return std::move(out_);
}

// ---- nodes that must be stored whatever it costs
void fuser::force() {
  for (node_id o : g_.outputs) forced_[o] = forced_[o] || !m_.fuse || !is_reshape(g_, o);
  for (const node& n : g_.nodes) {
    if (n.kind == node_kind::call) {
      for (node_id i : n.inputs) forced_[i] = forced_[i] || is_barrier(n) || !by_value(i);
    }
    if (writes_into(n) || n.kind == node_kind::gather) forced_[n.inputs[0]] = true;
    if (n.kind != node_kind::loop) continue;
    for (std::size_t k = whole_inputs(n); k < n.inputs.size(); ++k) forced_[n.inputs[k]] = true;
  }
  for (node_id n = 0; n < static_cast<node_id>(g_.nodes.size()); ++n) {
    if (table_of(g_, n) >= 0) forced_[n] = true;  // its memory is where the rounds work
  }
}

void fuser::force_reshapes() {
  if (!m_.fuse) return;
  for (node_id o : g_.outputs) {
    node_id base = o;
    while (is_reshape(g_, base)) base = g_[base].inputs[0];
    if (base == o) continue;
    // What is stored is contiguous in either shape, and in the shape it is computed in its rows are
    // available to reductions and scans. A source's memory may be lent, and may change.
    const bool stored = g_[base].kind != node_kind::source;
    forced_[stored ? base : o] = true;
    if (stored) out_.reshaped[o] = base;
  }
}

bool fuser::writes_into(const node& n) {
  return n.kind == node_kind::update || n.kind == node_kind::scatter;
}

bool fuser::writes_over(node_id n, std::int32_t g) const {
  if (!updates_.count(g)) return false;
  return std::ranges::any_of(out_.groups[g].roots,
                             [&](node_id r) { return written_base(g_, r) == n; });
}

bool fuser::by_value(node_id i) const {
  return g_[i].kind == node_kind::scalar;
}

void fuser::write_after_reading() {
  for (node_id n = 0; n < static_cast<node_id>(g_.nodes.size()); ++n) {
    const node_id base = written_base(g_, n);
    if (base < 0 || out_.stored[n] < 0) continue;
    const std::int32_t writer = out_.stored[n];
    for (const demand& d : demands_[base]) {
      if (d.group != writer && !waits_.through(d.group, writer)) waits_.wait(writer, d.group);
    }
  }
}

void fuser::visit(node_id n) {
  if (demands_[n].empty() && !forced_[n]) return;
  switch (g_[n].kind) {
    case node_kind::source:
    case node_kind::join: return;
    case node_kind::scalar:
      if (forced_[n]) store(n);
      return;
    case node_kind::iota:
      if (forced_[n] || !m_.fuse) store(n);
      return;
    case node_kind::random:
      if (forced_[n] || !m_.fuse || demands_[n].size() > 1) store(n);
      return;
    case node_kind::result: return result(n);
    case node_kind::call: return call(n);
    case node_kind::loop: return loop(n);
    case node_kind::update: return update(n);
    case node_kind::view: return view(n);
    case node_kind::map: return map(n);
    case node_kind::reduce: return reduce(n);
    case node_kind::gather: return gather(n);
    case node_kind::pad: return pad(n);
    case node_kind::scan: return scan(n);
    case node_kind::compress: return compress(n);
    case node_kind::scatter: return scatter(n);
  }
}

void fuser::result(node_id n) {
  results_[g_[n].inputs[0]].push_back(n);
  if (is_loop_result(g_, n)) {
    loop_result(n);
  } else {
    forced_[g_[n].inputs[0]] = true;
  }
}

// ---- roots
void fuser::store(node_id n) {
  const std::int32_t g = m_.fuse ? home(n) : -1;
  const bool own = g < 0;
  const std::int32_t to = own ? new_group(own_domain(n)) : g;
  if (own && out_.groups[to].domain != g_[n].shape) reshaped_.insert(to);
  root(n, to);
  const index_expr at = where(n, to);
  const group& c = out_.groups[to];
  // No scan lies below one that splits its rows, but one may lie beside it.
  bool inner = c.domain == g_[n].shape && c.kept_shape() != c.domain && !c.chained;
  for (const demand& d : demands_[n]) inner = inner || (d.group == to && d.inner);
  if (g_[n].kind == node_kind::map) return inputs(n, to, at, inner);
  if (g_[n].kind == node_kind::gather) return gather_in(n, {to, at, inner});
  if (g_[n].kind == node_kind::pad) {
    ++notes_[to].ops;
    alongside(n, 1, {to, at, inner});
  }
  if (g_[n].kind == node_kind::view || g_[n].kind == node_kind::pad) {
    need(g_[n].inputs[0], to, *compose(at, c.domain, g_, g_[n]), inner);
  }
}

shape_t fuser::own_domain(node_id n) const {
  const node& x = g_[n];
  if (!m_.fuse || x.kind != node_kind::view || x.map.offset != 0) return x.shape;
  const node& from = g_[x.inputs[0]];
  // If simplify left a view of a view, a reshape lies between them, which would have to be undone.
  const bool twice = from.kind == node_kind::view && g_[from.inputs[0]].kind == node_kind::view;
  // Axes of extent 1 that are added or removed take nothing apart.
  const bool apart = is_reshape(g_, n) && !twice && long_axes(from.shape) != long_axes(x.shape);
  return apart ? from.shape : x.shape;
}

index_expr fuser::where(node_id n, std::int32_t g) const {
  const group& c = out_.groups[g];
  return c.domain == g_[n].shape ? dense(c.domain) : c.kept_index();
}

std::int32_t fuser::home(node_id n) {
  for (const demand& d : demands_[n]) {
    const group& c = out_.groups[d.group];
    if (calls_.count(d.group) || updates_.count(d.group) || apart_.count(n)) continue;
    const bool outer = !c.chained && c.kept_shape() == g_[n].shape &&
                       same_access(d.at, c.kept_index());
    const bool inner = c.domain == g_[n].shape && same_access(d.at, dense(c.domain));
    if (!(outer || inner) || !one_place(n, d) || notes_[d.group].ops >= op_limit) continue;
    if (acyclic(n, d.group)) return d.group;
  }
  for (std::size_t i = 0; i < out_.groups.size(); ++i) {
    const auto g = static_cast<std::int32_t>(i);
    const group& c = out_.groups[i];
    if (calls_.count(g) || updates_.count(g) || c.domain != g_[n].shape || demanded(n, g))
      continue;
    // A node with too many ops for any kernel is split anyway: beside another such node, their
    // common operands are computed once. Such nodes join, as long as there is room, if one full
    // kernel reads them: fifty steps of Runge-Kutta were kernels that passed sixty values per point
    // to each other, 560 ms where this and maps_of_joins take 5.7.
    const bool fits = notes_[g].ops + prices_.ops(n) <= op_limit;
    const bool begins = prices_.ops(n) > op_limit && notes_[g].ops < op_limit / 8;
    const bool goes_on = prices_.ops(n) > op_limit && notes_[g].ops < op_limit && feeds(g, n);
    if (!fits && !begins && !goes_on) continue;
    if (prices_.share_leaves(n, c.roots) && acyclic(n, g)) return g;
  }
  return -1;
}

bool fuser::feeds(std::int32_t g, node_id n) const {
  return std::ranges::any_of(demands_[n], [&](const demand& d) {
    return notes_[d.group].ops >= op_limit && waits_.itself(d.group, g);
  });
}

bool fuser::acyclic(node_id n, std::int32_t g) const {
  for (const demand& d : demands_[n]) {
    if (d.group != g && waits_.through(g, d.group)) return false;
  }
  return true;
}

void fuser::root(node_id n, std::int32_t g) {
  out_.stored[n] = g;
  out_.groups[g].roots.push_back(n);
  link(n, g);
}

void fuser::link(node_id n, std::int32_t g) {
  for (const demand& d : demands_[n]) {
    if (d.group != g) waits_.wait(d.group, g);
  }
}

std::int32_t fuser::new_group(shape_t domain) {
  group g;
  g.reduced.assign(domain.size(), false);
  g.domain = std::move(domain);
  out_.groups.push_back(std::move(g));
  waits_.add();
  notes_.emplace_back();
  return static_cast<std::int32_t>(out_.groups.size()) - 1;
}

void fuser::need(node_id n, std::int32_t g, index_expr at, bool inner) {
  const demand d{g, std::move(at), inner};
  auto& list = demands_[n];
  if (std::find(list.begin(), list.end(), d) == list.end()) list.push_back(d);
  if (out_.stored[n] >= 0 && out_.stored[n] != g) waits_.wait(g, out_.stored[n]);
}

void fuser::refuse(std::int32_t g, std::string reason) {
  auto& list = out_.groups[g].refusals;
  if (std::find(list.begin(), list.end(), reason) == list.end())
    list.push_back(std::move(reason));
}

}  // namespace sinter::ir::fusing

namespace sinter::ir {

fusion fuse(const graph& g, const machine& m) {
  return fusing::fuser(g, m).run();
}

}  // namespace sinter::ir

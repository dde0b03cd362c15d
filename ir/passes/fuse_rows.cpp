// Reductions and scans: kernels that walk rows, and the nodes that may join them there.
#include <algorithm>
#include <set>

#include "ir/passes/fuser.hpp"
#include "ir/passes/slice_of_join.hpp"

namespace sinter::ir::fusing {

namespace {

/// Scans a kernel may hold: those of columns take up to 8 KB each of the 48 KB of shared memory.
constexpr int scan_limit = 4;

/// Do maps up to x read an array with its last axis turned into another?
bool reads_across(const graph& g, node_id x, std::set<node_id>& seen) {
  if (!seen.insert(x).second) return false;
  const node& n = g[x];
  if (n.kind == node_kind::view) {
    const std::vector<extent>& s = n.map.strides;
    return !s.empty() && s.back() != 0 && s.back() != 1 &&
           std::ranges::any_of(s, [](const extent& e) { return e == 1; });
  }
  return n.kind == node_kind::map &&
         std::ranges::any_of(n.inputs, [&](node_id i) { return reads_across(g, i, seen); });
}

/// The fewest elements of which a transposition is a kernel of its own.
constexpr std::int64_t least_transposed = 4096;

}  // namespace

// ---- reductions
void fuser::reduce(node_id n) {
  const std::vector<demand> d = demands_[n];
  if (m_.fuse) {
    for (demand x : d) {
      index_expr at;
      for (const demand& y : d) x.inner = x.inner || (y.inner && y.group == x.group);
      if (calls_.count(x.group) || writes_what_is_read(n, x.group) || !acyclic(n, x.group)) {
        continue;
      }
      if (waits_for_sibling(n, x.group)) continue;
      if (!one_place(n, x)) {
        refuse(x.group, "reduction stored: read in more than one order");
        continue;
      }
      if (!join(n, x, at)) continue;
      if (forced_[n] || spread(n)) root(n, x.group);
      ++notes_[x.group].ops;
      makes(n, x.group);
      return need(g_[n].inputs[0], x.group, at, true);
    }
    if (const auto s = sibling_reduction(n); s >= 0) {
      root(n, s);
      makes(n, s);
      return need(g_[n].inputs[0], s, input_index(n, s), true);
    }
  }
  const shape_t& domain = g_[g_[n].inputs[0]].shape;
  const std::int32_t g = new_group(domain);
  for (int a : g_[n].reduction.axes) out_.groups[g].reduced[a] = true;
  root(n, g);
  ++notes_[g].ops;
  makes(n, g);
  need(g_[n].inputs[0], g, dense(domain), true);
}

bool fuser::join(node_id n, const demand& d, index_expr& at) {
  group& g = out_.groups[d.group];
  if (g.chained) {
    refuse(d.group, "reduction stored: a scan cuts the rows in chunks");
    return false;
  }
  if (!has_room(n, d.group)) {
    refuse(d.group, "reduction stored: the kernel has as many as a block can combine");
    return false;
  }
  const bool rows = has_rows(g);
  const shape_t& domain = g_[g_[n].inputs[0]].shape;
  const shape_t wanted = reduced_extents(n);
  if (size_of(wanted) == 0) {
    refuse(d.group, "reduction stored: a walk over nothing passes no reader");
    return false;
  }
  if (d.inner && waits_for_row(n)) {
    refuse(d.group, too_few_rows(n));
    return false;
  }
  if (same_access(d.at, g.kept_index()) && g.kept_shape() == g_[n].shape) {
    if (rows && g.reduced_shape() != wanted) {
      refuse(d.group, "two reductions over different axes");
      return false;
    }
    if (!rows) {
      for (extent e : wanted) {
        g.domain.push_back(e);
        g.reduced.push_back(true);
      }
    }
    at = input_index(n, d.group);
    return true;
  }
  return normalise(n, d, domain, at);
}

bool fuser::normalise(node_id n, const demand& d, const shape_t& domain, index_expr& at) {
  group& g = out_.groups[d.group];
  if (g.domain != domain || !d.at.affine() || d.at.offset != 0) {
    refuse(d.group, "reduction stored: read in another order than it is made");
    return false;
  }
  if (reshaped_.count(d.group) && !has_rows(g)) {
    refuse(d.group, "reduction stored: its reader is stored in another shape");
    return false;
  }
  std::vector<bool> mask(domain.size());
  for (int a : g_[n].reduction.axes) mask[a] = true;
  group probe;
  probe.domain = domain;
  probe.reduced = mask;
  const bool rows = has_rows(g);
  if (!same_access(d.at, probe.kept_index()) || (rows && g.reduced != mask)) {
    refuse(d.group, "reduction stored: the reader walks other rows");
    return false;
  }
  if (waits_for_row(n)) {
    refuse(d.group, too_few_rows(n));
    return false;
  }
  if (transposes_another(n, g)) {
    refuse(d.group, "reduction stored: its reader transposes another array");
    return false;
  }
  if (prices_.ops(g_[n].inputs[0]) > again_limit) {
    refuse(d.group, "reduction stored: what it sums costs too much to compute once a phase");
    return false;
  }
  g.reduced = mask;
  at = dense(domain);
  return true;
}

// solve of 1,000 of 16 x 16 doubles, which looks for NaNs, one core of an EPYC: 1.05 of the calls
// made by hand, 1.02 so.
bool fuser::transposes_another(node_id n, const group& g) const {
  if (m_.target != target::cpu || has_rows(g) || prices_.share_leaves(n, g.roots)) return false;
  std::set<node_id> seen;
  const bool across = std::ranges::any_of(
      g.roots, [&](node_id r) { return reads_across(g_, r, seen); });
  // Last, because comparing the size is a condition of the plan.
  return across && size_of(g_[g_[n].inputs[0]].shape) >= least_transposed;
}

bool fuser::writes_what_is_read(node_id n, std::int32_t g) const {
  if (!updates_.count(g)) return false;
  const node& u = g_[out_.groups[g].roots[0]];
  if (u.kind != node_kind::update) return true;
  return prices_.share_leaves(n, {u.inputs[0]}) ||
         prices_.share_leaves(u.inputs[1], {u.inputs[0]});
}

bool fuser::waits_for_row(node_id n) const {
  if (!needs_split(m_, g_, g_[n])) return false;
  return walks_across(g_, g_[n]) || !fits_cluster(m_, size_of(reduced_extents(n)));
}

std::string fuser::too_few_rows(node_id n) const {
  return "reduction stored: its " + std::to_string(size_of(g_[n].shape).peek()) +
         " rows are too few for one block each, and a whole row is needed before its first use";
}

shape_t fuser::reduced_extents(node_id n) const {
  shape_t s;
  for (int a : g_[n].reduction.axes) s.push_back(g_[g_[n].inputs[0]].shape[a]);
  return s;
}

index_expr fuser::input_index(node_id n, std::int32_t g) const {
  return reduction_index(g_[g_[n].inputs[0]].shape, g_[n].reduction, out_.groups[g].reduced);
}

void fuser::makes(node_id n, std::int32_t g) {
  notes_[g].reductions.push_back(n);
  notes_[g].bytes += reduced_bytes(g_, n);
}

bool fuser::has_room(node_id n, std::int32_t g) const {
  return may_reduce(notes_[g].bytes + reduced_bytes(g_, n), out_.groups[g].domain);
}

std::int32_t fuser::sibling_reduction(node_id n) {
  for (std::size_t i = 0; i < out_.groups.size(); ++i) {
    const auto g = static_cast<std::int32_t>(i);
    const group& c = out_.groups[i];
    if (demanded(n, g) || c.chained || !has_room(n, g) || writes_what_is_read(n, g)) continue;
    const shape_t r = reduced_extents(n);
    if (r.empty() || c.kept_shape() != g_[n].shape || c.reduced_shape() != r) continue;
    const bool walked = walks_alike(g_, prices_, c, n, notes_[g].reductions);
    if (walked && acyclic(n, g)) return g;
  }
  return -1;
}

/// If so, the two could never be one kernel: `sum(l) / sum(l > 0)`, with another reader of the
/// count, walked l twice, with a store in between.
bool fuser::waits_for_sibling(node_id n, std::int32_t g) {
  if (has_rows(out_.groups[g])) return false;
  const std::int32_t s = sibling_reduction(n);
  return s >= 0 && s != g && waits_.through(g, s);
}

bool fuser::has_rows(const group& g) {
  return std::find(g.reduced.begin(), g.reduced.end(), true) != g.reduced.end();
}

// ---- scans
void fuser::scan(node_id n) {
  const std::vector<demand> d = demands_[n];
  if (m_.fuse) {
    for (demand x : d) {
      for (const demand& y : d) x.inner = x.inner || (y.inner && y.group == x.group);
      const bool apart = calls_.count(x.group) || emits_.count(x.group) || apart_.count(n);
      if (apart || writes_over(n, x.group) || !acyclic(n, x.group)) continue;
      if (!one_place(n, x)) {
        refuse(x.group, "scan stored: read in more than one order");
        continue;
      }
      if (!join_scan(n, x)) continue;
      if (forced_[n] || spread(n)) root(n, x.group);
      return scan_in(n, x.group, x.inner);
    }
    if (const auto s = sibling_scan(n); s >= 0) {
      root(n, s);
      return scan_in(n, s, false);
    }
  }
  const std::int32_t g = new_group(g_[n].shape);
  root(n, g);
  scan_in(n, g, false);
}

namespace {

/// The most pieces of a join among which an element of a scan chooses; if there are more, the join
/// is stored, each piece computed where it is. 16 windows of 148 x 172 floats, joined and summed
/// up: 1.3 ms, stored first 0.14.
constexpr std::int64_t most_scanned_pieces = 3;

/// Is x such a join, or computed from one by maps?
bool has_many_pieces(const graph& g, node_id x, std::set<node_id>& seen) {
  if (g[x].kind != node_kind::map || !seen.insert(x).second) return false;
  return joined_pieces(g, x) > most_scanned_pieces ||
         std::ranges::any_of(g[x].inputs, [&](node_id i) { return has_many_pieces(g, i, seen); });
}

}  // namespace

void fuser::scan_in(node_id n, std::int32_t to, bool inner) {
  group& g = out_.groups[to];
  const node_id x = g_[n].inputs[0];
  g.reduced = scanned(n);
  g.chained = chained(n);
  g.scan_bytes = size_of(g_[n].type);
  ++g.scans;
  ++notes_[to].ops;
  // A CPU may walk a chunk twice.
  if (g.chained && m_.target == target::cpu && prices_.ops(x) > again_limit) forced_[x] = true;
  std::set<node_id> seen;
  if (has_many_pieces(g_, x, seen)) {
    forced_[x] = true;
    apart_.insert(x);
  }
  need(x, to, dense(g.domain), inner || g.chained);
}

bool fuser::join_scan(node_id n, const demand& d) {
  const group& g = out_.groups[d.group];
  if (g.domain != g_[n].shape || !same_access(d.at, dense(g.domain))) {
    refuse(d.group, "scan stored: read in another order than it runs");
    return false;
  }
  if (reshaped_.count(d.group) && !has_rows(g)) {
    refuse(d.group, "scan stored: its reader is stored in another shape");
    return false;
  }
  if (chained(n) && d.inner) {
    refuse(d.group, "scan stored: its rows are cut in chunks, and another walk needs it");
    return false;
  }
  if (scan_fits(n, g)) return true;
  refuse(d.group, "scan stored: the reader walks other rows, or in other steps");
  return false;
}

bool fuser::scan_fits(node_id n, const group& g) const {
  if (g.scan_bytes > 0) {
    return g.reduced == scanned(n) && g.scan_bytes == size_of(g_[n].type) &&
           g.scans < scan_limit;
  }
  return !has_rows(g) || (g.reduced == scanned(n) && !chained(n) &&
                          prices_.ops(g_[n].inputs[0]) <= again_limit);
}

std::int32_t fuser::sibling_scan(node_id n) const {
  for (std::size_t i = 0; i < out_.groups.size(); ++i) {
    const auto g = static_cast<std::int32_t>(i);
    const group& c = out_.groups[i];
    if (calls_.count(g) || updates_.count(g) || demanded(n, g)) continue;
    if (c.domain != g_[n].shape || c.scan_bytes == 0 || !scan_fits(n, c)) continue;
    if (prices_.share_leaves(n, c.roots) && acyclic(n, g)) return g;
  }
  return -1;
}

std::vector<bool> fuser::scanned(node_id n) const {
  std::vector<bool> mask(g_[n].shape.size());
  mask[static_cast<std::size_t>(g_[n].reduction.axes[0])] = true;
  return mask;
}

bool fuser::chained(node_id n) const {
  return needs_chain(m_, g_[n].shape, g_[n].reduction.axes[0]);
}

}  // namespace sinter::ir::fusing

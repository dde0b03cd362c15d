// Nodes with kernels of their own, and reads through an index.
#include <algorithm>
#include <set>
#include <utility>

#include "ir/passes/flag_rows.hpp"
#include "ir/passes/fuser.hpp"
#include "ir/passes/hold_places.hpp"
#include "ir/passes/lookup_chains.hpp"

namespace sinter::ir::fusing {

/// The fewest lookups in turn that gain more than a kernel costs.
constexpr std::int64_t least_of_chain = 16'384;

/// The most scatters in one kernel.
constexpr std::size_t most_scatters = 3;

/// Would a GPU hold the places of each in shared memory (see hold_places), but not of both?
bool too_many_held(const node& a, const node& b, const machine& m) {
  if (m.target != target::gpu) return false;
  const extent one = size_of(a.shape) * size_of(a.type), other = size_of(b.shape) * size_of(b.type);
  return one <= most_held && other <= most_held && one + other > most_held;
}

/// The operations that compute n, each counted once (prices count them per use), as far as `most`.
int operations(const graph& g, node_id n, int most) {
  std::vector<bool> seen(static_cast<std::size_t>(n) + 1);  // operands precede their users
  int count = 0;
  std::vector<node_id> left = {n};
  while (!left.empty() && count <= most) {
    const node_id i = left.back();
    left.pop_back();
    const node_kind k = g[i].kind;
    const bool inside = k == node_kind::map || k == node_kind::view || k == node_kind::pad ||
                        k == node_kind::gather;
    if (!inside || seen[static_cast<std::size_t>(i)]) continue;
    seen[static_cast<std::size_t>(i)] = true;
    ++count;
    left.insert(left.end(), g[i].inputs.begin() + (k == node_kind::gather), g[i].inputs.end());
  }
  return count;
}

/// Does computing an element of n read an element of `base`?
bool reads_from(const graph& g, node_id n, node_id base, std::vector<bool>& seen) {
  if (n <= base) return n == base;  // operands precede their users
  const node_kind k = g[n].kind;
  const bool inside = k == node_kind::map || k == node_kind::view || k == node_kind::pad ||
                      k == node_kind::gather;
  if (!inside || seen[static_cast<std::size_t>(n)]) return false;
  seen[static_cast<std::size_t>(n)] = true;
  return std::ranges::any_of(g[n].inputs,
                             [&](node_id i) { return reads_from(g, i, base, seen); });
}

/// The earlier versions of an array that was written to, the latest first.
std::vector<node_id> written_over(const graph& g, node_id base) {
  std::vector<node_id> before;
  while (g[base].kind == node_kind::update || g[base].kind == node_kind::scatter) {
    base = g[base].inputs[0];
    before.push_back(base);
  }
  return before;
}

bool reads_older(const graph& g, node_id n, node_id base) {
  return std::ranges::any_of(written_over(g, base), [&](node_id older) {
    std::vector<bool> seen(static_cast<std::size_t>(n) + 1);
    return reads_from(g, n, older, seen);
  });
}

/// Does an element of n read `base` at an index known only at run time, or in a walk? `apart`: a
/// node above n does.
bool reads_anywhere(const graph& g, node_id n, node_id base, bool apart,
                    std::set<std::pair<node_id, bool>>& seen) {
  if (n <= base) return n == base && apart;
  if (!seen.insert({n, apart}).second) return false;
  switch (g[n].kind) {
    case node_kind::pad:
    case node_kind::gather:
    case node_kind::scan: apart = true; break;
    case node_kind::map:
    case node_kind::view: break;
    default: return false;
  }
  return std::ranges::any_of(
      g[n].inputs, [&](node_id i) { return reads_anywhere(g, i, base, apart, seen); });
}

// ---- boundaries
void fuser::call(node_id n) {
  const std::int32_t g = new_group(g_[n].shape);
  calls_.insert(g);
  root(n, g);
  for (node_id r : results_[n]) root(r, g);
  for (node_id i : g_[n].inputs) {
    if (is_barrier(g_[n]) || !by_value(i)) need(i, g, dense(g_[i].shape));
  }
}

void fuser::compress(node_id n) {
  const std::int32_t g = new_group(g_[n].shape);
  root(n, g);
  for (node_id r : results_[n]) root(r, g);
  // One element needs no scan, so the node might join the rows of a reduction; but stores under
  // conditions and counts need a kernel that walks their own elements.
  if (size_of(g_[n].shape) < 2) updates_.insert(g);
  for (node_id i : g_[n].inputs) {
    need(i, g, g_[i].shape.empty() ? index_expr{} : dense(g_[n].shape));
  }
}

void fuser::update(node_id n) {
  const node_id base = g_[n].inputs[0], value = g_[n].inputs[1];
  const std::int32_t g = new_group(g_[value].shape);
  root(n, g);
  if (m_.fuse && copies_for_few(base, value)) {
    forced_[value] = true;
    apart_.insert(value);
  }
  need(value, g, dense(g_[value].shape));
  need(base, g, dense(g_[base].shape));
  updates_.insert(g);
}

/// `u(i) = cumsum(u(i - 1))`, or `u(j) = a` where a was a row of u before another was written: in
/// one kernel with the reads of u, all of u is copied first. A row of 300 x 4000 floats took 65 us.
bool fuser::copies_for_few(node_id base, node_id value) const {
  std::set<std::pair<node_id, bool>> seen;
  const bool reads = reads_older(g_, value, base) || reads_anywhere(g_, value, base, false, seen);
  return reads && size_of(g_[base].shape) >= 4 * size_of(g_[value].shape);
}

void fuser::scatter(node_id n) {
  const node& x = g_[n];
  const shape_t& domain = g_[x.inputs[1]].shape;
  const std::int32_t sibling = m_.fuse ? sibling_scatter(n) : -1;
  const std::int32_t g = sibling < 0 ? new_group(domain) : sibling;
  root(n, g);
  updates_.insert(g);
  notes_[g].ops += 2;
  if (x.inputs.size() >= 5) out_.groups[g].flags.push_back(n);
  for (std::size_t k = 1; k < x.inputs.size(); ++k) {
    const node_id i = x.inputs[k];
    if (combines_alone(m_, x) && too_dear_alone(i)) forced_[i] = true;
    if (copies_more(x, i)) forced_[i] = true;
    need(i, g, g_[i].shape.empty() ? index_expr{} : dense(domain));
  }
  need(x.inputs[0], g, dense(x.shape));
}

/// `b(i, j) = b(i, j) + v`: in one kernel with the reads of b, all of b is copied first. 100 places
/// of 1000 x 1000 doubles took 355 us.
bool fuser::copies_more(const node& x, node_id i) const {
  const shape_t& domain = g_[x.inputs[1]].shape;
  std::vector<bool> seen(static_cast<std::size_t>(i) + 1);
  const bool reads = reads_from(g_, i, x.inputs[0], seen) || reads_older(g_, i, x.inputs[0]);
  return reads && size_of(x.shape) >= 4 * size_of(domain);
}

bool fuser::too_dear_alone(node_id n) const {
  if (g_[n].kind != node_kind::map || g_[n].shape.empty()) return false;
  const double size = static_cast<double>(size_of(g_[n].shape));
  const double ops = prices_.ops(n) - load_price;  // a stored value is loaded too
  const double together = ops * size / m_.arithmetic;
  const double traffic = 2 * size * size_of(g_[n].type) / m_.bandwidth;
  // Conditions and indices share operands, so half of the time is no gain.
  return together * m_.units > 2 * (together + traffic + m_.launch);
}

std::int32_t fuser::sibling_scatter(node_id n) const {
  int own = -1;
  for (std::int32_t g : updates_) {
    const node_id other = out_.groups[g].roots[0];
    if (g_[other].kind != node_kind::scatter || g_[other].inputs[1] != g_[n].inputs[1]) continue;
    if (out_.groups[g].roots.size() >= most_scatters || demanded(n, g)) continue;
    if (too_many_held(g_[other], g_[n], m_)) continue;
    if (!acyclic(n, g)) continue;
    if (own < 0) own = operations(g_, g_[n].inputs[2], op_limit);
    if (notes_[g].ops + own <= op_limit) return g;
  }
  return -1;
}

std::optional<std::vector<index_expr>> fuser::seen_through(node_id n) {
  std::vector<index_expr> at;
  for (const demand& d : demands_[n]) {
    auto c = compose(d.at, out_.groups[d.group].domain, g_, g_[n]);
    if (!c) {
      refuse(d.group, "stored before a second reshape: two unravelling steps in one index");
      return std::nullopt;
    }
    at.push_back(std::move(*c));
  }
  return at;
}

/// Is it read with large strides along all axes of a much larger domain? A column of 1,013^2 floats
/// added to each row took 680 us, a row 103 (two cores of an EPYC): it is packed first.
bool fuser::lies_far_apart(node_id n, const std::vector<index_expr>& at) const {
  constexpr std::int64_t few = 16, apart = 16;
  const bool gpu = m_.target == target::gpu;
  const extent most_of_cache(gpu ? std::int64_t{1} << 22 : std::int64_t{1} << 14);
  const extent size = size_of(g_[n].shape);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const shape_t& domain = out_.groups[demands_[n][i].group].domain;
    if (domain.empty() || !at[i].affine() || calls_.count(demands_[n][i].group)) continue;
    bool far = magnitude(at[i].stride(domain.size() - 1)) > apart;
    for (std::size_t a = 0; a + 1 < domain.size() && far; ++a) {
      far = at[i].stride(a) == 0 || magnitude(at[i].stride(a)) > apart;
    }
    if (!far || !(size >= few)) continue;  // each comparison is a condition of the plan
    if (size_of(domain) >= few * size && size_of(domain) >= most_of_cache) return true;
  }
  return false;
}

/// Does a walk go along axes that a reshape merged, the last of them shorter than a vector? Each
/// element's index would be split into coordinates, each time it is walked over: deviations of
/// patches of 12 x 12 took 5.5 ms, with a copy 1.1 (two cores of an EPYC).
bool fuser::walks_merged(node_id n, const std::vector<index_expr>& at) const {
  constexpr std::int64_t vector = 16;
  if (m_.target != target::cpu || !merges_short_runs(g_, n, vector)) return false;
  const node& from = g_[g_[n].inputs[0]];
  for (std::size_t i = 0; i < at.size(); ++i) {
    const group& c = out_.groups[demands_[n][i].group];
    if (!has_rows(c)) continue;
    const auto through = compose(at[i], c.domain, g_, from);
    if (through && !through->affine()) return true;
  }
  return false;
}

void fuser::view(node_id n) {
  if (forced_[n]) return store(n);
  const auto at = seen_through(n);
  const bool first = at && m_.fuse && (lies_far_apart(n, *at) || walks_merged(n, *at));
  if (first) apart_.insert(n);
  if (!at || first) return store(n);
  for (std::size_t i = 0; i < at->size(); ++i) {
    const demand d = demands_[n][i];
    need(g_[n].inputs[0], d.group, (*at)[i], d.inner);
  }
}

void fuser::pad(node_id n) {
  // The base of an update or a scatter is read over no domain of theirs.
  if (forced_[n] || !m_.fuse || prices_.store(n)) return store(n);
  const auto at = seen_through(n);
  if (!at) return store(n);
  for (std::size_t i = 0; i < at->size(); ++i) {
    const demand d = demands_[n][i];
    ++notes_[d.group].ops;
    need(g_[n].inputs[0], d.group, (*at)[i], d.inner);
    alongside(n, 1, d);
  }
}

void fuser::alongside(node_id n, std::size_t k, const demand& d) {
  const node_id i = g_[n].inputs[k];
  need(i, d.group, g_[i].shape.empty() ? index_expr{} : d.at, d.inner);
}

// ---- gathers
void fuser::gather(node_id n) {
  if (forced_[n] || !m_.fuse || prices_.store(n) || !seen_through(n)) {
    store(n);
  } else {
    for (const demand& d : std::vector<demand>(demands_[n])) gather_in(n, d);
  }
  if (m_.fuse && m_.target == target::cpu) cut_chain(n);
  if (g_[n].inputs.size() >= 3) flag(n);
}

void fuser::cut_chain(node_id n) {
  const node_id link = link_before(g_, n);
  if (link < 0) return;
  const shape_t& shape = g_[n].shape;
  const bool whole = out_.stored[n] >= 0 || std::ranges::any_of(demands_[n], [&](const demand& d) {
    return out_.groups[d.group].domain == shape && same_access(d.at, dense(shape));
  });
  if (!whole || size_of(shape) < least_of_chain) return;
  forced_[link] = true;
  apart_.insert(link);
}

void fuser::gather_in(node_id n, const demand& d) {
  ++notes_[d.group].ops;
  need(g_[n].inputs[0], d.group, everywhere());
  alongside(n, 1, d);
}

index_expr fuser::everywhere() {
  index_expr e;
  e.extents = {1};
  e.outer.strides = {1};
  return e;
}

std::int32_t fuser::sharing(const shape_t& domain, node_id bad) const {
  for (std::size_t i = 0; i < out_.groups.size(); ++i) {
    const auto g = static_cast<std::int32_t>(i);
    if (walks(g, domain) && prices_.share_leaves(bad, out_.groups[i].roots)) return g;
  }
  return -1;
}

bool fuser::walks(std::int32_t g, const shape_t& domain) const {
  const group& c = out_.groups[g];
  const bool walked = !updates_.count(g) || g_[c.roots[0]].kind == node_kind::scatter;
  return c.domain == domain && !calls_.count(g) && walked;
}

bool fuser::flagged_before(node_id n) {
  const auto& inputs = g_[n].inputs;
  const node_id word = inputs.size() > 3 ? inputs[3] : -1;
  std::vector<node_id>& others = flags_[{inputs[2], word}];
  for (const node_id m : others) {
    if (g_[m].shape != g_[n].shape) continue;
    out_.flagged[n] = m;
    return true;
  }
  others.push_back(n);
  return false;
}

void fuser::flag(node_id n) {
  if (flagged_before(n)) return;
  const shape_t& shape = g_[n].shape;
  const node_id bad = g_[n].inputs[2];
  demand at{-1, dense(shape), false};
  if (out_.stored[n] >= 0 && walks(out_.stored[n], shape)) at.group = out_.stored[n];
  for (const demand& d : demands_[n]) {
    if (at.group < 0 && walks(d.group, shape) && same_access(d.at, at.at)) at.group = d.group;
  }
  // Otherwise one that reads the operands of the index, or a kernel for the check alone.
  if (at.group < 0) {
    const flag_rows rows = rows_of_flag(g_, g_[n]);
    const demand by_row{sharing(rows.shape, bad), rows.place(dense(rows.shape)), false};
    at.group = sharing(shape, bad);
    if (by_row.group >= 0 || at.group < 0) at = by_row;
    if (at.group < 0) at.group = new_group(rows.shape);
  }
  const group& c = out_.groups[at.group];
  at.inner = c.kept_shape() != c.domain;
  out_.groups[at.group].flags.push_back(n);
  for (std::size_t k = 2; k < g_[n].inputs.size(); ++k) {
    const node_id i = g_[n].inputs[k];
    need(i, at.group, g_[i].shape.empty() ? index_expr{} : at.at, at.inner);
  }
}

}  // namespace sinter::ir::fusing

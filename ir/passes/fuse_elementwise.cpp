// Maps and loops: recomputed where they are read, or stored once.
#include <algorithm>
#include <limits>

#include "ir/passes/fuser.hpp"
#include "ir/passes/slice_of_join.hpp"
#include "ir/passes/unroll_axes.hpp"

namespace sinter::ir::fusing {

namespace {

/// The price of an element, in additions, below which it is never worth a kernel of its own, and
/// how often it must be computed to be worth one.
constexpr double dear = 12, most_shared = 4;

/// The same for what a reduction's kernel can do at its end for free: more than loading the sum.
constexpr double dear_end = load_price + 2;

}  // namespace

// ---- loops
void fuser::loop_result(node_id n) {
  const node_id of = g_[n].inputs[0];
  forced_[of] = forced_[of] || forced_[n] || is_emitted(g_, n);
  for (const demand& d : std::vector<demand>(demands_[n])) {
    need(of, d.group, is_emitted(g_, n) ? everywhere() : d.at, d.inner);
  }
}

void fuser::loop(node_id n) {
  const std::vector<demand> d = demands_[n];
  const auto size = static_cast<int>(g_[n].program.code.size());
  const bool alone = !d.empty() && !spread(n) && one_place(n, d[0]) && !repeats_loop(n, d[0]);
  const bool emits = g_[n].loop.tables > 0 ||
                     g_[n].loop.results.size() > static_cast<std::size_t>(g_[n].loop.carries);
  if (m_.fuse && !forced_[n] && alone && !calls_.count(d[0].group)) {
    if (notes_[d[0].group].ops + size <= op_limit) return loop_in(n, d[0]);
    refuse(d[0].group, "loop stored: the kernel has its " + std::to_string(op_limit) + " ops");
  } else if (!d.empty() && !forced_[n]) {
    for (const demand& x : d) refuse(x.group, "loop stored: read in several places");
  }
  const std::int32_t found = m_.fuse && !emits ? home(n) : -1;
  const std::int32_t to = found < 0 ? new_group(g_[n].shape) : found;
  const index_expr at = where(n, to);
  for (node_id r : results_[n]) {
    const auto elsewhere = [&](const demand& x) {
      return x.group != to || !same_access(x.at, at);
    };
    const auto& readers = demands_[r];
    const bool stored = forced_[r] || is_emitted(g_, r) ||
                        std::any_of(readers.begin(), readers.end(), elsewhere);
    if (stored) root(r, to);
  }
  const group& c = out_.groups[to];
  bool inner = c.domain == g_[n].shape && c.kept_shape() != c.domain && !c.chained;
  for (const demand& x : d) inner = inner || (x.group == to && x.inner);
  if (emits) {  // other nodes would walk it in another way
    updates_.insert(to);
    emits_.insert(to);
  }
  loop_in(n, {to, at, inner});
}

/// Is there an axis along which each round would be repeated? If two results are joined, each place
/// runs the loop, under conditions that lanes do not share: 40 rounds over 20,001 points took 42
/// ms, 1.7 stored. (A loop of one element is hoisted out of the reader's loop.)
bool fuser::repeats_loop(node_id n, const demand& d) const {
  const shape_t& domain = out_.groups[d.group].domain;
  if (!d.at.affine() || !(size_of(g_[n].shape) > 1)) return false;
  for (std::size_t i = 0; i < domain.size(); ++i) {
    if (d.at.stride(i) == 0 && domain[i] > 1) return true;
  }
  return false;
}

void fuser::loop_in(node_id n, const demand& d) {
  const node& x = g_[n];
  notes_[d.group].ops += static_cast<int>(x.program.code.size());
  const std::size_t whole = whole_inputs(x);
  for (std::size_t k = 0; k < whole; ++k) alongside(n, k, d);
  for (std::size_t k = whole; k < x.inputs.size(); ++k) need(x.inputs[k], d.group, everywhere());
}

// ---- maps
void fuser::map(node_id n) {
  const auto& d = demands_[n];
  bool keep = forced_[n] || !m_.fuse;
  if (!keep && prices_.store(n)) {
    keep = true;
    refuse(d[0].group, "operand stored: several shifted readers cost more computed again (" +
                           std::to_string(prices_.ops(n)) + " ops) than read");
  }
  if (!keep && repeats(n)) {
    keep = true;
    refuse(d[0].group, "operand stored: read at many places each, and dear (" +
                           std::to_string(prices_.ops(n)) + " ops)");
  }
  const bool asks = asks_where(n);
  if (!keep && !asks && d.size() > 1 && spread(n) && store_is_cheaper(n)) {
    keep = true;
    for (const demand& x : d) refuse(x.group, "operand stored: shared with another kernel");
  }
  for (const demand& x : d) {
    if (!keep && !asks && notes_[x.group].ops + written(n) > op_limit) {
      keep = out_.full = true;
      refuse(x.group, "operand stored: the kernel has its " + std::to_string(op_limit) + " ops");
    }
  }
  const bool narrow = keep && !forced_[n] && is_widened(n);
  if (keep && !narrow) return store(n);
  for (const demand& x : std::vector<demand>(d)) inputs(n, x.group, x.at, x.inner);
  if (narrow) forced_[g_[n].inputs[0]] = true;
}

/// Is it a condition on an element's position? That costs nothing where an axis is unrolled or
/// walked in pieces, and loaded from memory it prevents both.
bool fuser::asks_where(node_id n) const {
  if (!is_bool(g_[n].type)) return false;
  return std::ranges::all_of(prices_.leaves_of(n), [&](node_id l) {
    return g_[l].kind == node_kind::iota || g_[l].kind == node_kind::scalar;
  });
}

/// A computed value, as a wider type: before the cast it takes less memory, and the cast is free.
/// (Products that are summed at places as doubles were stored as doubles.)
bool fuser::is_widened(node_id n) const {
  const node &x = g_[n], &from = g_[x.inputs[0]];
  const bool computed = from.kind == node_kind::map || from.kind == node_kind::gather;
  return m_.fuse && computed && x.program.code.size() == 1 &&
         x.program.code[0].code == op::cast && size_of(from.type) < size_of(x.type) &&
         !is_complex(x.type) && from.shape == x.shape;
}

bool fuser::repeats(node_id n) const {
  if (prices_.ops(n) < dear_end) return false;
  const extent size = size_of(g_[n].shape);
  const bool ends = ends_reduction(n);
  if ((!ends && prices_.ops(n) < dear) || !(size > 1) || !ready(n)) return false;
  const double own = static_cast<double>(size);
  // A GPU's peak counts a fused multiply-add as two. (Rotary embeddings of 65 million floats: 430
  // us on an H100 with sines and cosines recomputed at every element, a copy 180.)
  const double rate = m_.arithmetic / (m_.target == target::gpu ? 2 : 1);
  double again = -own * prices_.ops(n) / rate, hidden = 0, most = 0, busy = 0;
  std::set<std::int32_t> groups;
  for (const demand& d : demands_[n]) {
    if (calls_.count(d.group)) return false;
    const double times = evaluations(d);
    most = std::max(most, times);
    again += times * (prices_.ops(n) - load_price) / rate;
    // A GPU computes while memory moves, if it has nothing else to compute. The taps of a filter
    // are 33 demands of one group, whose traffic hides them once.
    if (!groups.insert(d.group).second) continue;
    const group& g = out_.groups[d.group];
    busy = std::max(busy, notes_[d.group].ops * static_cast<double>(size_of(g.domain)));
    for (node_id r : g.roots) {
      hidden += static_cast<double>(size_of(g_[r].shape)) * size_of(g_[r].type) / m_.bandwidth;
    }
  }
  if (most < most_shared * own) return false;
  if (ends) return true;
  hidden = m_.target == target::cpu ? 0 : std::max(0.0, hidden - busy / rate);
  return again > hidden + m_.launch + 2 * own * size_of(g_[n].type) / m_.bandwidth;
}

/// What depends on sums alone, element by element, belongs at the end of their kernel, if they have
/// one: means and deviations of columns were finished at every element, with two divisions of
/// doubles each.
bool fuser::ends_reduction(node_id n) const {
  if (g_[n].kind != node_kind::map) return false;
  bool any = false;
  for (node_id l : prices_.leaves_of(n)) {
    if (g_[l].kind != node_kind::reduce) continue;
    if (g_[l].shape != g_[n].shape) return false;
    any = true;
  }
  return any;
}

/// An axis along which pieces are joined is shared (unroll_axes.hpp): each piece is computed where
/// it is.
bool fuser::is_written_out(const group& g, std::size_t axis) const {
  const bool join = std::ranges::all_of(g.roots, [&](node_id r) {
    return g_[r].shape == g.domain && is_choice_by_place(g_, g_[r]);
  });
  return join && !g.reduced[axis] && g.domain[axis] <= most_shared_places;
}

double fuser::evaluations(const demand& d) const {
  const group& g = out_.groups[d.group];
  // In a map, a GPU's thread has a vector of a row; in a reduction, a CPU's has some vectors of a
  // row that it keeps: taps of a filter were computed for every 64 points (63 taps, 40,000 points:
  // 8.4 ms).
  const auto vectors = [&](std::size_t axis) {
    return m_.target == target::gpu ? !has_rows(g) : has_rows(g) && !g.reduced[axis];
  };
  double all = 1;
  bool moves = false;  // along a row
  for (std::size_t i = g.domain.size(); i-- > 0;) {
    const bool still = d.at.affine() && d.at.stride(i) == 0;
    if (still && is_written_out(g, i)) continue;
    const bool along = g.reduced[i] || i + 1 == g.domain.size();
    moves = moves || !still;
    // Once per row: a CPU hoists it out of its loop, and so does a kernel of rows.
    const bool once = along && !moves;
    if (once && !vectors(i)) continue;
    all *= static_cast<double>(g.domain[i]) / (once ? 4 : 1);
  }
  return all;
}

bool fuser::ready(node_id n) const {
  const std::vector<node_id> leaves = prices_.leaves_of(n);
  // A reduction is stored, unless the readers' kernels could compute it on their rows.
  const auto walks_its_rows = [&](const group& c, const std::vector<int>& axes) {
    if (std::ranges::find(c.reduced, true) == c.reduced.end()) return true;
    std::vector<bool> walked(c.domain.size());
    for (int a : axes) walked[static_cast<std::size_t>(a)] = true;
    return walked == c.reduced;
  };
  const auto elsewhere = [&](node_id l) {
    if (waits_for_row(l)) return true;
    return !std::ranges::all_of(demands_[n], [&](const demand& d) {
      const group& c = out_.groups[d.group];
      if (c.kept_shape() == g_[l].shape && same_access(d.at, c.kept_index())) return true;
      return c.domain == g_[g_[l].inputs[0]].shape && d.at.affine() &&
             walks_its_rows(c, g_[l].reduction.axes) &&
             std::ranges::all_of(g_[l].reduction.axes, [&](int a) {
               return d.at.stride(static_cast<std::size_t>(a)) == 0;
             });
    });
  };
  return std::ranges::all_of(leaves, [&](node_id l) {
    const node_kind k = g_[l].kind;
    return k == node_kind::source || k == node_kind::call || forced_[l] || prices_.store(l) ||
           (k == node_kind::reduce && elsewhere(l));
  });
}

bool fuser::demanded(node_id n, std::int32_t g) const {
  const auto& d = demands_[n];
  return std::any_of(d.begin(), d.end(), [&](auto& x) { return x.group == g; });
}

bool fuser::one_place(node_id n, const demand& d) const {
  return std::all_of(demands_[n].begin(), demands_[n].end(), [&](const demand& x) {
    return x.group != d.group || same_access(x.at, d.at);
  });
}

bool fuser::spread(node_id n) const {
  const auto& d = demands_[n];
  return std::any_of(d.begin(), d.end(), [&](auto& x) { return x.group != d[0].group; });
}

bool fuser::store_is_cheaper(node_id n) const {
  std::set<std::int32_t> groups;
  for (const demand& d : demands_[n]) groups.insert(d.group);
  const std::vector<node_id> leaves = prices_.leaves_of(n);
  double read = 0, least = std::numeric_limits<double>::infinity();
  for (std::int32_t g : groups) {
    const double bytes = unread_bytes(leaves, g);
    read += bytes;
    least = std::min(least, bytes);
  }
  const double size = static_cast<double>(size_of(g_[n].shape));
  const double others = static_cast<double>(groups.size() - 1);
  const double again =
      (read - least) / m_.bandwidth + others * prices_.ops(n) * size / m_.arithmetic;
  return again > (1 + others) * size * size_of(g_[n].type) / m_.bandwidth;
}

double fuser::unread_bytes(const std::vector<node_id>& leaves, std::int32_t g) const {
  double bytes = 0;
  for (node_id l : leaves) {
    if (demanded(l, g)) continue;
    bytes += static_cast<double>(size_of(g_[l].shape)) * size_of(g_[l].type);
  }
  return bytes;
}

int fuser::written(node_id n) const {
  const auto complex = [&](node_id i) { return is_complex(g_[i].type); };
  return complex(n) || std::ranges::any_of(g_[n].inputs, complex) ? ops_of_complex : 1;
}

void fuser::inputs(node_id n, std::int32_t g, const index_expr& at, bool inner) {
  notes_[g].ops += written(n);
  for (node_id i : g_[n].inputs) need(i, g, g_[i].shape.empty() ? index_expr{} : at, inner);
}

}  // namespace sinter::ir::fusing

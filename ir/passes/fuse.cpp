// length: one walk over the graph whose rules share its state
#include "ir/passes/fuse.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "ir/passes/join_siblings.hpp"
#include "ir/passes/pricing.hpp"

namespace sinter::ir {

namespace {

/// Ops a kernel may hold: past this, compile time grows and registers spill.
constexpr int op_limit = 320;

/// Scans a kernel may hold: columns of each take up to 8 KB of the 48 of shared memory.
constexpr int scan_limit = 4;

/// What a row's elements may cost (in float additions) in a kernel that walks its rows more than
/// once.
constexpr double again_limit = 64;

/// A use of a node: by a group, through an index expression over the group's domain. `inner`: by a
/// value that a reduction of the group needs, so before any of its results.
struct demand {
  std::int32_t group;
  index_expr at;
  bool inner = false;
  bool operator==(const demand&) const = default;
};

class fuser {
 public:
  fuser(const graph& g, const machine& m)
      : g_(g), m_(m), prices_(g, m), demands_(g.nodes.size()), forced_(g.nodes.size()) {
    out_.stored.assign(g.nodes.size(), not_stored);
  }

  fusion run() {
    force();
    for (node_id n = static_cast<node_id>(g_.nodes.size()); n-- > 0;) visit(n);
    write_after_reading();
    if (m_.fuse) join_siblings(out_, needs_, std::move(notes_), g_, prices_, op_limit);
    put_in_order(out_, needs_);
    return std::move(out_);
  }

 private:
  // ---- what must be stored whatever it costs
  void force() {
    for (node_id o : g_.outputs) forced_[o] = true;
    for (const node& n : g_.nodes) {
      if (n.kind == node_kind::call) {
        for (node_id i : n.inputs) forced_[i] = forced_[i] || !by_value(i);
      }
      if (writes_into(n) || n.kind == node_kind::gather) forced_[n.inputs[0]] = true;
      for (std::size_t k = 0; k < n.loop.maps.size(); ++k) {
        forced_[n.inputs[n.inputs.size() - 1 - k]] = true;
      }
    }
  }

  static bool writes_into(const node& n) {
    return n.kind == node_kind::update || n.kind == node_kind::scatter;
  }

  /// Does group g change n's own elements? Then they are there before it.
  bool writes_over(node_id n, std::int32_t g) const {
    return updates_.count(g) && g_[out_.groups[g].roots[0]].inputs[0] == n;
  }

  /// Calls get scalars as they are, not in memory.
  bool by_value(node_id i) const { return g_[i].kind == node_kind::scalar; }

  /// An update waits for whoever else reads its base, where it can: it is done in place then.
  void write_after_reading() {
    for (node_id n = 0; n < static_cast<node_id>(g_.nodes.size()); ++n) {
      if (!writes_into(g_[n]) || out_.stored[n] < 0) continue;
      const std::int32_t writer = out_.stored[n];
      for (const demand& d : demands_[g_[n].inputs[0]]) {
        const bool free = d.group != writer && needs_[writer].count(d.group) == 0;
        if (free && !waits_for(needs_, d.group, writer)) needs_[writer].insert(d.group);
      }
    }
  }

  void visit(node_id n) {
    if (demands_[n].empty() && !forced_[n]) return;
    switch (g_[n].kind) {
      case node_kind::source:
        break;
      case node_kind::scalar:
        if (forced_[n]) store(n);
        break;
      case node_kind::iota:
        if (forced_[n] || !m_.fuse) store(n);
        break;
      case node_kind::random:
        if (forced_[n] || !m_.fuse || demands_[n].size() > 1) store(n);
        break;
      case node_kind::call:
        call(n);
        break;
      case node_kind::result:
        results_[g_[n].inputs[0]].push_back(n);
        if (is_loop_result(g_, n)) {
          loop_result(n);
        } else {
          forced_[g_[n].inputs[0]] = true;
        }
        break;
      case node_kind::loop:
        loop(n);
        break;
      case node_kind::update:
        update(n);
        break;
      case node_kind::view:
        view(n);
        break;
      case node_kind::map:
        map(n);
        break;
      case node_kind::reduce:
        reduce(n);
        break;
      case node_kind::gather:
        gather(n);
        break;
      case node_kind::pad:
        pad(n);
        break;
      case node_kind::scan:
        scan(n);
        break;
      case node_kind::compress:
        compress(n);
        break;
      case node_kind::scatter:
        scatter(n);
        break;
    }
  }

  // ---- boundaries
  void call(node_id n) {
    const std::int32_t g = new_group(g_[n].shape);
    calls_.insert(g);
    root(n, g);
    for (node_id r : results_[n]) root(r, g);
    for (node_id i : g_[n].inputs) {
      if (!by_value(i)) need(i, g, dense(g_[i].shape));
    }
  }

  /// What is chosen is not where it was chosen from: nobody else's elements join it.
  void compress(node_id n) {
    const std::int32_t g = new_group(g_[n].shape);
    root(n, g);
    for (node_id r : results_[n]) root(r, g);
    for (node_id i : g_[n].inputs) {
      need(i, g, g_[i].shape.empty() ? index_expr{} : dense(g_[n].shape));
    }
  }

  void update(node_id n) {
    const node_id base = g_[n].inputs[0], value = g_[n].inputs[1];
    const std::int32_t g = new_group(g_[value].shape);
    root(n, g);
    need(value, g, dense(g_[value].shape));
    need(base, g, dense(g_[base].shape));
    updates_.insert(g);
  }

  /// Walks its indices; what they and the values are made of is computed there.
  void scatter(node_id n) {
    const node& x = g_[n];
    const shape_t& domain = g_[x.inputs[1]].shape;
    const std::int32_t g = new_group(domain);
    root(n, g);
    updates_.insert(g);
    notes_[g].ops += 2;
    if (x.inputs.size() == 5) out_.groups[g].flags.push_back(n);
    for (std::size_t k = 1; k < x.inputs.size(); ++k) {
      const node_id i = x.inputs[k];
      need(i, g, g_[i].shape.empty() ? index_expr{} : dense(domain));
    }
    need(x.inputs[0], g, dense(x.shape));
  }

  /// How every reader of a mapped node sees what is mapped; nothing, and a refusal, if one cannot.
  std::optional<std::vector<index_expr>> seen_through(node_id n) {
    std::vector<index_expr> at;
    for (const demand& d : demands_[n]) {
      auto c = compose(d.at, out_.groups[d.group].domain, g_[n].shape, g_[n].map);
      if (!c) {
        refuse(d.group, "stored before a second reshape: two unravelling steps in one index");
        return std::nullopt;
      }
      at.push_back(std::move(*c));
    }
    return at;
  }

  void view(node_id n) {
    if (forced_[n]) return store(n);
    const auto at = seen_through(n);
    if (!at) return store(n);
    for (std::size_t i = 0; i < at->size(); ++i) {
      const demand d = demands_[n][i];
      need(g_[n].inputs[0], d.group, (*at)[i], d.inner);
    }
  }

  void pad(node_id n) {
    // What an update or a scatter starts from is read over no domain of theirs.
    if (forced_[n] || !m_.fuse) return store(n);
    const auto at = seen_through(n);
    if (!at) return store(n);
    for (std::size_t i = 0; i < at->size(); ++i) {
      const demand d = demands_[n][i];
      ++notes_[d.group].ops;
      need(g_[n].inputs[0], d.group, (*at)[i], d.inner);
      alongside(n, 1, d);
    }
  }

  /// An input that is read where its reader is computed.
  void alongside(node_id n, std::size_t k, const demand& d) {
    const node_id i = g_[n].inputs[k];
    need(i, d.group, g_[i].shape.empty() ? index_expr{} : d.at, d.inner);
  }

  // ---- gathers
  void gather(node_id n) {
    if (forced_[n] || !m_.fuse || !seen_through(n)) {
      store(n);
    } else {
      for (const demand& d : std::vector<demand>(demands_[n])) gather_in(n, d);
    }
    if (g_[n].inputs.size() == 3) flag(n);
  }

  void gather_in(node_id n, const demand& d) {
    ++notes_[d.group].ops;
    need(g_[n].inputs[0], d.group, everywhere());
    alongside(n, 1, d);
  }

  /// An index of what is read in no order known: it is like no other.
  static index_expr everywhere() {
    index_expr e;
    e.extents = {1};
    e.outer.strides = {1};
    return e;
  }

  /// The kernel that computes the index says whether it is in range, if it walks just the gather's
  /// domain.
  void flag(node_id n) {
    const node_id bad = g_[n].inputs[2];
    demand at{-1, dense(g_[n].shape), false};
    const auto walks = [&](std::int32_t g) {
      const group& c = out_.groups[g];
      const bool walked = !updates_.count(g) || g_[c.roots[0]].kind == node_kind::scatter;
      return c.domain == g_[n].shape && !calls_.count(g) && walked;
    };
    if (out_.stored[n] >= 0 && walks(out_.stored[n])) at.group = out_.stored[n];
    for (const demand& d : demands_[n]) {
      if (at.group < 0 && walks(d.group) && same_access(d.at, at.at)) at.group = d.group;
    }
    if (at.group < 0) at.group = new_group(g_[n].shape);
    const group& c = out_.groups[at.group];
    at.inner = c.kept_shape() != c.domain;
    out_.groups[at.group].flags.push_back(n);
    need(bad, at.group, g_[bad].shape.empty() ? index_expr{} : at.at, at.inner);
  }

  // ---- loops
  /// A loop is needed where its outputs are; those that are kept from every round come from memory.
  void loop_result(node_id n) {
    const node_id of = g_[n].inputs[0];
    forced_[of] = forced_[of] || forced_[n] || is_emitted(g_, n);
    for (const demand& d : std::vector<demand>(demands_[n])) {
      need(of, d.group, is_emitted(g_, n) ? everywhere() : d.at, d.inner);
    }
  }

  /// Runs once, whoever reads it: in the kernel of its only reader, else where its outputs are
  /// stored.
  void loop(node_id n) {
    const std::vector<demand> d = demands_[n];
    const auto size = static_cast<int>(g_[n].program.code.size());
    const bool alone = !d.empty() && !spread(n) && one_place(n, d[0]);
    const bool emits = g_[n].loop.results.size() > static_cast<std::size_t>(g_[n].loop.carries);
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
    if (emits) {  // nothing joins that would walk it in another way
      updates_.insert(to);
      emits_.insert(to);
    }
    loop_in(n, {to, at, inner});
  }

  void loop_in(node_id n, const demand& d) {
    const node& x = g_[n];
    notes_[d.group].ops += static_cast<int>(x.program.code.size());
    const std::size_t whole = x.inputs.size() - x.loop.maps.size();
    for (std::size_t k = 0; k < whole; ++k) alongside(n, k, d);
    for (std::size_t k = whole; k < x.inputs.size(); ++k) need(x.inputs[k], d.group, everywhere());
  }

  // ---- maps
  void map(node_id n) {
    const auto& d = demands_[n];
    bool keep = forced_[n] || !m_.fuse;
    if (!keep && prices_.store(n)) {
      keep = true;
      refuse(d[0].group, "operand stored: several shifted readers cost more computed again (" +
                             std::to_string(prices_.ops(n)) + " ops) than read");
    }
    if (!keep && d.size() > 1 && spread(n) && store_is_cheaper(n)) {
      keep = true;
      for (const demand& x : d) refuse(x.group, "operand stored: shared with another kernel");
    }
    for (const demand& x : d) {
      if (!keep && notes_[x.group].ops + 1 > op_limit) {
        keep = true;
        refuse(x.group, "operand stored: the kernel has its " + std::to_string(op_limit) + " ops");
      }
    }
    if (keep) return store(n);
    for (const demand& x : std::vector<demand>(d)) inputs(n, x.group, x.at, x.inner);
  }

  bool demanded(node_id n, std::int32_t g) const {
    const auto& d = demands_[n];
    return std::any_of(d.begin(), d.end(), [&](auto& x) { return x.group == g; });
  }
  /// Does the group of a demand need n nowhere else?
  bool one_place(node_id n, const demand& d) const {
    return std::all_of(demands_[n].begin(), demands_[n].end(), [&](const demand& x) {
      return x.group != d.group || same_access(x.at, d.at);
    });
  }

  /// Do demands come from more than one group?
  bool spread(node_id n) const {
    const auto& d = demands_[n];
    return std::any_of(d.begin(), d.end(), [&](auto& x) { return x.group != d[0].group; });
  }

  bool store_is_cheaper(node_id n) const {
    std::set<std::int32_t> groups;
    for (const demand& d : demands_[n]) groups.insert(d.group);
    const double bytes = static_cast<double>(size_of(g_[n].shape)) * size_of(g_[n].type);
    const double others = static_cast<double>(groups.size() - 1);
    const double again =
        others * (prices_.leaf_bytes(n) / m_.bandwidth +
                  prices_.ops(n) * static_cast<double>(size_of(g_[n].shape)) / m_.arithmetic);
    return again > (1 + others) * bytes / m_.bandwidth;
  }

  void inputs(node_id n, std::int32_t g, const index_expr& at, bool inner) {
    ++notes_[g].ops;
    for (node_id i : g_[n].inputs) need(i, g, g_[i].shape.empty() ? index_expr{} : at, inner);
  }

  // ---- reductions
  void reduce(node_id n) {
    const std::vector<demand> d = demands_[n];
    if (m_.fuse) {
      for (demand x : d) {
        index_expr at;
        for (const demand& y : d) x.inner = x.inner || (y.inner && y.group == x.group);
        if (calls_.count(x.group) || updates_.count(x.group) || !acyclic(n, x.group)) continue;
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

  /// Makes the reduction part of the group that needs it, if the shapes allow: as what an epilogue
  /// reads, or inside the rows of a normalisation. `at`: how the group then reads its input.
  bool join(node_id n, const demand& d, index_expr& at) {
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

  bool normalise(node_id n, const demand& d, const shape_t& domain, index_expr& at) {
    group& g = out_.groups[d.group];
    if (g.domain != domain || !d.at.affine() || d.at.offset != 0) {
      refuse(d.group, "reduction stored: read in another order than it is made");
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
    if (prices_.ops(g_[n].inputs[0]) > again_limit) {
      refuse(d.group, "reduction stored: what it sums costs too much to compute once a phase");
      return false;
    }
    g.reduced = mask;
    at = dense(domain);
    return true;
  }

  /// Would a reader in its kernel leave most of the machine idle, a block a row?
  bool waits_for_row(node_id n) const {
    const extent length = size_of(reduced_extents(n));
    return needs_split(m_, size_of(g_[n].shape), length) && !fits_cluster(m_, length);
  }

  std::string too_few_rows(node_id n) const {
    return "reduction stored: its " + std::to_string(size_of(g_[n].shape).peek()) +
           " rows are too few for one block each, and a whole row is needed before its first use";
  }

  shape_t reduced_extents(node_id n) const {
    shape_t s;
    for (int a : g_[n].reduction.axes) s.push_back(g_[g_[n].inputs[0]].shape[a]);
    return s;
  }

  /// The input of reduction n over the domain of group g.
  index_expr input_index(node_id n, std::int32_t g) const {
    return reduction_index(g_[g_[n].inputs[0]].shape, g_[n].reduction, out_.groups[g].reduced);
  }

  void makes(node_id n, std::int32_t g) {
    notes_[g].reductions.push_back(n);
    notes_[g].bytes += reduced_bytes(g_, n);
  }
  bool has_room(node_id n, std::int32_t g) const {
    return notes_[g].bytes + reduced_bytes(g_, n) <= most_reduced;
  }

  std::int32_t sibling_reduction(node_id n) {
    for (std::size_t i = 0; i < out_.groups.size(); ++i) {
      const auto g = static_cast<std::int32_t>(i);
      const group& c = out_.groups[i];
      if (demanded(n, g) || c.chained || !has_room(n, g)) continue;
      const shape_t r = reduced_extents(n);
      if (r.empty() || c.kept_shape() != g_[n].shape || c.reduced_shape() != r) continue;
      const bool walked = walks_alike(g_, prices_, c, n, notes_[g].reductions);
      if (walked && acyclic(n, g)) return g;
    }
    return -1;
  }

  static bool has_rows(const group& g) {
    return std::find(g.reduced.begin(), g.reduced.end(), true) != g.reduced.end();
  }

  // ---- scans
  void scan(node_id n) {
    const std::vector<demand> d = demands_[n];
    if (m_.fuse) {
      for (demand x : d) {
        for (const demand& y : d) x.inner = x.inner || (y.inner && y.group == x.group);
        const bool apart = calls_.count(x.group) || emits_.count(x.group);
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

  /// Scan n runs along the rows of group g, whose domain is its shape.
  void scan_in(node_id n, std::int32_t to, bool inner) {
    group& g = out_.groups[to];
    const node_id x = g_[n].inputs[0];
    g.reduced = scanned(n);
    g.chained = chained(n);
    g.scan_bytes = size_of(g_[n].type);
    ++g.scans;
    ++notes_[to].ops;
    // A CPU looks at a chunk twice.
    if (g.chained && m_.target == target::cpu && prices_.ops(x) > again_limit) forced_[x] = true;
    need(x, to, dense(g.domain), inner || g.chained);
  }

  bool join_scan(node_id n, const demand& d) {
    const group& g = out_.groups[d.group];
    if (g.domain != g_[n].shape || !same_access(d.at, dense(g.domain))) {
      refuse(d.group, "scan stored: read in another order than it runs");
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

  /// How threads share a row depends on the size of what is combined, and so does the order that
  /// it is combined in.
  bool scan_fits(node_id n, const group& g) const {
    if (g.scan_bytes > 0) {
      return g.reduced == scanned(n) && g.scan_bytes == size_of(g_[n].type) &&
             g.scans < scan_limit;
    }
    return !has_rows(g) || (g.reduced == scanned(n) && !chained(n) &&
                            prices_.ops(g_[n].inputs[0]) <= again_limit);
  }

  std::int32_t sibling_scan(node_id n) const {
    for (std::size_t i = 0; i < out_.groups.size(); ++i) {
      const auto g = static_cast<std::int32_t>(i);
      const group& c = out_.groups[i];
      if (calls_.count(g) || updates_.count(g) || demanded(n, g)) continue;
      if (c.domain != g_[n].shape || c.scan_bytes == 0 || !scan_fits(n, c)) continue;
      if (prices_.share_leaves(n, c.roots) && acyclic(n, g)) return g;
    }
    return -1;
  }

  std::vector<bool> scanned(node_id n) const {
    std::vector<bool> mask(g_[n].shape.size());
    mask[static_cast<std::size_t>(g_[n].reduction.axes[0])] = true;
    return mask;
  }

  bool chained(node_id n) const {
    return needs_chain(m_, g_[n].shape, g_[n].reduction.axes[0]);
  }

  // ---- roots
  /// Stores n: with the group that needs it at the same place, else beside a sibling, else alone.
  void store(node_id n) {
    const std::int32_t g = m_.fuse ? home(n) : -1;
    const bool own = g < 0;
    const std::int32_t to = own ? new_group(g_[n].shape) : g;
    root(n, to);
    const index_expr at = where(n, to);
    const group& c = out_.groups[to];
    // Below a scan that cuts its rows there is no other one, but beside it there may be.
    bool inner = c.domain == g_[n].shape && c.kept_shape() != c.domain && !c.chained;
    for (const demand& d : demands_[n]) inner = inner || (d.group == to && d.inner);
    if (g_[n].kind == node_kind::map) return inputs(n, to, at, inner);
    if (g_[n].kind == node_kind::gather) return gather_in(n, {to, at, inner});
    if (g_[n].kind == node_kind::pad) {
      ++notes_[to].ops;
      alongside(n, 1, {to, at, inner});
    }
    if (g_[n].kind == node_kind::view || g_[n].kind == node_kind::pad) {
      need(g_[n].inputs[0], to, *compose(at, c.domain, g_[n].shape, g_[n].map), inner);
    }
  }

  /// The row-major index of a root over its group's domain.
  index_expr where(node_id n, std::int32_t g) const {
    const group& c = out_.groups[g];
    return c.domain == g_[n].shape ? dense(c.domain) : c.kept_index();
  }

  std::int32_t home(node_id n) {
    for (const demand& d : demands_[n]) {
      const group& c = out_.groups[d.group];
      if (calls_.count(d.group) || updates_.count(d.group)) continue;
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
      if (notes_[g].ops + prices_.ops(n) > op_limit) continue;
      if (prices_.share_leaves(n, c.roots) && acyclic(n, g)) return g;
    }
    return -1;
  }

  /// May n join g? Not if g waits, through others, for somebody who waits for n.
  bool acyclic(node_id n, std::int32_t g) const {
    for (const demand& d : demands_[n]) {
      if (d.group != g && waits_for(needs_, g, d.group)) return false;
    }
    return true;
  }

  void root(node_id n, std::int32_t g) {
    out_.stored[n] = g;
    out_.groups[g].roots.push_back(n);
    link(n, g);
  }

  void link(node_id n, std::int32_t g) {
    for (const demand& d : demands_[n]) {
      if (d.group != g) needs_[d.group].insert(g);
    }
  }

  std::int32_t new_group(shape_t domain) {
    group g;
    g.reduced.assign(domain.size(), false);
    g.domain = std::move(domain);
    out_.groups.push_back(std::move(g));
    needs_.emplace_back();
    notes_.emplace_back();
    return static_cast<std::int32_t>(out_.groups.size()) - 1;
  }

  void need(node_id n, std::int32_t g, index_expr at, bool inner = false) {
    const demand d{g, std::move(at), inner};
    auto& list = demands_[n];
    if (std::find(list.begin(), list.end(), d) == list.end()) list.push_back(d);
    if (out_.stored[n] >= 0 && out_.stored[n] != g) needs_[g].insert(out_.stored[n]);
  }

  void refuse(std::int32_t g, std::string reason) {
    auto& list = out_.groups[g].refusals;
    if (std::find(list.begin(), list.end(), reason) == list.end())
      list.push_back(std::move(reason));
  }

  const graph& g_;
  const machine& m_;
  pricing prices_;
  fusion out_;
  std::vector<std::vector<demand>> demands_;
  std::vector<char> forced_;
  std::vector<std::set<std::int32_t>> needs_;  // per group: the groups it waits for
  std::vector<group_notes> notes_;
  std::set<std::int32_t> calls_, updates_, emits_;
  std::map<node_id, std::vector<node_id>> results_;  // of calls: the nodes of further outputs
};

}  // namespace

fusion fuse(const graph& g, const machine& m) {
  return fuser(g, m).run();
}

}  // namespace sinter::ir

#include "ir/passes/join_siblings.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace sinter::ir {
namespace {

class joiner {
 public:
  joiner(fusion& f, group_waits& waits, std::vector<group_notes> notes, const graph& g,
         const pricing& prices)
      : f_(f), waits_(waits), notes_(std::move(notes)), g_(g), prices_(prices) {}

  void run(int op_limit) {
    std::vector<std::int32_t> rows;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(f_.groups.size()); ++i) {
      if (reduces_alone(i)) rows.push_back(i);
    }
    for (std::size_t a = 0; a < rows.size(); ++a) {
      for (std::size_t b = a + 1; b < rows.size();) {
        if (!fit(rows[a], rows[b], op_limit) || !alike(rows[a], rows[b])) {
          ++b;
          continue;
        }
        join(rows[a], rows[b]);
        rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(b));
      }
    }
    drop_empty();
  }

 private:
  group& at(std::int32_t i) { return f_.groups[static_cast<std::size_t>(i)]; }
  group_notes& notes(std::int32_t i) { return notes_[static_cast<std::size_t>(i)]; }

  /// Does it store one element per row, without scans and range checks?
  bool reduces_alone(std::int32_t i) {
    const group& c = at(i);
    if (notes(i).reductions.empty() || c.chained || c.scans > 0 || !c.flags.empty()) return false;
    const shape_t kept = c.kept_shape();
    return std::ranges::all_of(c.roots, [&](node_id r) { return g_[r].shape == kept; });
  }

  bool fit(std::int32_t a, std::int32_t b, int op_limit) {
    return notes(a).ops + notes(b).ops <= op_limit &&
           may_reduce(notes(a).bytes + notes(b).bytes, at(a).domain);
  }

  /// Are the rows the same? The position of reduced axes among the kept ones may differ: with an
  /// epilogue they come last.
  bool alike(std::int32_t a, std::int32_t b) {
    if (at(a).kept_shape() != at(b).kept_shape()) return false;
    if (at(a).reduced_shape() != at(b).reduced_shape()) return false;
    const bool share = std::ranges::any_of(notes(b).reductions, [&](node_id r) {
      return walks_alike(g_, prices_, at(a), r, notes(a).reductions);
    });
    return share && !waits_.through(a, b) && !waits_.through(b, a);
  }

  void join(std::int32_t a, std::int32_t b) {
    group gone = std::exchange(at(b), {});
    group& into = at(a);
    for (node_id r : gone.roots) f_.stored[static_cast<std::size_t>(r)] = a;
    into.roots.insert(into.roots.end(), gone.roots.begin(), gone.roots.end());
    std::ranges::sort(into.roots, std::greater<>());  // the order that fuse() leaves
    std::ranges::copy_if(gone.refusals, std::back_inserter(into.refusals), [&](const auto& why) {
      return std::ranges::find(into.refusals, why) == into.refusals.end();
    });
    const auto& more = notes(b).reductions;
    notes(a).reductions.insert(notes(a).reductions.end(), more.begin(), more.end());
    notes(a).ops += notes(b).ops;
    notes(a).bytes += notes(b).bytes;
    waits_.join(a, b);
  }

  void drop_empty() {
    std::vector<std::int32_t> place;
    std::int32_t next = 0;
    for (const group& c : f_.groups) {
      const bool empty = c.roots.empty() && c.flags.empty();
      place.push_back(empty ? not_stored : next++);
    }
    const auto renumber = [&](std::int32_t i) { return place[static_cast<std::size_t>(i)]; };
    for (std::size_t i = 0; i < place.size(); ++i) {
      if (place[i] < 0) continue;
      const auto to = static_cast<std::size_t>(place[i]);
      if (to != i) f_.groups[to] = std::move(f_.groups[i]);
    }
    f_.groups.resize(static_cast<std::size_t>(next));
    waits_.renumber(place, next);
    for (std::int32_t& s : f_.stored) s = s < 0 ? s : renumber(s);
  }

  fusion& f_;
  group_waits& waits_;
  std::vector<group_notes> notes_;
  const graph& g_;
  const pricing& prices_;
};

constexpr std::size_t most_reduced = 48 * 1024 / 256, few_reduced = 64;
constexpr extent long_walk = 1 << 20;

}  // namespace

bool may_reduce(std::size_t bytes, const shape_t& domain) {
  if (bytes <= few_reduced) return true;
  return bytes <= most_reduced && size_of(domain) >= long_walk;
}

std::size_t reduced_bytes(const graph& g, node_id n) {
  const bool places = g[n].reduction.arg;  // found along with the values
  return size_of(g[g[n].inputs[0]].type) + (places ? sizeof(std::int64_t) : 0);
}

bool walks_alike(const graph& g, const pricing& prices, const group& c, node_id n,
                 const std::vector<node_id>& others) {
  const auto walk = [&](node_id r) {
    return reduction_index(g[g[r].inputs[0]].shape, g[r].reduction, c.reduced);
  };
  return std::ranges::any_of(others, [&](node_id o) {
    return prices.share_leaves(n, {o}) && walk(n) == walk(o);
  });
}

void join_siblings(fusion& f, group_waits& waits, std::vector<group_notes> notes, const graph& g,
                   const pricing& prices, int op_limit) {
  joiner(f, waits, std::move(notes), g, prices).run(op_limit);
}

}  // namespace sinter::ir

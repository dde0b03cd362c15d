#include "ir/passes/order_chains.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/passes/fuser.hpp"

namespace sinter::ir {
namespace {

/// Lists the nodes that have inputs, from the outputs backwards: of those whose readers are all
/// listed, the one that requests the fewest nodes not yet requested; of several such, the one
/// nearest to the outputs.
class backwards {
 public:
  explicit backwards(const graph& g)
      : g_(g), readers_(g.nodes.size()), after_(g.nodes.size()), asked_(g.nodes.size()) {
    for (std::size_t n = g.nodes.size(); n-- > 0;) {
      for (node_id i : g.nodes[n].inputs) {
        ++readers_[at(i)];
        after_[at(i)] = std::max(after_[at(i)], after_[n] + 1);
      }
    }
  }

  std::vector<node_id> list() {
    std::vector<node_id> order;
    for (std::size_t n = 0; n < readers_.size(); ++n) {
      if (readers_[n] == 0) ready_.push_back(static_cast<node_id>(n));
    }
    while (!ready_.empty()) {
      const node_id n = take();
      if (g_[n].inputs.empty()) continue;
      order.push_back(n);
      for (node_id i : g_[n].inputs) {
        asked_[at(i)] = 1;
        if (--readers_[at(i)] == 0) ready_.push_back(i);
      }
    }
    return order;
  }

 private:
  static std::size_t at(node_id n) { return static_cast<std::size_t>(n); }

  bool waits(node_id i) const { return !asked_[at(i)] && !g_[i].inputs.empty(); }

  /// The requested operands, without those that the others need anyway: for -d * d it is d alone.
  std::ptrdiff_t asks(node_id n) const {
    const auto& all = g_[n].inputs;
    return std::ranges::count_if(all, [&](node_id i) {
      return waits(i) && std::ranges::any_of(g_[i].inputs, [&](node_id k) {
        return waits(k) && std::ranges::find(all, k) == all.end();
      });
    });
  }

  node_id take() {
    const auto best = std::ranges::min_element(
        ready_, {}, [&](node_id n) { return std::pair(asks(n), after_[at(n)]); });
    const node_id n = *best;
    ready_.erase(best);
    return n;
  }

  const graph& g_;
  std::vector<int> readers_, after_;  // after_: the longest path to an output
  std::vector<char> asked_;
  std::vector<node_id> ready_;
};

bool writes(const node& n) {
  return n.kind == node_kind::update || n.kind == node_kind::scatter;
}

}  // namespace

graph order_chains(const graph& g) {
  if (g.nodes.size() <= fusing::op_limit || std::ranges::any_of(g.nodes, writes)) return g;
  // Arrays and numbers are bound by their number in this order.
  std::vector<node_id> order, place(g.nodes.size());
  for (std::size_t n = 0; n < g.nodes.size(); ++n) {
    if (g.nodes[n].inputs.empty()) order.push_back(static_cast<node_id>(n));
  }
  const std::vector<node_id> rest = backwards(g).list();
  order.insert(order.end(), rest.rbegin(), rest.rend());
  graph out;
  out.origins = g.origins;
  for (node_id n : order) {
    node copy = g[n];
    for (node_id& i : copy.inputs) i = place[static_cast<std::size_t>(i)];
    place[static_cast<std::size_t>(n)] = out.add(std::move(copy));
  }
  for (node_id o : g.outputs) out.outputs.push_back(place[static_cast<std::size_t>(o)]);
  return out;
}

}  // namespace sinter::ir

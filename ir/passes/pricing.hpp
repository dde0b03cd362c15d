#pragma once
// Prices of nodes: the cost of recomputing one against storing it.
//
// Why: whether a shared producer is recomputed or stored decides both traffic and arithmetic, and a
// chain of stencils recomputed throughout would grow as 5^steps. One forward walk settles it: a
// node that is cheaper to store resets the cost of its readers.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// The cost of a load that hits a cache, in float additions: what each further reader of a stored
/// array pays.
inline constexpr double load_price = 4;

class pricing {
 public:
  pricing(const graph&, const machine&);
  /// Ops (in float additions) to compute one element from stored arrays.
  double ops(node_id n) const { return ops_[static_cast<std::size_t>(n)]; }
  /// Is n, read through several different views, cheaper to store than to recompute once per view?
  bool store(node_id n) const { return store_[static_cast<std::size_t>(n)]; }
  /// The stored arrays that n is computed from.
  std::vector<node_id> leaves_of(node_id n) const;
  /// Does n read a stored array that one of `others` reads too?
  bool share_leaves(node_id n, const std::vector<node_id>& others) const;

 private:
  using set = std::vector<std::uint64_t>;  // one bit a node
  void leaves(node_id n, bool is_leaf);
  double price_read(const node& reader, node_id input) const;

  const graph& g_;
  std::vector<double> ops_;
  std::vector<char> store_, is_output_;
  std::vector<set> leaves_;
};

}  // namespace sinter::ir

#pragma once
// Snapshots: the pending nodes under some roots, as a graph the optimizer understands, and the key
// its plan is kept under.

#include <span>
#include <string>
#include <vector>

#include "engine/node.hpp"
#include "ir/graph.hpp"

namespace sinter::detail {

struct snapshot {
  std::string key;
  std::vector<node*> pending;        // in topological order
  std::vector<node*> sources;        // per source node of the graph
  std::vector<scalar_word> scalars;  // per scalar or random node of the graph
  std::vector<node*> outputs;        // per output of the graph
  std::vector<any_array> held;       // further outputs of the calls in it
  bool checked = false;              // some node of it carries checks
  std::vector<node*> gathers;        // per check of the graph: the gather whose indices it is of
  std::vector<bool> may_donate;      // per source: nobody will hold it after this evaluation
};

/// Walks the pending nodes; writes the key. REQUIRES: the evaluation lock.
snapshot take_snapshot(std::span<const any_array> roots);

/// The graph of a snapshot. Only needed when there is no plan for its key.
ir::graph graph_of(const snapshot&);

}  // namespace sinter::detail

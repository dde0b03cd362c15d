#pragma once
// Snapshots: the pending nodes below some roots, as a graph for the optimizer, and the key of its
// plan.

#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/evaluation/key_words.hpp"
#include "engine/nodes/node.hpp"
#include "ir/graph.hpp"

namespace sinter::detail {

struct snapshot {
  /// The structure, in words: graphs with equal keys differ only in their numbers.
  key_words key;
  /// The sizes, strides and offsets of the graph, each once; -1, 0 and 1 are in the key.
  std::vector<std::int64_t> numbers;
  std::vector<node*> pending;        // in topological order
  std::vector<node*> sources;        // per source node of the graph
  std::vector<scalar_word> scalars;  // per scalar or random node of the graph
  std::vector<node*> outputs;        // per output of the graph
  std::vector<any_array> held;       // further outputs of the calls in it
  bool goes_on = false;              // an input: see evaluate_to_go_on
  bool checked = false;              // some node of it carries checks
  const node* placeholder = nullptr; // a pending node of it that will never have a value
  bool outsiders = false;            // a pending node of it that is no root is held from outside
  std::vector<node*> gathers;        // per check of the graph: the gather whose indices it checks
  std::vector<char> may_donate;      // per source: nothing will hold it after this evaluation

  // Scratch memory for taking it.
  std::vector<std::pair<node*, bool>> todo;
  std::vector<node*> late, statuses, unchecked;
  std::vector<dtype> scalar_types;
  std::unordered_map<std::int64_t, std::int32_t> places;  // index of numbers, once there are many

  /// Empty again; keeps its memory.
  void clear();
};

/// Equal scalars share a parameter, among the first so many: comparing is quadratic.
inline constexpr int compared_scalars = 64;

/// The index of a number among those of a snapshot; its own value for -1, 0 and 1.
struct number_place {
  std::int32_t index = -1;
  std::int64_t literal = 0;
};
number_place place_of(const snapshot&, std::int64_t number);

/// Are the ends of a join's pieces known to its plan as coordinates, rather than passed as scalars?
bool borders_are_places(const node& join);

/// Walks the pending nodes; writes the key. REQUIRES: the evaluation lock; `into` is clear.
void take_snapshot(std::span<const any_array> roots, snapshot& into);

/// The graph of a snapshot, with its numbers as symbols of the trace. Only needed if there is no
/// plan for its key.
ir::graph graph_of(const snapshot&, ir::trace&);

}  // namespace sinter::detail

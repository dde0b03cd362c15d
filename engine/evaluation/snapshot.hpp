#pragma once
// Snapshots: the pending nodes under some roots, as a graph the optimizer understands, and the key
// its plan is kept under.

#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/evaluation/key_words.hpp"
#include "engine/nodes/node.hpp"
#include "ir/graph.hpp"

namespace sinter::detail {

struct snapshot {
  /// The structure, in words: equal keys are equal graphs but for their numbers.
  key_words key;
  /// The sizes, strides and offsets of the graph, each once; -1, 0 and 1 stand in the key.
  std::vector<std::int64_t> numbers;
  std::vector<node*> pending;        // in topological order
  std::vector<node*> sources;        // per source node of the graph
  std::vector<scalar_word> scalars;  // per scalar or random node of the graph
  std::vector<node*> outputs;        // per output of the graph
  std::vector<any_array> held;       // further outputs of the calls in it
  bool goes_on = false;              // given: see evaluate_to_go_on
  bool checked = false;              // some node of it carries checks
  const node* placeholder = nullptr; // a pending node of it that will never have a value
  bool outsiders = false;            // somebody holds a pending node of it that is no root
  std::vector<node*> gathers;        // per check of the graph: the gather whose indices it is of
  std::vector<char> may_donate;      // per source: nobody will hold it after this evaluation

  // Room for taking it.
  std::vector<std::pair<node*, bool>> todo;
  std::vector<node*> late, statuses, unchecked;
  std::vector<dtype> scalar_types;
  std::unordered_map<std::int64_t, std::int32_t> places;  // of numbers, once there are many

  /// Empty again, but for the memory it has.
  void clear();
};

/// Equal scalars share a parameter, as far as the first so many go: comparing is quadratic.
inline constexpr int compared_scalars = 64;

/// Where a number stands among those of a snapshot; its own value for -1, 0 and 1.
struct number_place {
  std::int32_t index = -1;
  std::int64_t literal = 0;
};
number_place place_of(const snapshot&, std::int64_t number);

/// Is where a join's pieces end known to its plan as a place, rather than passed as a scalar?
bool borders_are_places(const node& join);

/// Walks the pending nodes; writes the key. REQUIRES: the evaluation lock; `into` is clear.
void take_snapshot(std::span<const any_array> roots, snapshot& into);

/// The graph of a snapshot, its numbers as symbols of the trace. Only needed when there is no plan
/// for its key.
ir::graph graph_of(const snapshot&, ir::trace&);

}  // namespace sinter::detail

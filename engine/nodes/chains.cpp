// How long chains of pending nodes get, and where they are cut.

#include <algorithm>

#include "engine/evaluation/evaluate.hpp"
#include "engine/nodes/node.hpp"
#include "engine/nodes/recording.hpp"
#include "engine/nodes/slabs.hpp"

namespace sinter::detail {
namespace {

/// Another thread may be settling it, and 0 must stay 0.
void shorten(node& view) {
  auto depth = view.depth.load(std::memory_order_acquire);
  while (depth > 1 && !view.depth.compare_exchange_weak(depth, 1)) {
  }
}

/// Chains up to this length go on: a condition on an index is no reason for a chain's length.
constexpr std::uint32_t short_depth = 8;

/// Collects, of what a node is made of, what makes its chain long. Views and pads stay as they are:
/// storing them would be a copy.
class long_inputs {
 public:
  void add(any_array x) {
    for (any_array below = read_elsewhere(x); below.valid(); below = read_elsewhere(x)) {
      shorten(*x.get());
      x = std::move(below);
    }
    const auto depth = x.get()->depth.load(std::memory_order_acquire);
    if (depth > short_depth) roots.push_back(std::move(x));
    else left = std::max(left, depth);
  }

  std::vector<any_array> roots;
  std::uint32_t left = 1;  // the longest chain of the others

 private:
  /// What a pending view or pad reads, but for a pad's condition, which is added here; nothing for
  /// any other node.
  any_array read_elsewhere(const any_array& x) {
    if (auto below = viewed(x)) return shown_by(std::move(below->first), x.shape(), below->second);
    if (x.get()->kind != ir::node_kind::pad) return {};
    const auto inputs = inputs_of(x);
    if (inputs.empty()) return {};
    add(inputs[1]);
    return inputs[0];
  }
};

/// Evaluates what makes the node's chain long; returns the length of what is left.
std::uint32_t evaluate_inputs(node& n) {
  long_inputs found;
  for (const any_array& input : n.inputs) found.add(input);
  evaluate_to_go_on(found.roots);
  return found.left;
}

std::uint32_t depth_below(const node& n) {
  const bool shows = n.kind == ir::node_kind::view && n.inputs.size() == 1;
  if (shows && n.inputs[0].get()->kind == ir::node_kind::update) {
    const any_array shown = shown_by(n.inputs[0], n.shape, n.map);
    return shown.get()->depth.load(std::memory_order_relaxed);
  }
  std::uint32_t below = 0;
  for (const any_array& input : n.inputs) {
    below = std::max(below, input.get()->depth.load(std::memory_order_relaxed));
  }
  return below;
}

/// A chain ends where the parts of an array have been assigned, not among them.
std::uint32_t longest_chain(const node& n) {
  if (recording_function()) return most_depth;
  const bool goes_on = n.kind == ir::node_kind::update && assigns_a_slab(n.inputs[0]);
  return max_depth + (goes_on ? most_slabs : 0);
}

}  // namespace

any_array finish(new_node n) {
  std::uint32_t below = depth_below(*n);
  if (below >= longest_chain(*n)) below = evaluate_inputs(*n);
  n->depth.store(below + 1, std::memory_order_relaxed);
  return any_array::take(n.release());
}

}  // namespace sinter::detail

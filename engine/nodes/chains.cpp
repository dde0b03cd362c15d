// The length of chains of pending nodes, and where they are cut.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "engine/evaluation/evaluate.hpp"
#include "engine/nodes/node.hpp"
#include "engine/nodes/recording.hpp"
#include "engine/nodes/slabs.hpp"

namespace sinter::detail {
namespace {

/// Another thread may be settling the node, and a depth of 0 must stay 0.
void shorten(node& view) {
  auto depth = view.depth.load(std::memory_order_acquire);
  while (depth > 1 && !view.depth.compare_exchange_weak(depth, 1)) {
  }
}

/// Shorter inputs, such as a condition on an index, do not make a chain long: they stay pending.
constexpr std::uint32_t short_depth = 8;

/// Collects the inputs that make a node's chain long. Views and pads stay pending: storing them
/// would be a copy.
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
  std::uint32_t left = 1;  // the longest chain that remains

 private:
  /// The input of a pending view or pad, invalid for any other node. A pad's condition is added
  /// here.
  any_array read_elsewhere(const any_array& x) {
    if (auto below = viewed(x))
      return shown_by(std::move(below->first), x.extents(), below->second);
    if (x.get()->kind != ir::node_kind::pad) return {};
    const auto inputs = inputs_of(x);
    if (inputs.empty()) return {};
    add(inputs[1]);
    return inputs[0];
  }
};

/// Evaluates the inputs that make the node's chain long; returns the length that remains.
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

/// The chain length at which a chain ends when slab-by-slab assignment of an array begins.
constexpr std::uint32_t whole_depth = max_depth / 2;

/// Is this update the first of a slab-by-slab assignment, with no unfinished one below, at the end
/// of a chain of at least whole_depth?
bool begins_anew(const node& n) {
  if (!std::has_single_bit(n.slabs)) return false;
  const any_array& base = n.inputs[0];
  return base.get()->depth.load(std::memory_order_relaxed) >= whole_depth && !leaves_slabs(base);
}

/// The length of x's chain after an evaluation; limited to `looks` nodes.
std::uint32_t measured(const any_array& x, int& looks) {
  std::atomic<std::uint32_t>& depth = x.get()->depth;
  auto told = depth.load(std::memory_order_acquire);
  if (told < whole_depth || looks-- <= 0) return told;
  std::uint32_t seen = 1;
  for (const any_array& in : inputs_of(x)) seen = std::max(seen, measured(in, looks) + 1);
  while (told > seen && !depth.compare_exchange_weak(told, seen)) {
  }
  return std::min(told, seen);
}

/// In a loop whose rounds assign an array slab by slab, a chain cut in the middle of a round would
/// compile to different kernels every time. So the chain ends early, before such an assignment.
std::uint32_t evaluate_base(const node& n) {
  evaluate_to_go_on({n.inputs.begin(), 1});
  int looks = 64;
  return measured(n.inputs[1], looks);
}

/// The statements at which the calling thread has cut chains. Rounds of a loop that are cut at the
/// same statements share kernels: thirty rounds of Sinkhorn's algorithm were 35 kernels and
/// compiled for 520 ms, now 11 and 130; twenty of a particle filter 61 and 1,140, now 26 and 470.
class cut_places {
 public:
  static std::uint64_t place_of(const node& n) {
    std::uint64_t h = n.program.hash;
    const auto add = [&](std::uint64_t word) { h = (h ^ word) * 0x9e3779b97f4a7c15u; };
    add(reinterpret_cast<std::uintptr_t>(n.where.file_name()));
    add(n.where.line());
    add(static_cast<std::uint64_t>(n.kind) << 8 | static_cast<std::uint64_t>(n.type));
    for (const std::int64_t e : n.shape) add(static_cast<std::uint64_t>(e));
    if (n.details) {
      for (const int a : n.details->reduction.axes) add(static_cast<std::uint64_t>(a));
    }
    return h;
  }
  bool known(std::uint64_t place) const { return std::ranges::count(places_, place) > 0; }
  void add(std::uint64_t place) {
    if (known(place)) return;
    places_[next_] = place;
    next_ = (next_ + 1) % places_.size();
  }

 private:
  std::array<std::uint64_t, 16> places_{};
  std::size_t next_ = 0;
};

/// Is this a round of a loop: is a node of the same statement among the inputs of n, near enough to
/// be in the same chain?
bool comes_again(const node& n, std::uint64_t place) {
  constexpr std::size_t most_looks = 96;
  std::vector<any_array> near(n.inputs.begin(), n.inputs.end());
  for (std::size_t i = 0; i < near.size() && i < most_looks; ++i) {
    const any_array x = near[i];
    if (x.get()->depth.load(std::memory_order_relaxed) == 0) continue;
    if (cut_places::place_of(*x.get()) == place) return true;
    for (const any_array& in : inputs_of(x)) {
      const auto same = [&](const any_array& other) { return other.get() == in.get(); };
      if (near.size() < most_looks && std::ranges::none_of(near, same)) near.push_back(in);
    }
  }
  return false;
}

/// Chains of this length may end at a statement where others have ended.
constexpr std::uint32_t cut_depth = 48;

/// Should the chain below n be cut?
bool ends_chain(const node& n, std::uint32_t below, std::uint32_t most) {
  if (below < cut_depth) return false;
  thread_local cut_places before;
  const std::uint64_t place = cut_places::place_of(n);
  // Not before an update: its value would be stored separately.
  const bool early = n.kind != ir::node_kind::update && n.kind != ir::node_kind::scatter;
  const bool ends = below >= most || (early && before.known(place) && comes_again(n, place));
  if (ends) before.add(place);
  return ends;
}

}  // namespace

any_array finish(new_node n) {
  std::uint32_t below = depth_below(*n);
  if (recording_function()) {
    if (below >= most_depth) below = evaluate_inputs(*n);
  } else {
    if (n->kind == ir::node_kind::update) n->slabs = slabs_of(*n);
    if (begins_anew(*n)) below = evaluate_base(*n);
    // Not in the middle of a slab-by-slab assignment.
    const bool goes_on = n->slabs != 0 && !std::has_single_bit(n->slabs);
    if (ends_chain(*n, below, max_depth + (goes_on ? most_slabs : 0))) below = evaluate_inputs(*n);
  }
  n->depth.store(below + 1, std::memory_order_relaxed);
  return any_array::take(n.release());
}

}  // namespace sinter::detail

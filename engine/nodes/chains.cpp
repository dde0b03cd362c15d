// How long chains of pending nodes get, and where they are cut.

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

/// How long a chain is that ends where an array begins to be assigned slab by slab.
constexpr std::uint32_t whole_depth = max_depth / 2;

/// Does an update begin to assign an array slab by slab, none of which is left to be assigned, at
/// the end of a chain so long?
bool begins_anew(const node& n) {
  if (!std::has_single_bit(n.slabs)) return false;
  const any_array& base = n.inputs[0];
  return base.get()->depth.load(std::memory_order_relaxed) >= whole_depth && !leaves_slabs(base);
}

/// The length of x's chain, now that some of it has been evaluated; so many nodes are looked at.
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

/// Where rounds of a loop assign an array slab by slab, a chain that ends within one would be other
/// kernels every time. So it ends before such an assignment, and early.
std::uint32_t evaluate_base(const node& n) {
  evaluate_to_go_on({n.inputs.begin(), 1});
  int looks = 64;
  return measured(n.inputs[1], looks);
}

/// Where chains of the calling thread were cut: at nodes of these statements. Rounds of a loop that
/// are cut where others were are the same kernels: thirty rounds of Sinkhorn's were 35 and compiled
/// for 520 ms, now 11 and 130, twenty of a particle filter 61 and 1,140, now 26 and 470.
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

/// Is there a node of the same statement among those that n is made of, near enough to be in one
/// chain with it: is this a round of a loop?
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

/// Chains of so many nodes may end where others have ended.
constexpr std::uint32_t cut_depth = 48;

/// Is it time to cut the chain below n?
bool ends_chain(const node& n, std::uint32_t below, std::uint32_t most) {
  if (below < cut_depth) return false;
  thread_local cut_places before;
  const std::uint64_t place = cut_places::place_of(n);
  // Not before an update: what is put there would be stored by itself.
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
    // Not among the slabs.
    const bool goes_on = n->slabs != 0 && !std::has_single_bit(n->slabs);
    if (ends_chain(*n, below, max_depth + (goes_on ? most_slabs : 0))) below = evaluate_inputs(*n);
  }
  n->depth.store(below + 1, std::memory_order_relaxed);
  return any_array::take(n.release());
}

}  // namespace sinter::detail

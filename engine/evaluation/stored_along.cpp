#include "engine/evaluation/stored_along.hpp"

#include <algorithm>

#include "engine/evaluation/follows.hpp"
#include "engine/nodes/slabs.hpp"

namespace sinter::detail {
namespace {

/// Results of libraries and updates are stored in any case.
bool kept_at_once(ir::node_kind k) {
  return k == ir::node_kind::call || k == ir::node_kind::result ||
         k == ir::node_kind::update || k == ir::node_kind::scatter;
}

/// Marks nodes that are read at other elements than where they are computed.
void mark_moved(const snapshot& s) {
  for (const node* n : s.pending) {
    const bool moves = n->kind == ir::node_kind::view || n->kind == ir::node_kind::pad ||
                       n->kind == ir::node_kind::gather;
    if (moves) n->inputs[0].get()->mark.moved = true;
    if (n->kind != ir::node_kind::join) continue;
    for (const any_array& piece : n->inputs) piece.get()->mark.moved = true;
  }
}

bool worth_storing(const node& n) {
  return n.kind != ir::node_kind::view && n.kind != ir::node_kind::pad &&
         n.kind != ir::node_kind::scalar && n.kind != ir::node_kind::iota &&
         n.kind != ir::node_kind::source;
}

bool held_outside(const node& n) {
  return !n.remembered && n.references.value() > n.mark.within;
}

/// Should n be stored because an unreleased node will need it? Results of libraries and updates are
/// stored in any case. A node that an earlier evaluation recomputed while it was still held has by
/// now been computed twice: the residuals of conjugate gradients were recomputed from those of
/// three rounds before, by different kernels every round.
bool kept_for_others(const node& n) {
  if (kept_at_once(n.kind)) return true;
  return n.passed && !held_outside(n) && worth_storing(n) && !follows_from_places(n);
}

/// Chain length from stored values above which a held node is stored when a chain is cut. Without
/// it, when the parameters' chain was cut, Adam's moments were recomputed from their first round,
/// 389 nodes, every 16 rounds (20 rounds of 300 x 200: 1,280 us, now 500). For the named values of
/// one long function, this stores at most all of them.
constexpr int long_chain = 32;

/// The longest chain of nodes between n and stored values. Call it in the order of the pending
/// nodes.
int measured(node& n) {
  int length = 0;
  for (const any_array& in : n.inputs) {
    const node& below = *in.get();
    if (!below.buffer && !below.mark.output) length = std::max(length, below.mark.length + 1);
  }
  n.mark.length = static_cast<std::uint8_t>(std::min(length, 255));
  return n.mark.length;
}

}  // namespace

void add_passed(snapshot& s, std::span<const any_array> roots) {
  const auto add = [&](node* n) {
    if (!n->mark.output) s.outputs.push_back(n);
    n->mark.output = true;
  };
  for (const any_array& r : roots) {
    if (!r.get()->buffer) add(r.get());
  }
  for (node* n : s.statuses) add(n);  // checks' statuses are always stored
  if (s.goes_on) mark_moved(s);
  for (node* n : s.pending) {
    const bool far = s.goes_on && measured(*n) >= long_chain;
    if (n->mark.output || !held_outside(*n) || !worth_storing(*n)) continue;
    s.outsiders = true;
    // The base of slab-by-slab assignments is stored before the first and after the last of them.
    if (node* base = s.goes_on ? assigned_by_slabs(*n) : nullptr) {
      if (!base->buffer && worth_storing(*base)) add(base);
      continue;
    }
    const bool again = far || n->passed || n->mark.moved || kept_at_once(n->kind);
    if (again && !follows_from_places(*n)) add(n);
    n->passed = true;
  }
}

void count_released(snapshot& s) {
  for (std::size_t i = s.pending.size(); i-- > 0;) {
    node* n = s.pending[i];
    bool goes = n->mark.output || n->references.value() == n->mark.released;
    if (!goes && kept_for_others(*n)) {
      n->mark.output = goes = true;
      s.outputs.push_back(n);
    }
    if (!goes) continue;
    for (const any_array& in : n->inputs) ++in.get()->mark.released;
  }
}

}  // namespace sinter::detail

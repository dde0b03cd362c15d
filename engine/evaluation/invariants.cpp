#include "engine/evaluation/invariants.hpp"

#include <unordered_set>
#include <vector>

#include "engine/evaluation/evaluate.hpp"
#include "engine/nodes/traced_region.hpp"

namespace sinter::detail {

namespace {

/// Float additions per element up to which a kernel recomputes an invariant instead of reading it.
constexpr int cheap = 32;

/// Values this small are read from the nearest cache. Recomputed in a body's kernels, a range of 16
/// doubles took 2.8 us a round; read, it takes 0.45.
constexpr std::int64_t small_bytes = 16 << 10;

std::int64_t bytes_of(const node& n) {
  return n.size() * static_cast<std::int64_t>(size_of(n.type));
}

int cost_of(const node& n) {
  int cost = 0;
  for (const ir::instruction& i : n.program.code) cost += ir::info(i.code).cost;
  return cost;
}

/// Is n already evaluated, or a node that needs no computation?
bool given(const node& n) {
  return n.depth.load(std::memory_order_acquire) == 0 || n.kind == ir::node_kind::scalar ||
         n.kind == ir::node_kind::source || n.kind == ir::node_kind::iota;
}

/// Does a node of this kind need its inputs in memory, or read them several times?
bool wants_memory(ir::node_kind k) {
  return k == ir::node_kind::call || k == ir::node_kind::gather || k == ir::node_kind::scatter;
}

class invariants {
 public:
  explicit invariants(std::span<node* const> arguments) {
    for (const node* n : arguments) region_.stand_in(n);
  }

  void look(const any_array& x) { region_.add(x); }

  std::vector<any_array> found() {
    for (const any_array& x : region_.nodes()) {
      for (const any_array& in : region_.inputs(x)) {
        if (!region_.depends(in)) weigh(in, x.get()->kind);
      }
    }
    return std::move(found_);
  }

 private:
  /// Finds the parts of x, which depends on no argument, that a reader of this kind should find in
  /// memory.
  void weigh(const any_array& x, ir::node_kind reader) {
    std::vector<any_array> todo{x};
    while (!todo.empty()) {
      const any_array at = std::move(todo.back());
      todo.pop_back();
      const node& n = *at.get();
      if (given(n) || !seen_.insert(&n).second) continue;
      if (n.unchecked.load(std::memory_order_acquire)) continue;
      if (is_kept(at, reader)) {
        found_.push_back(at);
        continue;
      }
      for (const any_array& in : region_.inputs(at)) todo.push_back(in);
    }
  }

  bool is_kept(const any_array& x, ir::node_kind reader) const {
    const node& n = *x.get();
    switch (n.kind) {
      case ir::node_kind::view:
      case ir::node_kind::pad: return false;  // its inputs are considered instead
      case ir::node_kind::map:
      case ir::node_kind::join: break;
      default: return true;
    }
    if (bytes_of(n) <= small_bytes) return true;
    // An expression of constants and coordinates reads nothing: only its arithmetic counts.
    const below b = all_below(x);
    if (b.cost > cheap) return true;
    if (bytes_of(n) > b.bytes) return false;
    return wants_memory(reader) || 2 * b.bytes >= 3 * bytes_of(n);
  }

  /// What a kernel that recomputes n reads in all, and computes per element.
  struct below {
    int cost = 0;
    std::int64_t bytes = 0;
  };
  below all_below(const any_array& top) const {
    below all;
    std::vector<any_array> todo{top};
    std::unordered_set<const node*> seen;
    while (!todo.empty() && all.cost <= cheap) {
      const any_array x = std::move(todo.back());
      todo.pop_back();
      const node& n = *x.get();
      if (!seen.insert(&n).second) continue;
      const bool computed = n.kind == ir::node_kind::map || n.kind == ir::node_kind::view ||
                            n.kind == ir::node_kind::pad || n.kind == ir::node_kind::join;
      if (given(n) || !computed) {
        const bool lies = n.kind != ir::node_kind::iota && n.kind != ir::node_kind::scalar;
        if (lies) all.bytes += bytes_of(n);
        continue;
      }
      if (n.kind == ir::node_kind::map) all.cost += cost_of(n);
      for (const any_array& in : region_.inputs(x)) todo.push_back(in);
    }
    return all;
  }

  region region_;
  std::unordered_set<const node*> seen_;
  std::vector<any_array> found_;
};

}  // namespace

void compute_invariants(std::span<const any_array> results, std::span<node* const> arguments,
                        location where) {
  std::vector<any_array> found;
  {
    // The caller's handles, this one included, mark the nodes as live.
    invariants all(arguments);
    for (const any_array& x : results) all.look(x);
    found = all.found();
  }
  if (!found.empty()) evaluate_operands(found, "fuse", where);
}

}  // namespace sinter::detail

#include "engine/evaluation/invariants.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/evaluation/evaluate.hpp"
#include "ir/meaning.hpp"

namespace sinter::detail {

namespace {

/// Float additions an element that a kernel makes again rather than read what they give.
constexpr int cheap = 32;

std::int64_t bytes_of(const node& n) {
  return n.size() * static_cast<std::int64_t>(size_of(n.type));
}

int cost_of(const node& n) {
  int cost = 0;
  for (const ir::instruction& i : n.program.code) cost += ir::info(i.code).cost;
  return cost;
}

/// Has a value, or is one that nothing computes.
bool given(const node& n) {
  return n.depth.load(std::memory_order_acquire) == 0 || n.kind == ir::node_kind::scalar ||
         n.kind == ir::node_kind::source || n.kind == ir::node_kind::iota;
}

/// Reads what it reads as a whole, in memory of its own, or several times.
bool wants_memory(ir::node_kind k) {
  return k == ir::node_kind::call || k == ir::node_kind::gather || k == ir::node_kind::scatter;
}

class invariants {
 public:
  explicit invariants(std::span<node* const> arguments) {
    for (node* n : arguments) depends_[n] = true;
  }

  /// Looks at all that x is computed from, inputs first.
  void look(const any_array& x) {
    std::vector<std::pair<any_array, bool>> todo{{x, false}};
    while (!todo.empty()) {
      const auto [at, leaving] = std::move(todo.back());
      todo.pop_back();
      if (leaving) {
        leave(at);
        continue;
      }
      if (!depends_.emplace(at.get(), false).second) continue;
      held_.push_back(at);
      auto& in = inputs_[at.get()] = inputs_of(at);
      todo.push_back({at, true});
      for (const any_array& i : in) todo.push_back({i, false});
    }
  }

  const std::vector<any_array>& found() {
    for (const auto& [x, reader] : edges_) weigh(x, reader);
    return found_;
  }

 private:
  bool depends(const any_array& x) const { return depends_.at(x.get()); }

  void leave(const any_array& x) {
    const auto& in = inputs_.at(x.get());
    if (std::ranges::none_of(in, [&](const any_array& i) { return depends(i); })) return;
    depends_[x.get()] = true;
    for (const any_array& i : in) {
      if (!depends(i)) edges_.emplace_back(i, x.get()->kind);
    }
  }

  /// What of x, which no argument changes, a reader of this kind had better find in memory.
  void weigh(const any_array& x, ir::node_kind reader) {
    std::vector<any_array> todo{x};
    while (!todo.empty()) {
      const any_array at = std::move(todo.back());
      todo.pop_back();
      const node& n = *at.get();
      if (given(n) || !seen_.insert(&n).second) continue;
      if (n.unchecked.load(std::memory_order_acquire)) continue;
      if (is_kept(n, reader)) {
        found_.push_back(at);
        continue;
      }
      for (const any_array& in : inputs_.at(&n)) todo.push_back(in);
    }
  }

  bool is_kept(const node& n, ir::node_kind reader) {
    switch (n.kind) {
      case ir::node_kind::view:
      case ir::node_kind::pad: return false;  // what is below them is
      case ir::node_kind::map: break;
      default: return true;
    }
    // A function of constants and coordinates alone reads nothing, so only what it computes counts.
    const below b = all_below(n);
    if (b.cost > cheap) return true;
    if (bytes_of(n) > b.bytes) return false;
    return wants_memory(reader) || 2 * b.bytes >= 3 * bytes_of(n);
  }

  /// What a kernel that computes n again would read, and compute for an element.
  struct below {
    int cost = 0;
    std::int64_t bytes = 0;
  };
  below all_below(const node& top) const {
    below all;
    std::vector<const node*> todo{&top};
    std::unordered_set<const node*> seen;
    while (!todo.empty() && all.cost <= cheap) {
      const node& n = *todo.back();
      todo.pop_back();
      if (!seen.insert(&n).second) continue;
      const bool computed = n.kind == ir::node_kind::map || n.kind == ir::node_kind::view ||
                            n.kind == ir::node_kind::pad;
      if (given(n) || !computed) {
        const bool lies = n.kind != ir::node_kind::iota && n.kind != ir::node_kind::scalar;
        if (lies) all.bytes += bytes_of(n);
        continue;
      }
      if (n.kind == ir::node_kind::map) all.cost += cost_of(n);
      for (const any_array& in : inputs_.at(&n)) todo.push_back(in.get());
    }
    return all;
  }

  std::unordered_map<const node*, bool> depends_;
  std::unordered_map<const node*, std::vector<any_array>> inputs_;
  std::unordered_set<const node*> seen_;
  std::vector<std::pair<any_array, ir::node_kind>> edges_;  // what none changes, and who reads it
  std::vector<any_array> held_, found_;
};

}  // namespace

void compute_invariants(std::span<const any_array> results, std::span<node* const> arguments,
                        location where) {
  invariants all(arguments);
  for (const any_array& x : results) all.look(x);
  const std::vector<any_array>& found = all.found();
  if (!found.empty()) evaluate(found, "fuse", where);
}

}  // namespace sinter::detail

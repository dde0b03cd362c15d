#include "engine/nodes/traced_region.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

namespace sinter::detail {

void region::add(const any_array& root) {
  std::vector<std::pair<any_array, bool>> todo{{root, false}};
  while (!todo.empty()) {
    auto [x, leaving] = std::move(todo.back());
    todo.pop_back();
    if (leaving) {
      leave(x);
      continue;
    }
    if (!depends_.emplace(x.get(), false).second) continue;
    held_.push_back(x);
    const auto& inputs = inputs_[x.get()] = inputs_of(x);
    todo.push_back({x, true});
    for (const any_array& in : inputs) todo.push_back({in, false});
  }
}

void region::leave(const any_array& x) {
  const bool any =
      std::ranges::any_of(inputs_[x.get()], [&](const any_array& in) { return depends(in); });
  if (!any) return;
  depends_[x.get()] = true;
  order_.push_back(x);
}

bool needs_stand_in(const any_array& x) {
  std::vector<any_array> todo{x};
  std::unordered_set<const node*> seen;
  while (!todo.empty()) {
    const any_array next = std::move(todo.back());
    todo.pop_back();
    if (!seen.insert(next.get()).second) continue;
    const node& n = *next.get();
    if (n.kind == ir::node_kind::source && !n.buffer) return true;
    std::ranges::move(inputs_of(next), std::back_inserter(todo));
  }
  return false;
}

}  // namespace sinter::detail

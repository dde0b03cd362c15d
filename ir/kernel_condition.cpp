#include "ir/kernel_condition.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace sinter::ir {
namespace {

/// Per instruction: is its value the same for all elements?
std::vector<bool> same_for_all(const kernel& k) {
  std::vector<bool> same(k.body.size());
  for (std::size_t n = 0; n < k.body.size(); ++n) {
    const inst& i = k.body[n];
    if (i.kind == inst_kind::scalar || i.kind == inst_kind::constant) same[n] = true;
    if (i.kind == inst_kind::load) {
      const access& a = k.operands[static_cast<std::size_t>(i.which)].access;
      same[n] =
          a.unravel == 0 && std::ranges::all_of(a.steps, [](step s) { return s == step::zero; });
    }
    if (i.kind == inst_kind::compute) {
      same[n] = std::ranges::all_of(arguments_of(i),
                                    [&](int a) { return same[static_cast<std::size_t>(a)]; });
    }
  }
  return same;
}

/// The conditions that must hold for a condition to hold, itself included.
void add_terms(const kernel& k, int condition, std::set<int>& terms) {
  if (!terms.insert(condition).second) return;
  const inst& i = k.body[static_cast<std::size_t>(condition)];
  const bool both = i.kind == inst_kind::compute && is_bool(i.type) &&
                    (i.code == op::logical_and || i.code == op::bitwise_and);
  if (!both) return;
  add_terms(k, i.args[0], terms);
  add_terms(k, i.args[1], terms);
}

}  // namespace

int condition_of(const kernel& k) {
  std::optional<std::set<int>> common;
  for (const inst& i : k.body) {
    if (i.kind != inst_kind::store && i.kind != inst_kind::loop) continue;
    if (i.kind == inst_kind::loop || i.args[1] < 0) return -1;
    std::set<int> terms;
    add_terms(k, i.args[1], terms);
    if (common) std::erase_if(terms, [&](int t) { return !common->contains(t); });
    common = std::move(terms);
  }
  if (!common) return -1;
  const std::vector<bool> same = same_for_all(k);
  for (const int t : *common) {
    const inst_kind by = k.body[static_cast<std::size_t>(t)].kind;
    if (same[static_cast<std::size_t>(t)] && by != inst_kind::constant) return t;
  }
  return -1;
}

}  // namespace sinter::ir

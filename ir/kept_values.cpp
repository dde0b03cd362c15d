#include "ir/kept_values.hpp"

#include <algorithm>

namespace sinter::ir {
namespace {

/// In the cost units of the op table: cheaper values are recomputed.
constexpr int worth_keeping = 10;

constexpr std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Per instruction: does its own walk compute it anyway, for a reduction?
std::vector<bool> made_in_their_walk(const kernel& k, const std::vector<int>& phases) {
  std::vector<bool> made(k.body.size());
  for (std::size_t i = k.body.size(); i-- > 0;) {
    const inst& n = k.body[i];
    if (n.kind != inst_kind::reduce && !made[i]) continue;
    for (std::int32_t a : n.args) {
      if (a >= 0 && k.body[at(a)].inner && phases[at(a)] == phases[i]) made[at(a)] = true;
    }
  }
  return made;
}

/// The cost of recomputing instruction i, apart from what is in `kept`; loads are free.
int cost_of(const kernel& k, std::size_t i, const std::vector<bool>& kept,
            std::vector<bool>& counted) {
  if (counted[i] || kept[i] || !k.body[i].inner) return 0;
  counted[i] = true;
  int cost = k.body[i].kind == inst_kind::compute ? info(k.body[i].code).cost : 0;
  for (std::int32_t a : k.body[i].args) {
    if (a >= 0) cost += cost_of(k, at(a), kept, counted);
  }
  return cost;
}

}  // namespace

std::vector<int> kept_values(const kernel& k) {
  if (k.reduced != 1 || k.schedule.split || k.schedule.lanes != lane_axis::reduced) return {};
  const std::vector<int> phases = phases_of(k);
  const std::vector<bool> made = made_in_their_walk(k, phases);
  std::vector<bool> wanted(k.body.size()), kept(k.body.size());
  for (std::size_t i = 0; i < k.body.size(); ++i) {
    if (!k.body[i].inner || k.body[i].kind == inst_kind::scan) continue;
    for (std::int32_t a : k.body[i].args) {
      if (a >= 0 && made[at(a)] && phases[at(a)] < phases[i]) wanted[at(a)] = true;
    }
  }
  std::vector<int> result;
  for (std::size_t i = 0; i < k.body.size(); ++i) {
    const bool number = k.body[i].kind == inst_kind::compute && is_real(k.body[i].result);
    std::vector<bool> counted(k.body.size());
    if (!wanted[i] || !number || cost_of(k, i, kept, counted) < worth_keeping) continue;
    kept[i] = true;
    result.push_back(static_cast<int>(i));
  }
  return result;
}

}  // namespace sinter::ir

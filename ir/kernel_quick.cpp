#include "ir/kernel_quick.hpp"

#include <algorithm>

namespace sinter::ir {

bool has_quick_form(const inst& i) {
  const bool wide = i.type == dtype::float32 || i.type == dtype::float64;
  return i.kind == inst_kind::compute && wide && (i.code == op::divide || i.code == op::sqrt);
}

int quick_forms(const kernel& k) {
  const bool walks = k.reduced > 0;
  const auto counts = [&](const inst& i) { return i.inner == walks && has_quick_form(i); };
  return static_cast<int>(std::ranges::count_if(k.body, counts));
}

namespace {

constexpr int many_quotients = 16;

bool is_computed_again(const inst& i) {
  switch (i.kind) {
    case inst_kind::load:
    case inst_kind::index:
    case inst_kind::scalar:
    case inst_kind::constant:
    case inst_kind::compute:
      return true;
    default:
      return false;
  }
}

/// Is there one walk, by vectors along the row, whose elements are accumulated and nothing else?
bool is_plain_walk(const kernel& k) {
  const std::vector<int> phases = phases_of(k);
  for (std::size_t i = 0; i < k.body.size(); ++i) {
    const inst& at = k.body[i];
    if (at.kind == inst_kind::scan) return false;
    if (at.inner && (phases[i] > 0 || !is_computed_again(at))) return false;
  }
  const schedule& s = k.schedule;
  return s.lanes == lane_axis::reduced && s.vector > 1 && !s.resident && !s.pieces && s.staged == 0;
}

}  // namespace

bool can_be_quick(const kernel& k) {
  const auto again = [](const inst& i) {
    return is_computed_again(i) ||
           (i.kind == inst_kind::store && i.args[1] < 0 && i.args[2] < 0);
  };
  if (k.schedule.target != target::gpu || !k.loops.empty() || !k.parts.empty()) return false;
  if (k.reduced > 0) return is_plain_walk(k);
  return k.schedule.held == 0 && std::ranges::all_of(k.body, again);
}

bool calls_quotients(const kernel& k) {
  const auto divides = [&](const inst& i) {
    return has_quick_form(i) && i.code == op::divide && i.type == dtype::float64;
  };
  const auto reads = [](const operand& o) { return o.role == operand_role::input; };
  const auto quotients = std::ranges::count_if(k.body, divides);
  return !k.schedule.quick && quotients >= many_quotients &&
         std::ranges::count_if(k.operands, reads) >= quotients;
}

}  // namespace sinter::ir

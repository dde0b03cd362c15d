#include "ir/passes/sweep.hpp"

#include <algorithm>
#include <numeric>

namespace sinter::ir {
namespace {

/// Does a CPU walk a row otherwise than element by element?
bool walks_in_turns(const kernel& k) {
  if (k.schedule.target != target::cpu) return false;
  return k.schedule.pieces ||
         std::ranges::any_of(k.operands, [](const operand& o) { return o.apart > 0; });
}

bool is_plain_map(const kernel& k) {
  if (!k.parts.empty() || k.reduced > 0 || k.schedule.held > 0 || !k.loops.empty()) return false;
  if (walks_in_turns(k)) return false;
  const bool stands = std::ranges::all_of(k.body, [](const inst& i) {
    return i.kind != inst_kind::store || (i.args[1] < 0 && i.args[2] < 0);
  });
  return stands && std::ranges::none_of(k.operands, [](const operand& o) {
           return o.role == operand_role::state || o.role == operand_role::tile;
         });
}

/// Is the operand read or written at the point itself, and nowhere else?
bool is_placed(const kernel& k, std::size_t which) {
  const operand& o = k.operands[which];
  if (o.access.unravel > 0 || o.role == operand_role::index) return false;
  return std::ranges::none_of(k.body, [&](const inst& i) {
    return i.kind == inst_kind::gather && static_cast<std::size_t>(i.which) == which;
  });
}

void read_slots(const plan_step& s, sweep& w) {
  const kernel& k = *w.code;
  w.places.resize(k.operands.size());
  for (std::size_t o = 0; o < k.operands.size(); ++o) {
    for (step how : k.operands[o].access.steps) {
      w.places[o].strides.push_back(how == step::one ? 1 : 0);
    }
  }
  const std::vector<slot> slots = slots_of(k);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const slot& what = slots[i];
    const slot_value& v = s.slots[i];
    if (what.kind == slot_kind::extent) w.extents.push_back(v.bits);
    if (what.kind != slot_kind::stride && what.kind != slot_kind::pointer) continue;
    sweep_place& p = w.places[static_cast<std::size_t>(what.which)];
    if (what.kind == slot_kind::stride) {
      p.strides[static_cast<std::size_t>(what.axis)] = v.bits;
    } else if (is_placed(k, static_cast<std::size_t>(what.which))) {
      p.buffer = v.index;
      p.offset = v.bits / size_of(k.operands[static_cast<std::size_t>(what.which)].type);
    }
  }
}

/// Does every point have an element of its own?
bool spreads(const sweep& w, const sweep_place& p) {
  for (std::size_t a = 0; a < w.extents.size(); ++a) {
    if (p.strides[a] <= 0 && w.extents[a] != 1) return false;
  }
  return true;
}

bool writes_alone(const plan& p, const sweep& w, const std::vector<int>& writers) {
  return std::ranges::all_of(p.steps[w.step].outputs, [&](std::int32_t b) {
    int own = 1;
    for (std::size_t i = w.first; i < w.step; ++i) own += p.steps[i].outputs[0] == b;
    return writers[static_cast<std::size_t>(b)] == own;
  });
}

}  // namespace

std::vector<int> writers_of(const plan& p) {
  std::vector<int> writers(p.buffers.size());
  for (const plan_step& s : p.steps) {
    for (std::int32_t b : s.outputs) {
      if (b >= 0) ++writers[static_cast<std::size_t>(b)];
    }
  }
  return writers;
}

std::optional<sweep> sweep_of(const plan& p, std::size_t at, const std::vector<int>& writers) {
  const plan_step& s = p.steps[at];
  if (s.what != plan_step::kind::kernel) return std::nullopt;
  sweep w;
  w.code = &p.kernels[static_cast<std::size_t>(s.kernel)];
  w.first = w.step = at;
  if (!is_plain_map(*w.code)) return std::nullopt;
  while (w.first > 0 && p.steps[w.first - 1].what == plan_step::kind::copy &&
         std::ranges::count(s.outputs, p.steps[w.first - 1].outputs[0]) > 0) {
    --w.first;
  }
  if (!writes_alone(p, w, writers)) return std::nullopt;
  read_slots(s, w);
  w.axes.resize(w.extents.size());
  std::iota(w.axes.begin(), w.axes.end(), 0);
  for (std::size_t o = 0; o < w.places.size(); ++o) {
    if (w.code->operands[o].role != operand_role::output) continue;
    if (w.places[o].buffer < 0 || !spreads(w, w.places[o])) return std::nullopt;
  }
  return w;
}

std::optional<sweep> spread_over(const sweep& w, const extent_list& strides) {
  const auto out = std::ranges::find_if(
      w.code->operands, [](const operand& o) { return o.role == operand_role::output; });
  if (out == w.code->operands.end()) return std::nullopt;
  const sweep_place& to = w.places[static_cast<std::size_t>(out - w.code->operands.begin())];
  sweep wide = w;
  wide.axes.clear();
  std::size_t axis = 0;
  for (std::size_t a = 0; a < w.extents.size(); ++a, ++axis) {
    while (axis < strides.size() && strides[axis] != to.strides[a]) ++axis;
    if (axis == strides.size()) return std::nullopt;
    wide.axes.push_back(static_cast<int>(axis));
  }
  wide.extents.assign(strides.size(), 1);
  // Along an axis of one place any stride would do; the one it writes with describes the array.
  for (std::size_t o = 0; o < wide.places.size(); ++o) {
    const bool writes = w.code->operands[o].role == operand_role::output;
    wide.places[o].strides = writes ? strides : extent_list(strides.size(), 0);
  }
  for (std::size_t a = 0; a < w.extents.size(); ++a) {
    const auto here = static_cast<std::size_t>(wide.axes[a]);
    wide.extents[here] = w.extents[a];
    for (std::size_t o = 0; o < w.places.size(); ++o) {
      wide.places[o].strides[here] = w.places[o].strides[a];
    }
  }
  return wide;
}

const sweep& largest_of(std::span<const sweep> sweeps) {
  std::size_t most = 0;
  for (std::size_t s = 1; s < sweeps.size(); ++s) {
    if (points_of(sweeps[most]) < points_of(sweeps[s])) most = s;
  }
  return sweeps[most];
}

std::optional<std::vector<std::int64_t>> coordinates_of(extent offset, const extent_list& strides) {
  std::vector<std::int64_t> at(strides.size(), 0);
  std::int64_t rest = offset.peek();
  extent sum = 0;
  for (std::size_t a = 0; a < strides.size(); ++a) {
    const std::int64_t stride = strides[a].peek();
    if (stride <= 0) continue;
    at[a] = rest / stride;
    rest %= stride;
    sum += strides[a] * at[a];
  }
  // The numbers were only peeked at: this comparison is the condition that the plan depends on.
  if (offset < 0 || !(sum == offset)) return std::nullopt;
  return at;
}

}  // namespace sinter::ir

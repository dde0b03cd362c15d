#include "ir/stack_parts.hpp"

#include <algorithm>

#include "ir/kernel_stack.hpp"

namespace sinter::ir {
namespace {

bool stores(const inst& i) { return i.kind == inst_kind::store; }

bool stores_to_tile(const kernel& part, const inst& i) {
  return stores(i) && in_tile(part, i.which);
}

bool stores_to_memory(const kernel& part, const inst& i) {
  return stores(i) && !in_tile(part, i.which);
}

/// Turns tiles into arrays, with any strides except along the last axis.
kernel with_arrays(const kernel& part) {
  kernel k = part;
  k.beyond = {};
  k.around = false;
  for (operand& o : k.operands) {
    o.like = -1;
    if (o.role != operand_role::tile) continue;
    o.role = operand_role::input;
    o.tile = -1;
    o.shift.clear();
    o.access.steps.assign(static_cast<std::size_t>(k.kept), step::any);
    o.access.steps.back() = step::one;
  }
  return k;
}

/// The part with only those of its stores for which `wanted` holds.
template <class F> kernel storing(const kernel& part, F wanted) {
  kernel k = with_arrays(part);
  for (std::size_t n = 0; n < k.body.size(); ++n) {
    inst& i = k.body[n];
    if (!stores(i)) continue;
    if (wanted(part, part.body[n])) {
      k.operands[static_cast<std::size_t>(i.which)].role = operand_role::output;
      continue;
    }
    inst nothing;
    nothing.kind = inst_kind::constant;
    nothing.type = nothing.result = i.type;
    i = nothing;
  }
  return k;
}

/// The tile in which a part also stores what it stores in memory; -1: none.
std::int32_t twin_of(const kernel& part, const inst& in_memory) {
  const auto twin = std::ranges::find_if(part.body, [&](const inst& i) {
    return stores_to_tile(part, i) && i.args[0] == in_memory.args[0] && i.part == in_memory.part;
  });
  return twin == part.body.end() ? -1 : twin->which;
}

/// Copies from tiles what the part stores in memory. REQUIRES: each such store has a twin.
kernel copying(const kernel& part) {
  kernel k = with_arrays(part);
  k.body.clear();
  for (const inst& i : part.body) {
    if (!stores_to_memory(part, i)) continue;
    inst load;
    load.kind = inst_kind::load;
    load.type = load.result = i.type;
    load.which = twin_of(part, i);
    inst store = i;
    store.args[0] = static_cast<std::int32_t>(k.body.size());
    k.body.push_back(load);
    k.body.push_back(store);
    k.operands[static_cast<std::size_t>(i.which)].role = operand_role::output;
  }
  return k;
}

}  // namespace

std::vector<plain_part> plain_parts(const kernel& stack) {
  std::vector<plain_part> all;
  for (std::size_t p = 0; p < stack.parts.size(); ++p) {
    const kernel& part = stack.parts[p];
    bool to_tiles = false, to_memory = false, copies = true;
    for (const inst& i : part.body) {
      to_tiles |= stores_to_tile(part, i);
      if (!stores_to_memory(part, i)) continue;
      to_memory = true;
      copies = copies && twin_of(part, i) >= 0;
    }
    // Stores to memory come first: their values are computed from tiles that the part may
    // overwrite.
    if (to_memory && !copies) all.push_back({storing(part, stores_to_memory), p, false});
    if (to_tiles) all.push_back({storing(part, stores_to_tile), p, true});
    if (to_memory && copies) all.push_back({copying(part), p, false});
  }
  return all;
}

bool moves_with_box(const kernel& code, const slot& s) {
  if (s.kind != slot_kind::start && s.kind != slot_kind::pointer) return false;
  const operand& o = code.operands[static_cast<std::size_t>(s.which)];
  const bool counted = o.access.unravel > 0 || o.role == operand_role::index;
  return (s.kind == slot_kind::start) == counted;
}

}  // namespace sinter::ir

#pragma once
// What a stack of sweeps saves.

#include <set>

#include "ir/passes/stack_layout.hpp"

namespace sinter::ir {

/// Does a point take so long that a thread should not have several, one after the other?
bool is_dear(const sweep&, const machine&);

/// Does the sweep read, around its points, what the array that it updates starts from? Alone it
/// copies that first.
bool copies_its_base(const plan&, const sweep&, const update_bases&);

/// Seconds: what the sweeps take one by one, less what they take as a stack. `kept`: what they
/// write that others read.
double stack_gain(const plan&, std::span<const sweep>, const stack_layout&,
                  const std::set<std::int32_t>& kept, const update_bases&, const machine&);

}  // namespace sinter::ir

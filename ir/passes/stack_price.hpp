#pragma once
// Estimates what a stack of sweeps saves.

#include <set>

#include "ir/passes/stack_layout.hpp"

namespace sinter::ir {

/// Is a point so expensive that a thread should not compute several in sequence?
bool is_dear(const sweep&, const machine&);

/// Does the sweep read the base of the array it updates around its points? Run alone, it copies the
/// base first.
bool copies_its_base(const plan&, const sweep&, const update_bases&);

/// Seconds: the time of the sweeps one by one, minus that of the stack. `kept`: buffers they write
/// that other steps read.
double stack_gain(const plan&, std::span<const sweep>, const stack_layout&,
                  const std::set<std::int32_t>& kept, const update_bases&, const machine&);

}  // namespace sinter::ir

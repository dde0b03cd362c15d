#pragma once
// What a stack of sweeps saves.

#include <set>

#include "ir/passes/stack_layout.hpp"

namespace sinter::ir {

/// Seconds: what the sweeps take one by one, less what they take as a stack; 0 where one is too
/// dear, or all are too small, for that to be known. `kept`: what they write that others read.
double stack_gain(const plan&, std::span<const sweep>, const stack_layout&,
                  const std::set<std::int32_t>& kept, const update_bases&, const machine&);

}  // namespace sinter::ir

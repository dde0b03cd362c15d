#pragma once
// build_stack: builds the kernel and the plan step of sweeps that are laid out as a stack.
//
// Why: whether a block has room for a stack's tiles, and a launch for its arguments, is known only
// when it is built, so stack_sweeps builds what it considers.

#include <optional>
#include <set>

#include "ir/passes/stack_layout.hpp"

namespace sinter::ir {

struct built_stack {
  ir::kernel kernel;
  kernel_report report;
  plan_step step;  // its kernel index is not set yet
};

/// `kept`: buffers that other steps read. Nothing if a block has no room for the tiles, or a launch
/// none for the arguments.
std::optional<built_stack> build_stack(const plan&, std::span<const sweep>, const stack_layout&,
                                       const std::set<std::int32_t>& kept, const machine&);

}  // namespace sinter::ir

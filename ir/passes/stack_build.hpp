#pragma once
// The kernel, and the step, of sweeps that are laid out as a stack.

#include <optional>
#include <set>

#include "ir/passes/stack_layout.hpp"

namespace sinter::ir {

struct built_stack {
  ir::kernel kernel;
  kernel_report report;
  plan_step step;  // its kernel is yet to be numbered
};

/// `kept`: buffers that somebody else reads. Nothing where a block has no room for the tiles, or a
/// launch for the arguments.
std::optional<built_stack> build_stack(const plan&, std::span<const sweep>, const stack_layout&,
                                       const std::set<std::int32_t>& kept, const machine&);

}  // namespace sinter::ir

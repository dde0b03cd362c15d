#pragma once
// Emits a stack (ir/kernel_stack.hpp): its parts as functions, equal ones once, and the loop over
// boxes that calls them.

#include "codegen/llvm/coder.hpp"

namespace sinter::codegen::cpu {

/// REQUIRES: ir::is_stack(k); the coder has emitted nothing yet.
void write_stack(coder&, const ir::kernel& k);

}  // namespace sinter::codegen::cpu

#pragma once
// Writes a stack (ir/kernel_stack.hpp): its parts as functions, each once however many look alike,
// and the loop over boxes that calls them.

#include "codegen/llvm/coder.hpp"

namespace sinter::codegen::cpu {

/// REQUIRES: ir::is_stack(k); the coder has written nothing yet.
void write_stack(coder&, const ir::kernel& k);

}  // namespace sinter::codegen::cpu

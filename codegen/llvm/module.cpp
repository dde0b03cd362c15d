// The compiler's way out of the LLVM module.

#include "codegen/llvm/llvm_compiler.hpp"

extern "C" __attribute__((visibility("default"))) sinter::codegen::compiler*
sinter_llvm_compiler() {
  return new sinter::codegen::llvm_compiler;
}

/// For the CPU of a name that LLVM knows ("x86-64-v3"); this machine must be able to run what it
/// can.
extern "C" __attribute__((visibility("default"))) sinter::codegen::compiler*
sinter_llvm_compiler_for(const char* cpu) {
  return new sinter::codegen::llvm_compiler(cpu);
}

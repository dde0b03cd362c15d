// The entry points of the LLVM module: they create compilers.

#include "codegen/llvm/llvm_compiler.hpp"

extern "C" __attribute__((visibility("default"))) sinter::codegen::compiler*
sinter_llvm_compiler() {
  return new sinter::codegen::llvm_compiler;
}

/// For a CPU by LLVM's name ("x86-64-v3"), all of whose instructions this machine must support.
extern "C" __attribute__((visibility("default"))) sinter::codegen::compiler*
sinter_llvm_compiler_for(const char* cpu) {
  return new sinter::codegen::llvm_compiler(cpu);
}

// The entry point of the CUDA module: it creates a compiler.

#include "codegen/nvrtc/compiler.hpp"

/// The caller owns the compiler. Throws sinter::codegen::compile_error if NVRTC cannot be opened.
extern "C" [[gnu::visibility("default")]] sinter::codegen::compiler* sinter_cuda_compiler(
    const char* architecture) {
  return new sinter::codegen::nvrtc_compiler(architecture);
}

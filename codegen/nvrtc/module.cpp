// What the engine asks of the CUDA module: a compiler.

#include "codegen/nvrtc/compiler.hpp"

/// The caller owns the compiler. Throws sinter::codegen::compile_error when NVRTC cannot be opened.
extern "C" [[gnu::visibility("default")]] sinter::codegen::compiler* sinter_cuda_compiler(
    const char* architecture) {
  return new sinter::codegen::nvrtc_compiler(architecture);
}

// The entry point through which the loader is reached in the LLVM module.

#include "runtime/llvm/object_loader.hpp"

extern "C" __attribute__((visibility("default"))) sinter::runtime::object_loader*
sinter_llvm_loader() {
  return new sinter::runtime::llvm_loader;
}

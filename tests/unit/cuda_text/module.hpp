#pragma once
// The CUDA module, opened as the engine opens it.

#include <memory>
#include <string>

#include <dlfcn.h>

#include "codegen/compiler.hpp"
#include "runtime/device.hpp"

namespace sinter::tests {

/// The module's parts, and the reason if one is missing.
struct cuda_module {
  std::unique_ptr<codegen::compiler> compiler;
  std::unique_ptr<runtime::device> device;
  std::string problem;
};

template <class F> F* function_of(void* module, const char* name) {
  return reinterpret_cast<F*>(module ? dlsym(module, name) : nullptr);
}

/// The compiler for an architecture; on request also the first device, and then the compiler is for
/// its architecture.
inline cuda_module open_cuda(bool with_device) {
  cuda_module m;
  void* library = dlopen(SINTER_BINARY_DIR "/lib/libsinter_cuda.so", RTLD_NOW | RTLD_LOCAL);
  const auto make_compiler =
      function_of<codegen::compiler*(const char*)>(library, "sinter_cuda_compiler");
  const auto count = function_of<int()>(library, "sinter_cuda_device_count");
  const auto make_device = function_of<runtime::device*(int)>(library, "sinter_cuda_device");
  if (!make_compiler) {
    m.problem = dlerror();
    return m;
  }
  try {
    std::string architecture = "sm_90";
    if (with_device && (!count || !make_device || count() == 0)) {
      m.problem = "there is no CUDA device";
      return m;
    }
    if (with_device) {
      m.device.reset(make_device(0));
      architecture = m.device->properties().architecture;
    }
    m.compiler.reset(make_compiler(architecture.c_str()));
  } catch (const std::exception& e) {
    m.problem = e.what();
  }
  return m;
}

}  // namespace sinter::tests

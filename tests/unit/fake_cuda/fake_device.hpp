#pragma once
// The fake driver, its counters, and a device on it.

#include <memory>

#include <dlfcn.h>

#include "runtime/cuda/module.hpp"
#include "runtime/loader.hpp"
#include "tests/catch.hpp"
#include "tests/fake_cuda/driver.hpp"

/// Opens the fake driver first, so that the loader takes it for the real one.
inline fake_counts counts() {
  static void* const library = dlopen(SINTER_FAKE_CUDA, RTLD_NOW | RTLD_GLOBAL);
  REQUIRE(library);
  return reinterpret_cast<fake_counts (*)()>(dlsym(library, "fake_cuda_counts"))();
}

inline std::unique_ptr<sinter::runtime::device> make_device() {
  counts();
  const auto module = sinter::runtime::module_library::open("cuda");
  REQUIRE(module);
  return std::unique_ptr<sinter::runtime::device>(
      module.function<decltype(sinter_cuda_device)>("sinter_cuda_device")(0));
}

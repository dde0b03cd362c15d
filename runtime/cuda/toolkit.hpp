#pragma once
// Where libraries of the CUDA toolkit are.

#include <string>
#include <vector>

#include "runtime/dynamic_library.hpp"

#ifndef SINTER_CUDA_LIBDIR
#define SINTER_CUDA_LIBDIR ""
#endif

namespace sinter::runtime {

/// The first of `names`, where the loader finds it, where the toolkit of the build was, or where
/// NVIDIA's installer puts one.
inline dynamic_library open_toolkit_library(const std::vector<std::string>& names) {
  return dynamic_library::open(names, {SINTER_CUDA_LIBDIR, "/usr/local/cuda/lib64"});
}

}  // namespace sinter::runtime

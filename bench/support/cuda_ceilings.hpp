#pragma once
// The ceilings of a GPU: hand-written kernels, compiled by NVRTC like generated ones.

#include "bench/support/ceilings.hpp"

namespace bench {

/// REQUIRES: the current device is a GPU.
std::map<std::string, ceiling> cuda_ceilings(std::int64_t n);

}  // namespace bench

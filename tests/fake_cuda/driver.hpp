#pragma once
// See driver.cpp.

#include <cstdint>

using fake_kernel = void(const std::uint64_t* parameters, unsigned blocks);

/// What has been asked of the driver.
struct fake_counts {
  std::int64_t launches = 0, graphs = 0, changes = 0, graph_launches = 0;
};

extern "C" fake_counts fake_cuda_counts();

#pragma once
// See driver.cpp.

#include <cstdint>

using fake_kernel = void(const std::uint64_t* parameters, unsigned blocks);

/// What has been asked of the driver.
struct fake_counts {
  std::int64_t launches = 0, graphs = 0, changes = 0, graph_launches = 0, synchronized = 0;
  std::int64_t captured = 0;  // launches that became nodes of a graph
  std::uintptr_t recorded = 0, waiting = 0;  // the streams of the last event and of the last wait
  // Copies to the device: of pinned memory, at most so many at once; of any other.
  std::int64_t pinned_copies = 0, most_pending = 0, pageable_copies = 0;
  std::int64_t copies = 0;        // inside the device
  std::int64_t pinned_bytes = 0;  // taken with cuMemHostAlloc and not given back
};

extern "C" fake_counts fake_cuda_counts();

/// For kernels: the device's clock goes on.
extern "C" void fake_cuda_take(double seconds);
/// This kernel cannot be launched; null: all can.
extern "C" void fake_cuda_refuse(fake_kernel* kernel);
/// Whether a graph may have another in it.
extern "C" void fake_cuda_nests(bool graphs);
/// Whether the driver has a compiler, for images that are text.
extern "C" void fake_cuda_compiles(bool text);

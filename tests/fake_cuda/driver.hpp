#pragma once
// See driver.cpp.

#include <cstdint>

using fake_kernel = void(const std::uint64_t* parameters, unsigned blocks);

/// The calls made to the driver.
struct fake_counts {
  std::int64_t launches = 0, graphs = 0, changes = 0, graph_launches = 0, synchronized = 0;
  std::int64_t captured = 0;  // launches that became nodes of a graph
  std::uintptr_t recorded = 0, waiting = 0;  // streams of the last event and the last wait
  // Copies to the device: of pinned memory, and the most pending at once; of other memory.
  std::int64_t pinned_copies = 0, most_pending = 0, pageable_copies = 0;
  std::int64_t copies = 0;        // within the device
  std::int64_t pinned_bytes = 0;  // allocated by cuMemHostAlloc and not freed
};

extern "C" fake_counts fake_cuda_counts();

/// Called by kernels: advances the device's clock.
extern "C" void fake_cuda_take(double seconds);
/// Makes this kernel impossible to launch; null: none.
extern "C" void fake_cuda_refuse(fake_kernel* kernel);
/// Can a graph contain another one?
extern "C" void fake_cuda_nests(bool graphs);
/// Does the driver have a compiler for text images?
extern "C" void fake_cuda_compiles(bool text);

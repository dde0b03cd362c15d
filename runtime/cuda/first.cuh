#pragma once
// The first keys and positions of sorted rows: all are sorted in the workspace. REQUIRES: CUDA's
// runtime is included.
#include <cstddef>
#include <cstdint>

#include "runtime/sorter.hpp"

namespace sinter::runtime {

inline std::size_t aligned(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

using sort_function = cudaError_t(const sort_call& c, char* work, std::size_t* bytes,
                                  cudaStream_t stream);

inline cudaError_t take_first(const sort_call& c, const char* from, void* to, int element,
                              cudaStream_t stream) {
  if (!to) return cudaSuccess;
  const auto bytes = [&](std::int64_t count) { return static_cast<std::size_t>(count * element); };
  return cudaMemcpy2DAsync(to, bytes(c.wanted), from, bytes(c.length), bytes(c.wanted),
                           static_cast<std::size_t>(c.rows), cudaMemcpyDeviceToDevice, stream);
}

/// `Sort`: of whole rows.
template <sort_function Sort>
cudaError_t sort_first(const sort_call& c, char* work, std::size_t* bytes, cudaStream_t stream) {
  const auto room = [&](bool there, int element) {
    return there ? aligned(static_cast<std::size_t>(c.rows * c.length * element)) : 0;
  };
  const std::size_t keys = room(c.sorted, c.key_bytes);
  const std::size_t before = keys + room(c.positions, c.position_bytes);
  sort_call all = c;
  all.wanted = c.length;
  if (work && c.sorted) all.sorted = work;
  if (work && c.positions) all.positions = work + keys;
  std::size_t inner = 0;
  cudaError_t error = Sort(all, nullptr, &inner, stream);
  if (error != cudaSuccess || !work) {
    *bytes = before + inner;
    return error;
  }
  error = Sort(all, work + before, &inner, stream);
  if (error == cudaSuccess) error = take_first(c, work, c.sorted, c.key_bytes, stream);
  if (error != cudaSuccess) return error;
  return take_first(c, work + keys, c.positions, c.position_bytes, stream);
}

}  // namespace sinter::runtime

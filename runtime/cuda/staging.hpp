#pragma once
// Transfers between the device and ordinary host memory, through pinned memory for large ones.

#include <cstddef>
#include <mutex>
#include <vector>

#include "runtime/cuda/context.hpp"
#include "runtime/cuda/streams.hpp"
#include "runtime/thread_pool.hpp"

namespace sinter::runtime {

/// A large copy is chunked: while the device moves one chunk, host threads fill or drain the next.
/// One copy at a time does so; concurrent ones use the driver's own, slower way. Thread-safe.
class cuda_staging {
 public:
  /// REQUIRES: `context` outlives it.
  explicit cuda_staging(const cuda_context& context);
  ~cuda_staging();
  cuda_staging(const cuda_staging&) = delete;
  cuda_staging& operator=(const cuda_staging&) = delete;

  /// Returns when `from` may be reused; the copy is then queued.
  void to_device(cuda_stream& on, void* to, const void* from, std::size_t bytes);
  /// Returns when `to` holds the bytes.
  void to_host(cuda_stream& on, void* to, const void* from, std::size_t bytes);

 private:
  struct chunk {
    char* data;
    CUevent_st* moved;  // the device is done with it
  };

  bool prepare() noexcept;
  void release() noexcept;
  void copy_by_threads(void* to, const void* from, std::size_t bytes);
  void staged_to_device(cuda_stream& on, char* to, const char* from, std::size_t bytes);
  void staged_to_host(cuda_stream& on, char* to, const char* from, std::size_t bytes);

  const cuda_context& context_;
  std::mutex mutex_;  // held for a whole staged copy
  std::vector<chunk> chunks_;
  std::size_t next_ = 0;  // the chunk used longest ago
  std::unique_ptr<thread_pool> threads_;
};

}  // namespace sinter::runtime

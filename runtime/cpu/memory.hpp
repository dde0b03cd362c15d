#pragma once
// Host memory in segments, straight from the system.

#include <atomic>
#include <cstddef>

#include "runtime/pool.hpp"

namespace sinter::runtime {

/// Segments are mapped, on huge pages if available. The system overcommits memory and kills
/// processes that use it; so a request beyond what the host and the cgroup report as available is
/// refused here.
class host_memory_source final : public memory_source {
 public:
  host_memory_source();
  void* allocate(std::size_t bytes) override;
  void release(void* data, std::size_t bytes) noexcept override;
  std::size_t capacity() const override { return capacity_; }

 private:
  std::size_t capacity_;
  std::atomic<std::size_t> mapped_{0};
};

/// Owns a block of a pool of host memory. The address sanitizer treats the memory as out of bounds
/// once the block is released. REQUIRES: the pool outlives it; bytes > 0.
class pooled_block {
 public:
  pooled_block(memory_pool& pool, std::size_t bytes);
  ~pooled_block();
  pooled_block(const pooled_block&) = delete;
  pooled_block& operator=(const pooled_block&) = delete;
  void* data() const { return block_->data; }

 private:
  memory_pool& pool_;
  pool_block* block_;
};

}  // namespace sinter::runtime

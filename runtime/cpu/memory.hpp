#pragma once
// Host memory in segments, straight from the system.

#include <atomic>
#include <cstddef>

#include "runtime/pool.hpp"

namespace sinter::runtime {

/// Segments are mapped, on huge pages where there are any. The system promises more memory than it
/// has and kills whoever uses it; so what is not there is refused here, by what the host and the
/// cgroup say.
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

/// Owns a block of a pool of host memory. To the address sanitizer the memory is out of bounds once
/// the block is gone. REQUIRES: the pool outlives it; bytes > 0.
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

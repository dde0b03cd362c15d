#pragma once
// Workspaces of library calls.

#include <utility>

#include "runtime/cuda/streams.hpp"
#include "runtime/pool.hpp"

namespace sinter::runtime {

/// Device memory for work of one stream; its next user there comes after that work. Throws
/// device_error where that work is recorded.
class scratch {
 public:
  scratch(memory_pool& pool, std::size_t bytes, const cuda_stream& on) : pool_(&pool) {
    if (bytes == 0) return;
    on.takes_memory();
    block_ = pool.allocate(bytes, on.id());
  }
  scratch(scratch&& from) noexcept
      : pool_(from.pool_), block_(std::exchange(from.block_, nullptr)) {}
  scratch& operator=(scratch&&) = delete;
  ~scratch() {
    if (block_) pool_->free(block_);
  }
  /// Null when no bytes were asked for.
  void* data() const { return block_ ? block_->data : nullptr; }

 private:
  memory_pool* pool_;
  pool_block* block_ = nullptr;
};

}  // namespace sinter::runtime

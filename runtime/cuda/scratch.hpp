#pragma once
// Workspaces of library calls.

#include <utility>

#include "runtime/cuda/streams.hpp"
#include "runtime/pool.hpp"

namespace sinter::runtime {

/// Device memory for work of one stream; its next use there is ordered after that work. While work
/// is recorded, the stream's own memory.
class scratch {
 public:
  scratch(memory_pool& pool, std::size_t bytes, const cuda_stream& on) : pool_(&pool) {
    if (bytes == 0) return;
    if (on.recording()) {
      data_ = on.recorded_memory(bytes);
    } else {
      block_ = pool.allocate(bytes, on.id());
      data_ = block_->data;
    }
  }
  scratch(scratch&& from) noexcept
      : pool_(from.pool_), block_(std::exchange(from.block_, nullptr)), data_(from.data_) {}
  scratch& operator=(scratch&&) = delete;
  ~scratch() {
    if (block_) pool_->free(block_);
  }
  /// Null if no bytes were requested.
  void* data() const { return data_; }

 private:
  memory_pool* pool_;
  pool_block* block_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace sinter::runtime

#pragma once
// The pool's interface to CUDA: segments of device memory, and events.

#include <cstddef>
#include <vector>

#include "runtime/cuda/context.hpp"
#include "runtime/cuda/streams.hpp"
#include "runtime/pool.hpp"

namespace sinter::runtime {

class cuda_memory_source final : public memory_source {
 public:
  /// REQUIRES: `context` outlives it.
  explicit cuda_memory_source(const cuda_context& context);
  void* allocate(std::size_t bytes) override;
  void release(void* data, std::size_t bytes) noexcept override;
  std::size_t capacity() const override { return capacity_; }

 private:
  const cuda_context& context_;
  std::size_t capacity_ = 0;
};

/// A token is an event's address; 0 is a point already passed.
class cuda_events final : public stream_events {
 public:
  /// REQUIRES: both outlive it.
  cuda_events(const cuda_context& context, cuda_streams& streams);
  ~cuda_events() override;
  token record(stream_id) noexcept override;
  bool done(token) noexcept override;
  void wait(token) noexcept override;
  void forget(token) noexcept override;

 private:
  const cuda_context& context_;
  cuda_streams& streams_;
  std::size_t made_ = 0;
  std::vector<CUevent_st*> free_;  // guarded, like all of this, by the pool's lock
};

}  // namespace sinter::runtime

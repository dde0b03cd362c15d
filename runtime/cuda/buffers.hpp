#pragma once
// Buffers and kernels of a CUDA device.

#include <atomic>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/cuda/streams.hpp"
#include "runtime/device.hpp"
#include "runtime/pool.hpp"

struct CUfunc_st;
struct CUmod_st;

namespace sinter::runtime {

class cuda_buffer : public buffer {
 public:
  /// Whether a stream other than its home has used it since the last claim.
  bool shared() const { return shared_.load(std::memory_order_relaxed); }
  cuda_stream& home_stream() const {
    return *const_cast<cuda_stream*>(static_cast<const cuda_stream*>(home_));
  }
  /// `stream`, not its home, is about to use it.
  virtual void add_user(cuda_stream& stream) = 0;
  /// REQUIRES: nothing else holds it. Makes `stream` wait for all users, and its home.
  virtual void claim(cuda_stream& stream) = 0;

 protected:
  std::atomic<bool> shared_{false};
};

class pooled_cuda_buffer final : public cuda_buffer {
 public:
  pooled_cuda_buffer(memory_pool& pool, cuda_streams& streams, cuda_stream& home,
                     std::size_t bytes);
  ~pooled_cuda_buffer() override;
  void add_user(cuda_stream& stream) override;
  void claim(cuda_stream& stream) override;

 private:
  memory_pool& pool_;
  cuda_streams& streams_;
  pool_block* block_ = nullptr;
};

/// Its destructor waits for all work that may use the memory, because no pool will.
class adopted_cuda_buffer final : public cuda_buffer {
 public:
  adopted_cuda_buffer(void* data, std::size_t bytes, std::shared_ptr<void> owner,
                      cuda_streams& streams, cuda_stream& home);
  ~adopted_cuda_buffer() override;
  void add_user(cuda_stream& stream) override;
  void claim(cuda_stream& stream) override;

 private:
  cuda_streams& streams_;
  std::shared_ptr<void> owner_;
};

/// A part of another buffer: using it uses that one.
class cuda_buffer_part final : public cuda_buffer {
 public:
  cuda_buffer_part(std::shared_ptr<buffer> whole, std::size_t offset, std::size_t bytes,
                   cuda_streams& streams, cuda_stream& home);
  void add_user(cuda_stream& stream) override;
  void claim(cuda_stream& stream) override;

 private:
  cuda_streams& streams_;
  std::shared_ptr<buffer> kept_;  // what it is a part of
};

class cuda_kernel final : public loaded_kernel {
 public:
  /// REQUIRES: the context is current and outlives the kernel. `image` is a cubin, or PTX text.
  cuda_kernel(const cuda_context& context, std::span<const std::byte> image,
              std::string_view entry);
  ~cuda_kernel() override;
  CUfunc_st* function() const { return function_; }

 private:
  const cuda_context& context_;
  CUmod_st* module_ = nullptr;
  CUfunc_st* function_ = nullptr;
};

}  // namespace sinter::runtime

#include "runtime/cuda/buffers.hpp"

#include <string>
#include <utility>

#include <cuda.h>

#include "runtime/cuda/driver_functions.hpp"

namespace sinter::runtime {

pooled_cuda_buffer::pooled_cuda_buffer(memory_pool& pool, cuda_streams& streams, cuda_stream& home,
                                       std::size_t bytes)
    : pool_(pool), streams_(streams) {
  bytes_ = bytes;
  home_ = &home;
  if (bytes == 0) return;
  block_ = pool.allocate(bytes, home.id());
  data_ = block_->data;
}

pooled_cuda_buffer::~pooled_cuda_buffer() {
  if (block_) pool_.free(block_);
}

void pooled_cuda_buffer::add_user(cuda_stream& stream) {
  if (!block_) return;
  pool_.use(block_, stream.id());
  shared_.store(true, std::memory_order_relaxed);
}

void pooled_cuda_buffer::claim(cuda_stream& stream) {
  stream.wait_for(home_stream());
  if (block_) {
    for (auto user : block_->users) stream.wait_for(streams_[static_cast<stream_id>(user)]);
    pool_.move(block_, stream.id());
  }
  home_ = &stream;
  shared_.store(false, std::memory_order_relaxed);
}

adopted_cuda_buffer::adopted_cuda_buffer(void* data, std::size_t bytes, std::shared_ptr<void> owner,
                                         cuda_streams& streams, cuda_stream& home)
    : streams_(streams), owner_(std::move(owner)) {
  data_ = data;
  bytes_ = bytes;
  home_ = &home;
  lent_ = true;
}

adopted_cuda_buffer::~adopted_cuda_buffer() {
  if (shared()) {
    the_driver().cuCtxSynchronize();
  } else {
    the_driver().cuStreamSynchronize(home_stream().own_handle());
  }
}

void adopted_cuda_buffer::add_user(cuda_stream&) {
  shared_.store(true, std::memory_order_relaxed);
}

void adopted_cuda_buffer::claim(cuda_stream& stream) {
  stream.wait_for(home_stream());
  if (shared()) {
    for (cuda_stream* user : streams_.all()) stream.wait_for(*user);
  }
  home_ = &stream;
  // Stays shared: the destructor also waits for readers from before this claim.
}

cuda_buffer_part::cuda_buffer_part(std::shared_ptr<buffer> whole, std::size_t offset,
                                   std::size_t bytes, cuda_streams& streams, cuda_stream& home)
    : streams_(streams), kept_(std::move(whole)) {
  whole_ = kept_.get();
  data_ = static_cast<std::byte*>(whole_->data()) + offset;
  bytes_ = bytes;
  home_ = &home;
  lent_ = true;
}

void cuda_buffer_part::add_user(cuda_stream& stream) {
  static_cast<cuda_buffer&>(*kept_).add_user(stream);
  shared_.store(true, std::memory_order_relaxed);
}

void cuda_buffer_part::claim(cuda_stream& stream) {
  stream.wait_for(home_stream());
  if (shared()) {
    for (cuda_stream* user : streams_.all()) stream.wait_for(*user);
  }
  if (kept_->home() != &stream) static_cast<cuda_buffer&>(*kept_).add_user(stream);
  home_ = &stream;
  shared_.store(false, std::memory_order_relaxed);
}

cuda_kernel::cuda_kernel(const cuda_context& context, std::span<const std::byte> image,
                         std::string_view entry)
    : context_(context) {
  // The driver reads text up to a terminating zero, which a span need not have.
  const bool text = image.size() < 4 || static_cast<char>(image[1]) != 'E';
  std::string copy;
  if (text) copy.assign(reinterpret_cast<const char*>(image.data()), image.size());
  const void* data = text ? static_cast<const void*>(copy.c_str()) : image.data();
  const std::string name(entry);
  const CUresult loaded = the_driver().cuModuleLoadData(&module_, data);
  if (loaded != CUDA_SUCCESS) {
    check(loaded, ("loading the kernel " + name).c_str());
  }
  const CUresult found = the_driver().cuModuleGetFunction(&function_, module_, name.c_str());
  if (found != CUDA_SUCCESS) {
    the_driver().cuModuleUnload(module_);
    check(found, ("looking for " + name + " in a loaded image").c_str());
  }
}

// Code must stay loaded while it runs, and what is still running is not tracked here.
cuda_kernel::~cuda_kernel() {
  context_.bind();
  the_driver().cuCtxSynchronize();
  the_driver().cuModuleUnload(module_);
}

}  // namespace sinter::runtime

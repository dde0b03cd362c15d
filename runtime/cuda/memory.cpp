#include "runtime/cuda/memory.hpp"

#include <cstdint>

#include <cuda.h>

#include "runtime/cuda/driver_functions.hpp"

namespace sinter::runtime {

cuda_memory_source::cuda_memory_source(const cuda_context& context) : context_(context) {
  check(the_driver().cuDeviceTotalMem(&capacity_, context.device()), "asking for its memory");
}

void* cuda_memory_source::allocate(std::size_t bytes) {
  context_.bind();
  CUdeviceptr data = 0;
  const CUresult result = the_driver().cuMemAlloc(&data, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return nullptr;
  check(result, "allocating memory");
  return reinterpret_cast<void*>(data);
}

void cuda_memory_source::release(void* data, std::size_t) noexcept {
  context_.bind();
  the_driver().cuMemFree(reinterpret_cast<CUdeviceptr>(data));
}

cuda_events::cuda_events(const cuda_context& context, cuda_streams& streams)
    : context_(context), streams_(streams) {}

cuda_events::~cuda_events() {
  context_.bind();
  for (CUevent event : free_) the_driver().cuEventDestroy(event);
}

// If no event can be recorded, waiting here gives the same order.
stream_events::token cuda_events::record(stream_id stream) noexcept {
  context_.bind();
  const CUstream handle = streams_[stream].own_handle();
  CUevent event = nullptr;
  if (!free_.empty()) {
    event = free_.back();
    free_.pop_back();
  } else {
    try {
      free_.reserve(made_ + 1);  // so that `forget` never allocates
      if (the_driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS) ++made_;
    } catch (...) {
      event = nullptr;
    }
  }
  if (event && the_driver().cuEventRecord(event, handle) == CUDA_SUCCESS) {
    return reinterpret_cast<token>(event);
  }
  if (event) free_.push_back(event);
  the_driver().cuStreamSynchronize(handle);
  return 0;
}

bool cuda_events::done(token of) noexcept {
  if (of == 0) return true;
  context_.bind();
  return the_driver().cuEventQuery(reinterpret_cast<CUevent>(of)) != CUDA_ERROR_NOT_READY;
}

void cuda_events::wait(token of) noexcept {
  if (of == 0) return;
  context_.bind();
  the_driver().cuEventSynchronize(reinterpret_cast<CUevent>(of));
}

void cuda_events::forget(token of) noexcept {
  if (of != 0) free_.push_back(reinterpret_cast<CUevent>(of));
}

}  // namespace sinter::runtime

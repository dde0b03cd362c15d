#include "runtime/cuda/staging.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <cuda.h>

#include "runtime/cuda/driver_functions.hpp"

namespace sinter::runtime {

namespace {

// The driver's own copy is as fast below this size.
constexpr std::size_t staged_from = 128u << 10;
constexpr std::size_t chunk_bytes = 4u << 20;
constexpr std::size_t chunk_count = 4;
constexpr std::int64_t piece_bytes = 64 << 10;
// One thread copies more slowly than the bus; this many keep up.
constexpr int most_threads = 8;

// Even a small copy uses several chunks, so that its two stages overlap.
std::size_t step_of(std::size_t bytes) {
  constexpr std::size_t least = 256u << 10;
  return std::clamp((bytes / 8 + least - 1) / least * least, least, chunk_bytes);
}

CUdeviceptr address(const void* data) {
  return reinterpret_cast<CUdeviceptr>(data);
}

void require(CUresult result, const cuda_stream& on, const char* doing) {
  if (result != CUDA_SUCCESS) on.fail(result, doing);
}

// The device copies pinned memory directly, at full speed.
bool is_pinned(const void* data) {
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE};
  unsigned int kind = 0;  // stays 0 for memory unknown to CUDA
  void* answers[] = {&kind};
  const CUresult asked = the_driver().cuPointerGetAttributes(1, wanted, answers, address(data));
  return asked == CUDA_SUCCESS && kind != 0;
}

constexpr const char* up = "copying to the device";
constexpr const char* down = "copying to the host";

}  // namespace

cuda_staging::cuda_staging(const cuda_context& context) : context_(context) {}

cuda_staging::~cuda_staging() {
  release();
}

void cuda_staging::release() noexcept {
  context_.bind();
  for (const chunk& each : chunks_) {
    the_driver().cuEventSynchronize(each.moved);
    the_driver().cuEventDestroy(each.moved);
    the_driver().cuMemFreeHost(each.data);
  }
  chunks_.clear();
}

// False if memory cannot be pinned; then the driver's own copy is used.
bool cuda_staging::prepare() noexcept try {
  if (!threads_) {
    threads_ = std::make_unique<thread_pool>(std::min(default_threads(), most_threads), false);
  }
  chunks_.reserve(chunk_count);
  while (chunks_.size() < chunk_count) {
    void* data = nullptr;
    CUevent event = nullptr;
    if (the_driver().cuMemHostAlloc(&data, chunk_bytes, 0) != CUDA_SUCCESS) return false;
    if (the_driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) {
      the_driver().cuMemFreeHost(data);
      return false;
    }
    chunks_.push_back({static_cast<char*>(data), event});
  }
  return true;
} catch (...) {
  return false;
}

void cuda_staging::copy_by_threads(void* to, const void* from, std::size_t bytes) {
  const auto size = static_cast<std::int64_t>(bytes);
  const std::int64_t pieces = (size + piece_bytes - 1) / piece_bytes;
  threads_->parallel_for(pieces, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t first = begin * piece_bytes;
    const std::int64_t last = std::min(size, end * piece_bytes);
    std::memcpy(static_cast<char*>(to) + first, static_cast<const char*>(from) + first,
                static_cast<std::size_t>(last - first));
  });
}

void cuda_staging::to_device(cuda_stream& on, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const bool pinned = is_pinned(from);
  std::unique_lock mine(mutex_, std::defer_lock);
  if (bytes >= staged_from && !pinned && mine.try_lock() && prepare()) {
    staged_to_device(on, static_cast<char*>(to), static_cast<const char*>(from), bytes);
  } else {
    // From pageable memory this returns once the bytes have been read.
    require(the_driver().cuMemcpyHtoDAsync(address(to), from, bytes, on.handle()), on, up);
  }
  on.queued();
  if (pinned) on.synchronize(up);
}

void cuda_staging::staged_to_device(cuda_stream& on, char* to, const char* from,
                                    std::size_t bytes) {
  const std::size_t step = step_of(bytes);
  for (std::size_t done = 0; done < bytes; done += step) {
    const chunk& through = chunks_[next_++ % chunk_count];
    const std::size_t size = std::min(step, bytes - done);
    require(the_driver().cuEventSynchronize(through.moved), on, up);
    copy_by_threads(through.data, from + done, size);
    require(the_driver().cuMemcpyHtoDAsync(address(to + done), through.data, size, on.handle()), on,
            up);
    require(the_driver().cuEventRecord(through.moved, on.handle()), on, up);
  }
}

void cuda_staging::to_host(cuda_stream& on, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  std::unique_lock mine(mutex_, std::defer_lock);
  if (bytes >= staged_from && !is_pinned(to) && mine.try_lock() && prepare()) {
    return staged_to_host(on, static_cast<char*>(to), static_cast<const char*>(from), bytes);
  }
  require(the_driver().cuMemcpyDtoHAsync(to, address(from), bytes, on.handle()), on, down);
  on.synchronize(down);
}

void cuda_staging::staged_to_host(cuda_stream& on, char* to, const char* from, std::size_t bytes) {
  const std::size_t step = step_of(bytes);
  const std::size_t chunks = (bytes + step - 1) / step;
  const auto size_of = [&](std::size_t i) { return std::min(step, bytes - i * step); };
  const auto start = [&](std::size_t i) {
    const chunk& through = chunks_[i % chunk_count];
    require(the_driver().cuMemcpyDtoHAsync(through.data, address(from + i * step), size_of(i),
                                           on.handle()),
            on, down);
    require(the_driver().cuEventRecord(through.moved, on.handle()), on, down);
  };
  // An earlier upload may still read from the chunks.
  for (const chunk& each : chunks_) {
    require(the_driver().cuEventSynchronize(each.moved), on, down);
  }
  for (std::size_t i = 0; i < std::min(chunks, chunk_count); ++i) start(i);
  for (std::size_t i = 0; i < chunks; ++i) {
    const chunk& through = chunks_[i % chunk_count];
    require(the_driver().cuEventSynchronize(through.moved), on, down);
    copy_by_threads(to + i * step, through.data, size_of(i));
    if (i + chunk_count < chunks) start(i + chunk_count);
  }
}

}  // namespace sinter::runtime

#pragma once
// CUDA streams, one for each host thread that uses the device.

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cuda/context.hpp"
#include "runtime/device.hpp"
#include "runtime/pool_blocks.hpp"

struct CUstream_st;
struct CUevent_st;
struct CUgraph_st;

namespace sinter::runtime {

/// Owned by cuda_streams. Members are for the stream's own thread, unless they say otherwise.
class cuda_stream final : public stream {
 public:
  cuda_stream(stream_id id, const cuda_context& context);
  ~cuda_stream() override;

  stream_id id() const { return id_; }
  /// Where to queue work.
  CUstream_st* handle() const { return recording() ? side_ : handle_; }
  /// Where it is queued unless it is recorded. From any thread.
  CUstream_st* own_handle() const { return handle_; }

  /// Call after queueing work here.
  void queued() {
    queued_.store(queued_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  /// Orders later work here after what `other` has queued. Free if that is ordered already.
  void wait_for(const cuda_stream& other);
  /// The same for a foreign stream, and the reverse. Waits cover what it holds now.
  void follow(CUstream_st* theirs);
  void lead(CUstream_st* theirs);

  /// Records what the call queues as a graph, owned by the caller, instead of queueing it; it must
  /// be launched on this stream only, and `needs` be kept as long. Null: it took memory of the
  /// pool, which could be reused when the graph is launched, or more than the recording reserve, or
  /// the driver refuses.
  CUgraph_st* record(const library_call&, std::vector<std::shared_ptr<void>>& needs);
  /// Is a call being recorded?
  bool recording() const { return needs_ != nullptr; }
  /// Throws device_error while a call is recorded. Call it before operations that recording cannot
  /// capture.
  void not_recorded(const char* what) const;
  /// Memory for the call, after what it took before: shared by all calls recorded here, which run
  /// one after another. Aligned to 256. Throws device_error if it is exhausted. REQUIRES: a call is
  /// recorded.
  void* recorded_memory(std::size_t bytes) const;
  /// Keeps alive what the recorded call uses. REQUIRES: a call is recorded.
  void needs(std::shared_ptr<void> what) const { needs_->push_back(std::move(what)); }

  /// Notes the kernel that is queued next, for `recent`.
  void note(const launch_config&);
  /// "; its last kernels, latest first: softplus, from main.cpp:17 (1024 blocks of 256); ..."
  std::string recent() const;
  /// Throws device_error with the driver's message and the recent kernels.
  [[noreturn]] void fail(int result, const char* doing) const;
  void synchronize(const char* doing);
  /// Pinned words, allocated at the first call; empty if that fails.
  std::span<std::uint32_t> mailbox();

 private:
  // Copies, because the plan that owns the texts may be gone when an error surfaces.
  struct launched {
    char label[64];
    char origin[128];
    std::int64_t blocks;
    int threads;
  };

  const stream_id id_;
  CUstream_st* handle_ = nullptr;
  // Calls are recorded on this stream, so that events other threads record on ours stay out of it.
  CUstream_st* side_ = nullptr;
  std::uintptr_t room_ = 0;                               // memory for recorded calls
  mutable std::size_t taken_ = 0;                         // bytes of it used by the current one
  std::vector<std::shared_ptr<void>>* needs_ = nullptr;  // while a call is recorded
  CUevent_st* crossing_ = nullptr;
  std::atomic<std::uint64_t> queued_{0};  // read by any thread
  std::vector<std::uint64_t> waited_;     // per stream: the other's queued_ at the last wait
  std::array<launched, 8> ring_{};
  std::uint64_t launches_ = 0;
  void* mailbox_ = nullptr;
  bool mails_ = true;
};

/// An event with a timestamp. REQUIRES: the context outlives it.
class cuda_time_mark final : public time_mark {
 public:
  explicit cuda_time_mark(const cuda_context& context);
  ~cuda_time_mark() override;
  CUevent_st* event() const { return event_; }

 private:
  const cuda_context& context_;
  CUevent_st* event_ = nullptr;
};

/// Thread-safe. When a thread ends, its stream goes to the next new thread. REQUIRES: the context
/// outlives it; no thread uses it during destruction.
class cuda_streams {
 public:
  explicit cuda_streams(const cuda_context& context);
  ~cuda_streams();
  cuda_streams(const cuda_streams&) = delete;
  cuda_streams& operator=(const cuda_streams&) = delete;

  /// The calling thread's stream; the context is then current on the thread.
  cuda_stream& current();
  cuda_stream& operator[](stream_id);
  /// All streams so far.
  std::vector<cuda_stream*> all();

  struct state;

 private:
  cuda_stream& find_or_take();

  std::shared_ptr<state> state_;
};

}  // namespace sinter::runtime

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

/// Owned by cuda_streams. Members are for the thread whose stream it is, unless they say otherwise.
class cuda_stream final : public stream {
 public:
  cuda_stream(stream_id id, const cuda_context& context);
  ~cuda_stream() override;

  stream_id id() const { return id_; }
  /// Where to queue work.
  CUstream_st* handle() const { return recording() ? side_ : handle_; }
  /// Where it is queued, but for what is recorded. From any thread.
  CUstream_st* own_handle() const { return handle_; }

  /// Call after queueing work here.
  void queued() {
    queued_.store(queued_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  /// Later work here runs after what `other` has queued. Free when that has been said already.
  void wait_for(const cuda_stream& other);
  /// The same of somebody else's stream, and the other way round. Waits are for what it holds now.
  void follow(CUstream_st* theirs);
  void lead(CUstream_st* theirs);

  /// What the call queues, as a graph, the caller's, instead of queueing it; it is to be launched
  /// here alone, and `needs` to be kept as long. Null: it took memory of the pool, which would be
  /// somebody else's when the graph is launched, or more than there is for what is recorded, or the
  /// driver refuses.
  CUgraph_st* record(const library_call&, std::vector<std::shared_ptr<void>>& needs);
  /// Is a call being recorded?
  bool recording() const { return needs_ != nullptr; }
  /// Throws device_error while a call is recorded. Call it before what that cannot have.
  void not_recorded(const char* what) const;
  /// Memory for the call, behind what it took before: the same for all calls that are recorded
  /// here, as they run one after another. Aligned to 256. Throws device_error: there is no more.
  /// REQUIRES: a call is recorded.
  void* recorded_memory(std::size_t bytes) const;
  /// What the recorded call uses besides. REQUIRES: a call is recorded.
  void needs(std::shared_ptr<void> what) const { needs_->push_back(std::move(what)); }

  /// The kernel that is queued next, for `recent`.
  void note(const launch_config&);
  /// "; its last kernels, latest first: softplus, from main.cpp:17 (1024 blocks of 256); ..."
  std::string recent() const;
  /// Throws device_error with the driver's words and the recent kernels.
  [[noreturn]] void fail(int result, const char* doing) const;
  void synchronize(const char* doing);
  /// Pinned words, from the first call on; none if they cannot be had.
  std::span<std::uint32_t> mailbox();

 private:
  // Copies, as the plan that owns the texts may be gone when an error comes to light.
  struct launched {
    char label[64];
    char origin[128];
    std::int64_t blocks;
    int threads;
  };

  const stream_id id_;
  CUstream_st* handle_ = nullptr;
  // Calls are recorded there: events that other threads record here meanwhile are none of theirs.
  CUstream_st* side_ = nullptr;
  std::uintptr_t room_ = 0;                               // of those that are recorded
  mutable std::size_t taken_ = 0;                         // of it, by this one
  std::vector<std::shared_ptr<void>>* needs_ = nullptr;  // while one is recorded
  CUevent_st* crossing_ = nullptr;
  std::atomic<std::uint64_t> queued_{0};  // read by any thread
  std::vector<std::uint64_t> waited_;     // by stream: the other's queued_ when it was waited for
  std::array<launched, 8> ring_{};
  std::uint64_t launches_ = 0;
  void* mailbox_ = nullptr;
  bool mails_ = true;
};

/// An event that takes the time. REQUIRES: the context outlives it.
class cuda_time_mark final : public time_mark {
 public:
  explicit cuda_time_mark(const cuda_context& context);
  ~cuda_time_mark() override;
  CUevent_st* event() const { return event_; }

 private:
  const cuda_context& context_;
  CUevent_st* event_ = nullptr;
};

/// Thread-safe. A thread's stream goes to the next new thread when the thread ends. REQUIRES:
/// outlives no context; no thread uses it while it is destroyed.
class cuda_streams {
 public:
  explicit cuda_streams(const cuda_context& context);
  ~cuda_streams();
  cuda_streams(const cuda_streams&) = delete;
  cuda_streams& operator=(const cuda_streams&) = delete;

  /// The calling thread's; the context is then current on the thread.
  cuda_stream& current();
  cuda_stream& operator[](stream_id);
  /// All there are so far.
  std::vector<cuda_stream*> all();

  struct state;

 private:
  cuda_stream& find_or_take();

  std::shared_ptr<state> state_;
};

}  // namespace sinter::runtime

#include "runtime/cuda/streams.hpp"

#include <algorithm>
#include <cstring>

#include <cuda.h>

#include "runtime/cuda/driver_functions.hpp"

namespace sinter::runtime {

namespace {

/// A product's workspace, and half as much for copies of operands that libraries cannot read in
/// place.
constexpr std::size_t recorded_bytes = 48u << 20;

template <std::size_t size> void keep(char (&to)[size], const char* text) {
  if (!memccpy(to, text ? text : "", 0, size)) to[size - 1] = 0;
}

}  // namespace

cuda_stream::cuda_stream(stream_id id, const cuda_context& context) : id_(id) {
  context.bind();
  check(the_driver().cuEventCreate(&crossing_, CU_EVENT_DISABLE_TIMING), "making an event");
  const CUresult made = the_driver().cuStreamCreate(&handle_, CU_STREAM_NON_BLOCKING);
  if (made != CUDA_SUCCESS) the_driver().cuEventDestroy(crossing_);
  check(made, "making a stream");
}

cuda_stream::~cuda_stream() {
  if (mailbox_) the_driver().cuMemFreeHost(mailbox_);
  if (room_) the_driver().cuMemFree(room_);
  if (side_) the_driver().cuStreamDestroy(side_);
  the_driver().cuStreamDestroy(handle_);
  the_driver().cuEventDestroy(crossing_);
}

// The event may be recorded again at once: a wait refers to the record at the time it is queued.
void cuda_stream::wait_for(const cuda_stream& other) {
  if (waited_.size() <= other.id_) waited_.resize(other.id_ + 1);
  const std::uint64_t now = other.queued_.load(std::memory_order_acquire);
  if (&other == this || waited_[other.id_] >= now) return;
  CUresult result = the_driver().cuEventRecord(crossing_, other.handle_);
  if (result == CUDA_SUCCESS) {
    result = the_driver().cuStreamWaitEvent(handle_, crossing_, CU_EVENT_WAIT_DEFAULT);
  }
  if (result != CUDA_SUCCESS) other.fail(result, "waiting for another thread's work");
  waited_[other.id_] = now;
  queued();
}

void cuda_stream::follow(CUstream theirs) {
  CUresult result = the_driver().cuEventRecord(crossing_, theirs);
  if (result == CUDA_SUCCESS) {
    result = the_driver().cuStreamWaitEvent(handle_, crossing_, CU_EVENT_WAIT_DEFAULT);
  }
  if (result != CUDA_SUCCESS) fail(result, "waiting for somebody else's stream");
  queued();
}

void cuda_stream::lead(CUstream theirs) {
  CUresult result = the_driver().cuEventRecord(crossing_, handle_);
  if (result == CUDA_SUCCESS) {
    result = the_driver().cuStreamWaitEvent(theirs, crossing_, CU_EVENT_WAIT_DEFAULT);
  }
  if (result != CUDA_SUCCESS) fail(result, "letting somebody else's stream wait");
}

CUgraph cuda_stream::record(const library_call& call, std::vector<std::shared_ptr<void>>& needs) {
  const auto& driver = the_driver();
  const auto works = [](CUresult r) { return r == CUDA_SUCCESS; };
  if (!side_ && !works(driver.cuStreamCreate(&side_, CU_STREAM_NON_BLOCKING))) return nullptr;
  CUdeviceptr room = room_;
  if (!room && !works(driver.cuMemAlloc(&room, recorded_bytes))) return nullptr;
  room_ = room;
  // Relaxed mode: a library may allocate memory or load a kernel.
  if (!works(driver.cuStreamBeginCapture(side_, CU_STREAM_CAPTURE_MODE_RELAXED))) return nullptr;
  needs_ = &needs;
  taken_ = 0;
  bool done = true;
  try {
    call.queue();
  } catch (const std::exception&) {
    done = false;  // the error is reported when the work is queued
  }
  needs_ = nullptr;
  CUgraph made = nullptr;
  const CUresult ended = driver.cuStreamEndCapture(side_, &made);
  if (works(ended) && done) return made;
  if (made) driver.cuGraphDestroy(made);
  return nullptr;
}

void cuda_stream::not_recorded(const char* what) const {
  if (recording()) throw device_error(std::string(what) + " cannot be recorded");
}

void* cuda_stream::recorded_memory(std::size_t bytes) const {
  constexpr std::size_t alignment = 256;
  if (bytes > recorded_bytes - taken_) not_recorded("a call that takes so much memory");
  void* const taken = reinterpret_cast<void*>(room_ + taken_);
  taken_ += (bytes + alignment - 1) / alignment * alignment;
  return taken;
}

void cuda_stream::note(const launch_config& config) {
  launched& entry = ring_[launches_++ % ring_.size()];
  keep(entry.label, config.label);
  keep(entry.origin, config.origin);
  entry.blocks = config.blocks;
  entry.threads = config.threads;
}

std::string cuda_stream::recent() const {
  const std::uint64_t count = std::min<std::uint64_t>(launches_, ring_.size());
  if (count == 0) return "; no kernel was launched on its stream";
  std::string text = "; the last kernels of its stream, latest first: ";
  for (std::uint64_t i = 0; i < count; ++i) {
    const launched& entry = ring_[(launches_ - 1 - i) % ring_.size()];
    if (i > 0) text += "; ";
    text += entry.label[0] ? entry.label : "(unnamed)";
    if (entry.origin[0]) text += std::string(", from ") + entry.origin;
    text +=
        " (" + std::to_string(entry.blocks) + " blocks of " + std::to_string(entry.threads) + ")";
  }
  return text;
}

void cuda_stream::fail(int result, const char* doing) const {
  throw device_error(std::string("CUDA failed while ") + doing + ": " +
                     text_of(static_cast<CUresult>(result)) + recent());
}

void cuda_stream::synchronize(const char* doing) {
  const CUresult result = the_driver().cuStreamSynchronize(handle_);
  if (result != CUDA_SUCCESS) fail(result, doing);
}

// Pinned memory has the same address on the host and on all devices.
std::span<std::uint32_t> cuda_stream::mailbox() {
  constexpr std::size_t bytes = most_mailed * sizeof(std::uint32_t);
  if (!mailbox_ && mails_) {
    constexpr unsigned shown = CU_MEMHOSTALLOC_DEVICEMAP;
    mails_ = the_driver().cuMemHostAlloc(&mailbox_, bytes, shown) == CUDA_SUCCESS;
  }
  if (!mails_) return {};
  return {static_cast<std::uint32_t*>(mailbox_), most_mailed};
}

cuda_time_mark::cuda_time_mark(const cuda_context& context) : context_(context) {
  context.bind();
  check(the_driver().cuEventCreate(&event_, CU_EVENT_DEFAULT), "making an event");
}

cuda_time_mark::~cuda_time_mark() {
  context_.bind();
  the_driver().cuEventDestroy(event_);
}

struct cuda_streams::state {
  explicit state(const cuda_context& context) : context(context) {}

  cuda_stream& take() {
    std::lock_guard one(mutex);
    if (free.empty()) {
      free.reserve(streams.size() + 1);  // so that returning it never allocates
      return streams.emplace_back(static_cast<stream_id>(streams.size()), context);
    }
    cuda_stream* stream = free.back();
    free.pop_back();
    return *stream;
  }
  void give_back(cuda_stream& stream) noexcept {
    std::lock_guard one(mutex);
    free.push_back(&stream);
  }

  const cuda_context& context;
  std::mutex mutex;
  std::deque<cuda_stream> streams;
  std::vector<cuda_stream*> free;
};

namespace {

struct lease {
  // Pins the state's address, so that no later device can be mistaken for this one.
  std::weak_ptr<cuda_streams::state> from;
  cuda_streams::state* address;
  cuda_stream* stream;
};

struct thread_leases {
  ~thread_leases() {
    for (lease& each : leases) {
      if (auto alive = each.from.lock()) alive->give_back(*each.stream);
    }
  }
  std::vector<lease> leases;
};

// The two trivial ones are the fast path: no check that they are constructed is needed.
thread_local const cuda_streams::state* last_state = nullptr;
thread_local cuda_stream* last_stream = nullptr;
thread_local thread_leases leases_of_thread;

}  // namespace

cuda_streams::cuda_streams(const cuda_context& context)
    : state_(std::make_shared<state>(context)) {}

cuda_streams::~cuda_streams() {
  state_->context.bind();
  if (last_state == state_.get()) last_state = nullptr;
}

cuda_stream& cuda_streams::current() {
  state_->context.bind();
  if (last_state == state_.get()) return *last_stream;
  return find_or_take();
}

cuda_stream& cuda_streams::find_or_take() {
  last_state = nullptr;
  auto& leases = leases_of_thread.leases;
  const auto mine = [&](const lease& each) { return each.address == state_.get(); };
  auto it = std::find_if(leases.begin(), leases.end(), mine);
  if (it == leases.end()) {
    std::erase_if(leases, [](const lease& each) { return each.from.expired(); });
    leases.reserve(leases.size() + 1);
    it = leases.insert(leases.end(), {state_, state_.get(), &state_->take()});
  }
  last_state = it->address;
  last_stream = it->stream;
  return *last_stream;
}

cuda_stream& cuda_streams::operator[](stream_id id) {
  std::lock_guard one(state_->mutex);
  return state_->streams[id];
}

std::vector<cuda_stream*> cuda_streams::all() {
  std::lock_guard one(state_->mutex);
  std::vector<cuda_stream*> streams;
  for (cuda_stream& stream : state_->streams) streams.push_back(&stream);
  return streams;
}

}  // namespace sinter::runtime

#pragma once
// Devices, as the engine sees them: memory, kernels, copies, streams.
//
// Thread safety: every member may be called from any thread. Work is ordered within a stream; each
// host thread has its own stream on each device (`device::current_stream`).
//
// Ownership: a device outlives its buffers, kernels and streams.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sinter::runtime {

enum class device_kind : std::uint8_t { cpu, cuda };

struct device_id {
  device_kind kind = device_kind::cpu;
  int index = 0;
  bool operator==(const device_id&) const = default;
};

/// A device that failed: the driver's message, the kernel and the statement that were running.
struct device_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// No memory left after releasing cached blocks and waiting for pending work.
struct out_of_memory : device_error {
  out_of_memory(std::string what, std::size_t asked)
      : device_error(std::move(what)), asked(asked) {}
  std::size_t asked;
};

struct device_properties {
  std::string name;          // "NVIDIA H200"
  std::string architecture;  // "sm_90"; the host's LLVM name for a CPU
  int units = 1;             // multiprocessors, or threads of the pool
  int cluster = 1;           // blocks that may synchronise, on any GPU of its kind
  std::size_t memory = 0;    // bytes
  std::size_t cache = 0;     // bytes of the last-level cache
  double bandwidth = 0;      // bytes per second, for the cost model
  double arithmetic = 0;     // float operations per second, for the cost model
  double launch = 0;         // seconds a launch costs
  bool sorts = true;         // is its sorting library available
};

/// Words of a mailbox (`device::mailbox`).
inline constexpr std::size_t most_mailed = 16;

/// An ordered queue of work on a device. Owned by the device.
class stream {
 public:
  virtual ~stream() = default;
};

class blas;
class fft;
class solver;
class sorter;

/// Memory on a device. One owner: the buffer returns its block to the device's pool, in stream
/// order, when its last reference is released.
class buffer {
 public:
  virtual ~buffer() = default;
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  /// The stream whose work wrote it, or is writing it; null on a CPU.
  const stream* home() const { return home_; }
  /// Adopted, or a part of another buffer: the memory may be shared or read-only, and of any
  /// alignment. Never used for an output.
  bool lent() const { return lent_; }
  /// The buffer it is a part of: several parts may be read together there. Null: none, or on a CPU,
  /// where parts are read in place.
  const buffer* whole() const { return whole_; }

 protected:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  bool lent_ = false;
  const stream* home_ = nullptr;
  const buffer* whole_ = nullptr;
};

/// A loaded kernel. Immutable; unloaded when the last reference is released.
class loaded_kernel {
 public:
  virtual ~loaded_kernel() = default;
};

struct launch_config {
  std::int64_t blocks = 0;  // REQUIRES: > 0, and < 2^31 on a GPU
  int threads = 0;          // per block; 0 on a CPU
  const char* label = "";   // the kernel's name, copied for error reports
  const char* origin = "";  // the statement that made it, likewise
  std::int64_t grain = 1;   // CPU: blocks worth one thread
};

/// A library call, among launches.
class library_call {
 public:
  virtual ~library_call() = default;
  /// Queues it on the calling thread's stream. Throws what the library call throws.
  virtual void queue() const = 0;
};

/// A launch, or a call, in a sequence. `slots` lives until launch_all returns.
struct launch_record {
  const loaded_kernel* kernel = nullptr;  // null: a call
  launch_config config;
  std::span<const std::uint64_t> slots;  // of a call: words that identify it among others of its
                                         // kind
  const library_call* call = nullptr;    // also lives until launch_all returns

  bool is_call() const { return call != nullptr; }
};

/// What a device remembers of a sequence of launches, to queue it faster the next time.
class launch_memory {
 public:
  virtual ~launch_memory() = default;
};

struct memory_statistics {
  std::size_t used_bytes = 0;      // in live buffers
  std::size_t reserved_bytes = 0;  // taken from the system
  std::size_t peak_bytes = 0;      // highest used_bytes since start or reset
};

/// An event of a device's pool: a block for a buffer (allocate, free), or memory of the system
/// (reserve, release).
struct memory_event {
  enum class kind : std::uint8_t { allocate, free, reserve, release };
  kind what = kind::allocate;
  const void* data = nullptr;
  std::size_t bytes = 0;
  memory_statistics after;
};

/// For profilers. Receives every event in order, one call at a time, on the thread that caused it
/// and under the pool's lock: it must use neither the device nor its buffers.
class memory_observer {
 public:
  virtual ~memory_observer() = default;
  virtual void on(const memory_event&) noexcept = 0;
};

/// A point in the work of a stream; it can tell when it was passed.
class time_mark {
 public:
  virtual ~time_mark() = default;
};

class device {
 public:
  virtual ~device() = default;

  virtual device_id id() const = 0;
  virtual const device_properties& properties() const = 0;

  /// At least `bytes` bytes, aligned to 256, contents undefined; 0 gives a valid empty buffer.
  /// Throws out_of_memory, without other effects.
  virtual std::shared_ptr<buffer> allocate(std::size_t bytes) = 0;
  /// A buffer over memory owned elsewhere; `owner` is released with the buffer.
  virtual std::shared_ptr<buffer> adopt(void* data, std::size_t bytes,
                                        std::shared_ptr<void> owner) = 0;
  /// `bytes` of `whole` from `offset` on, which it keeps alive. Its home is the calling thread's
  /// stream; releasing it waits for nothing. REQUIRES: use(*whole) if that has another home.
  virtual std::shared_ptr<buffer> part(std::shared_ptr<buffer> whole, std::size_t offset,
                                       std::size_t bytes) = 0;

  /// Loads a compiled image. Throws device_error. REQUIRES, on a GPU: the kernel begins by waiting
  /// for earlier kernels (griddepcontrol.wait), since its launch does not.
  virtual std::shared_ptr<loaded_kernel> load(std::span<const std::byte> image,
                                              std::string_view entry) = 0;

  /// The calling thread's stream on this device; null on a CPU, where work is done when it is
  /// queued.
  virtual const stream* current_stream() = 0;
  /// REQUIRES: called before queueing work that reads a buffer whose home is another stream. Orders
  /// the calling thread's next work after what that stream has queued, and keeps the buffer's block
  /// from reuse until that work is done.
  virtual void use(buffer&) = 0;
  /// REQUIRES: called before queueing work that writes a buffer that earlier work has written or
  /// read (an update in place, a donated input), and nothing else holds the buffer. Orders the
  /// calling thread's next work after all of that, and makes its stream the buffer's home. Free if
  /// only this stream has used it.
  virtual void claim(buffer&) = 0;

  /// Orders the calling thread's work relative to a foreign stream, by the vendor's handle (a
  /// CUstream; 1 and 2 are CUDA's default streams): `follow` puts our next work after what theirs
  /// holds now, `lead` puts their next work after what ours holds now.
  virtual void follow(std::uintptr_t theirs) { (void)theirs; }
  virtual void lead(std::uintptr_t theirs) { (void)theirs; }
  /// Can kernels of this device use memory at `data`? True for foreign memory the device does not
  /// know.
  virtual bool reaches(const void* data) {
    (void)data;
    return true;
  }

  /// Queues the kernel on the calling thread's stream. `slots` is copied before it returns.
  virtual void launch(const loaded_kernel&, const launch_config&,
                      std::span<const std::uint64_t> slots) = 0;

  /// Queues kernels and calls that run one after another. `memory` belongs to the caller, is null
  /// at first, and serves one sequence, which should mostly repeat; blocks and slots may change. It
  /// keeps no kernel alive: REQUIRES: the caller does, for all it was ever used with.
  virtual void launch_all(std::span<const launch_record> list,
                          std::unique_ptr<launch_memory>& memory) {
    (void)memory;
    for (const launch_record& r : list) queue(r);
  }
  void queue(const launch_record& r) {
    if (r.call) return r.call->queue();
    launch(*r.kernel, r.config, r.slots);
  }
  /// Does launch_all queue calls faster than one by one?
  virtual bool remembers_calls() const { return false; }

  /// Copies to and from host memory; return when the host memory may be reused.
  virtual void copy_from_host(buffer& to, std::size_t offset, const void* from,
                              std::size_t bytes) = 0;
  virtual void copy_to_host(void* to, const buffer& from, std::size_t offset,
                            std::size_t bytes) = 0;
  /// Words of host memory, up to most_mailed, that the calling thread's kernels may write and the
  /// host sees change. Empty on a CPU, or if there is no such memory.
  virtual std::span<std::uint32_t> mailbox() { return {}; }
  /// Queues a copy inside the device. The ranges do not overlap.
  virtual void copy(buffer& to, std::size_t to_offset, const buffer& from, std::size_t from_offset,
                    std::size_t bytes) = 0;

  /// Waits for all work of the calling thread's stream. Throws device_error for work that failed.
  virtual void synchronize() = 0;

  /// A mark after everything the calling thread has queued so far. Delays no other work.
  virtual std::unique_ptr<time_mark> mark_time() = 0;
  /// Seconds between two marks, by the device's own clock; a GPU's ticks are half a microsecond.
  /// Waits until both are passed. REQUIRES: marks of this device. Throws device_error for work that
  /// failed.
  virtual double seconds_between(const time_mark& begin, const time_mark& end) = 0;
  /// Is the work before this mark done? Does not wait. Throws device_error for work that failed.
  virtual bool passed(const time_mark&) = 0;

  /// Products of matrices (runtime/blas.hpp). Owned by the device.
  virtual blas& linear_algebra() = 0;
  /// Fourier transforms (runtime/fft.hpp). Owned by the device.
  virtual fft& fourier() = 0;
  /// Factorisations (runtime/solver.hpp). Owned by the device.
  virtual solver& factorisations() = 0;
  /// Sorting (runtime/sorter.hpp). Owned by the device.
  virtual sorter& sorting() = 0;

  virtual memory_statistics memory() const = 0;
  /// Sets peak_bytes to used_bytes.
  virtual void reset_peak() = 0;
  /// Returns cached memory to the system; returns the number of bytes.
  virtual std::size_t trim() = 0;
  /// Bytes the pool may reserve; 0: no limit but the device's.
  virtual void limit_memory(std::size_t bytes) = 0;
  /// The observer receives events from now on; a reference is kept. REQUIRES: it is not observing
  /// yet.
  virtual void observe_memory(memory_observer&) = 0;
  /// After this returns, the observer receives no more events.
  virtual void forget_observer(memory_observer&) noexcept = 0;
};

}  // namespace sinter::runtime

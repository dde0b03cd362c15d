#pragma once
// A pool of device memory: best fit with coalescing inside large segments, stream-ordered.
//
// A freed block belongs to the stream it was allocated on: work queued there later runs after
// whatever still uses the block, so that stream may reuse it at once. Another stream may take it
// once an event recorded on the first one, after the block was freed, has completed. Events are
// recorded only when a stream needs a foreign block, so a loop on one stream records none.
//
// The common case (a recently freed block has exactly the requested size) takes one lock. If
// another fitting block is free it takes two or three steps in a balanced tree; neither allocates
// or calls the device.

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/device.hpp"
#include "runtime/pool_blocks.hpp"

namespace sinter::runtime {

/// Where segments come from. Called with the pool's lock held: one call at a time, and it must not
/// call the pool.
class memory_source {
 public:
  virtual ~memory_source() = default;
  /// Aligned to 256; null if memory is exhausted. May throw device_error for a broken device.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* data, std::size_t bytes) noexcept = 0;
  /// Total bytes, for messages; 0: unknown.
  virtual std::size_t capacity() const { return 0; }
};

/// Points in the work of streams. Called like memory_source, except `wait`, which the pool calls
/// without its lock and so from several threads. On a failed device all events are done.
class stream_events {
 public:
  using token = std::uint64_t;
  virtual ~stream_events() = default;
  /// A token for "everything queued on the stream so far".
  virtual token record(stream_id) noexcept = 0;
  virtual bool done(token) noexcept = 0;
  virtual void wait(token) noexcept = 0;
  /// Last use of the token.
  virtual void forget(token) noexcept = 0;
};

struct pool_options {
  std::size_t alignment = 256;             // of blocks, a power of two
  std::size_t granularity = 2ull << 20;    // segments are multiples of this
  std::size_t small_limit = 1ull << 20;    // requests up to this are small
  std::size_t small_segment = 2ull << 20;  // grows to four times this with use
  std::size_t medium_limit = 32ull << 20;  // requests up to this share segments
  std::size_t medium_segment = 64ull << 20;
};

/// Thread-safe. REQUIRES: source and events outlive the pool; every block is freed, and the work
/// that used it done, before the pool is destroyed.
class memory_pool {
 public:
  /// `events` may be null when there is one stream, 0.
  memory_pool(memory_source& source, stream_events* events, pool_options options = {});
  ~memory_pool();
  memory_pool(const memory_pool&) = delete;
  memory_pool& operator=(const memory_pool&) = delete;

  /// A block of at least `bytes` for work of `stream`. REQUIRES: bytes > 0. Throws out_of_memory,
  /// with no effect on the pool except that cached memory was released.
  pool_block* allocate(std::size_t bytes, stream_id stream);
  /// The caller queues no more work that uses it. May be called from any thread.
  void free(pool_block*) noexcept;

  /// Work of `stream`, which is not the block's own, is about to use the block: after it is freed
  /// it is not reused before what that stream has queued by then is done.
  void use(pool_block*, stream_id stream);
  /// The block's own stream is `stream` from now on. REQUIRES: what `stream` queues from here on
  /// runs after all work that uses the block.
  void move(pool_block*, stream_id stream);

  memory_statistics statistics() const;
  void reset_peak();
  /// Releases free segments, after waiting for work that may still use them; returns their bytes.
  std::size_t trim();
  /// Bytes that may be reserved; 0: no limit. Memory already reserved is kept.
  void limit(std::size_t bytes);

  /// As device::observe_memory and device::forget_observer. Without observers this costs one test
  /// of a word in the lock's cache line.
  void observe(memory_observer&);
  void forget(memory_observer&) noexcept;

 private:
  using lock = std::unique_lock<std::mutex>;

  pool_bin bin_of(std::size_t bytes) const;
  block_queue& queue(stream_id stream);
  pool_block* allocate_slowly(std::size_t bytes, stream_id stream, lock&);
  pool_block* find(pool_bin bin, std::size_t bytes, stream_id stream);
  pool_block* find_in_larger_bins(pool_bin bin, std::size_t bytes, stream_id stream);
  pool_block* hand_out(pool_block*, std::size_t bytes, stream_id stream);
  pool_block* lend(pool_block*, std::size_t bytes, stream_id stream);
  pool_block* grow(std::size_t segment_bytes, std::size_t bytes, pool_bin bin);
  std::size_t preferred_segment(std::size_t bytes, pool_bin bin) const;
  std::size_t smallest_remainder(pool_bin bin) const;

  void make_free(pool_block*);
  /// Turns the queue's fresh blocks into ordinary free ones.
  void put_away(block_queue&);
  void make_common(pool_block*);
  pool_block* absorb(pool_block* into, pool_block* neighbour);
  void start_waiting(pool_block*);
  void poll_waiting();
  bool settled(pool_block*);
  void make_common_up_to(block_queue&, std::uint64_t epoch);
  void harvest(stream_id);
  void poll_streams();
  void wait_for_streams(lock&);
  std::size_t release_segments();
  void tell(memory_event::kind what, const void* data, std::size_t bytes) const noexcept {
    for (memory_observer* each : observers_) each->on({what, data, bytes, statistics_});
  }
  [[noreturn]] void throw_out_of_memory(std::size_t bytes) const;

  mutable std::mutex mutex_;
  memory_source& source_;
  stream_events* events_;
  const pool_options options_;
  block_store store_;
  std::list<pool_segment> segments_;
  std::deque<block_queue> queues_;  // by stream
  block_queue common_;              // free for every stream
  std::vector<pool_block*> waiting_;
  std::size_t limit_ = 0;
  std::size_t live_ = 0;
  std::size_t small_reserved_ = 0;
  memory_statistics statistics_;
  std::vector<memory_observer*> observers_;
};

}  // namespace sinter::runtime

#pragma once
// For profilers: how long the device works, and what its memory pool does.

#include <utility>

#include <sinter/session.hpp>

namespace sinter {

/// A stopwatch on the calling thread's work on a device: started when it is made. On a GPU it reads
/// the device's clock between two points of the thread's queue, so neither what the host does
/// meanwhile nor the wait for the result counts unless the device ran out of work. On the CPU it
/// reads the host's clock. Belongs to the thread that made it.
/// `sn::timer t; sn::eval(x); t.seconds()`
class timer {
 public:
  explicit timer(device d = current_device(), location where = location::current());
  ~timer();
  timer(const timer&) = delete;
  timer& operator=(const timer&) = delete;

  /// Starts again.
  void restart(location where = location::current());
  /// Seconds from the start to the end of what this thread has queued so far; waits for it. Throws
  /// device_error for work that failed.
  double seconds(location where = location::current()) const;

 private:
  struct state;
  state* state_;
};

/// What a device's memory pool just did: with a block of an array (allocate, free), or with memory
/// of the system (reserve, release: growth and `trim`).
struct memory_event {
  enum class kind : std::uint8_t { allocate, free, reserve, release };
  kind what = kind::allocate;
  const void* data = nullptr;  // on the device
  std::int64_t bytes = 0;
  memory_info after;
};

namespace detail {

class memory_hook {
 public:
  virtual void on(const memory_event&) = 0;

 protected:
  ~memory_hook() = default;
};

void* start_watching(memory_hook& hook, device d, location where);
void stop_watching(void* watching) noexcept;

}  // namespace detail

/// While it lives, `f(const memory_event&)` is called for each event of a device's pool: in their
/// order, one at a time, on the thread that caused it, from any number of threads. `f` must not
/// throw, nor use sinter: it is called while the pool is locked. Pools that nobody watches pay
/// nothing. Throws device_error if there is no such device.
/// `sn::memory_watch watch([&](const sn::memory_event& e) { peak = e.after.peak; });`
template <class F> class [[nodiscard]] memory_watch final : detail::memory_hook {
 public:
  explicit memory_watch(F f, device d = current_device(), location where = location::current())
      : f_(std::move(f)), watching_(detail::start_watching(*this, d, where)) {}
  ~memory_watch() { detail::stop_watching(watching_); }
  memory_watch(const memory_watch&) = delete;
  memory_watch& operator=(const memory_watch&) = delete;

 private:
  void on(const memory_event& e) override { f_(e); }

  F f_;
  void* watching_;
};

}  // namespace sinter

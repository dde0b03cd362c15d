#pragma once
// Profiling: the device's working time, and the events of its memory pool.

#include <utility>

#include <sinter/session.hpp>

namespace sinter {

/// A stopwatch for the calling thread's work on a device, started on construction. On a GPU it
/// measures with the device's clock between two points of the thread's queue, so host work and the
/// wait for the result count only if the device ran out of work. On the CPU it uses the host's
/// clock. Belongs to the thread that made it. `sn::timer t; sn::eval(x); t.seconds()`
class timer {
 public:
  explicit timer(device d = current_device(), location where = location::current());
  ~timer();
  timer(const timer&) = delete;
  timer& operator=(const timer&) = delete;

  /// Restarts the stopwatch.
  void restart(location where = location::current());
  /// Seconds from the start to the end of the work queued by this thread so far; waits for that
  /// work. Throws device_error for work that failed.
  double seconds(location where = location::current()) const;

 private:
  struct state;
  state* state_;
};

/// An event of a device's memory pool: for a block of an array (allocate, free), or for memory of
/// the system (reserve, release: growth and `trim`).
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

/// While it lives, `f(const memory_event&)` is called for each event of a device's pool: in order,
/// one at a time, on the thread that caused the event, which may be any thread. `f` must neither
/// throw nor use sinter, because it is called while the pool is locked. Unwatched pools have no
/// overhead. Throws device_error if there is no such device.
/// `sn::memory_watch watch([&](const sn::memory_event& e) { peak = e.after.peak; });`
template <class F> class [[nodiscard]] memory_watch final : detail::memory_hook {
 public:
  explicit memory_watch(F f, device d = current_device(), location where = location::current())
      : f_(std::move(f)), watching_(detail::start_watching(*this, d, where)) {}
  ~memory_watch() { detail::stop_watching(watching_); }
  memory_watch(const memory_watch&) = delete;
  memory_watch& operator=(const memory_watch&) = delete;

 private:
  void on(const memory_event& event) override { f_(event); }

  F f_;
  void* watching_;
};

}  // namespace sinter

#include <memory>

#include <sinter/profile.hpp>

#include "engine/evaluation/guard.hpp"
#include "engine/evaluation/session.hpp"

namespace sinter {

struct timer::state {
  runtime::device& device;
  std::unique_ptr<runtime::time_mark> start;
};

timer::timer(device d, location where) {
  runtime::device& on = *detail::the_session().target_of(d, where).device;
  state_ = detail::guarded("timer", where, [&] { return new state{on, on.mark_time()}; });
}

timer::~timer() {
  delete state_;
}

void timer::restart(location where) {
  detail::guarded("timer", where, [&] { state_->start = state_->device.mark_time(); });
}

double timer::seconds(location where) const {
  return detail::guarded("timer", where, [&] {
    const auto end = state_->device.mark_time();
    return state_->device.seconds_between(*state_->start, *end);
  });
}

namespace detail {

namespace {

/// Translates the runtime's events into the public ones.
class watcher final : public runtime::memory_observer {
 public:
  watcher(memory_hook& hook, runtime::device& device) : hook_(hook), device_(device) {
    device_.observe_memory(*this);
  }
  ~watcher() override { device_.forget_observer(*this); }

  void on(const runtime::memory_event& e) noexcept override {
    const auto& m = e.after;
    hook_.on({static_cast<memory_event::kind>(e.what),
              e.data,
              static_cast<std::int64_t>(e.bytes),
              {static_cast<std::int64_t>(m.used_bytes), static_cast<std::int64_t>(m.reserved_bytes),
               static_cast<std::int64_t>(m.peak_bytes)}});
  }

 private:
  memory_hook& hook_;
  runtime::device& device_;
};

}  // namespace

void* start_watching(memory_hook& hook, device d, location where) {
  return new watcher(hook, *the_session().target_of(d, where).device);
}

void stop_watching(void* watching) noexcept {
  delete static_cast<watcher*>(watching);
}

}  // namespace detail

}  // namespace sinter

#include "engine/evaluation/background.hpp"

#include <system_error>
#include <utility>

#include <unistd.h>

namespace sinter::detail {

void background::add(std::function<void()> job) {
  const std::scoped_lock lock(mutex_);
  if (stopped_) return;
  jobs_.push_back(std::move(job));
  if (working_) return;
  if (worker_.joinable()) worker_.join();
  if (started_) started_();
  process_ = ::getpid();
  try {
    worker_ = std::thread([this] { work(); });
    working_ = true;
  } catch (const std::system_error&) {
    jobs_.clear();  // no thread available: programs run without the results of these jobs
  }
}

void background::work() {
  for (;;) {
    std::function<void()> job;
    {
      const std::scoped_lock lock(mutex_);
      if (jobs_.empty()) {
        working_ = false;
        idle_.notify_all();
        return;
      }
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job();
  }
}

void background::wait() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return !working_; });
}

// A forked child has none of the threads that its state refers to.
void background::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    jobs_.clear();
    if (worker_.joinable() && process_ != ::getpid()) worker_.detach();
  }
  if (worker_.joinable()) worker_.join();
}

bool background::stopped() const {
  const std::scoped_lock lock(mutex_);
  return stopped_;
}

}  // namespace sinter::detail

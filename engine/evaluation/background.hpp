#pragma once
// A thread for what nobody waits for: kernels that a program will be faster with, compiled while it
// runs without them.
//
// Thread safety: any thread.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace sinter::detail {

class background {
 public:
  /// `started` is called whenever a thread starts, by who starts it.
  explicit background(void (*started)() = nullptr) : started_(started) {}
  ~background() { stop(); }
  background(const background&) = delete;
  background& operator=(const background&) = delete;

  /// Jobs are done one after the other, or dropped where the system starts no thread. What they
  /// refer to outlives them, or `stop`. REQUIRES: a job throws nothing, and ends soon where
  /// `stopped`.
  void add(std::function<void()> job);
  /// Waits until there is nothing to do.
  void wait();
  /// Ends it, for good: what has not begun is never done.
  void stop();
  bool stopped() const;

 private:
  void work();

  void (*const started_)();
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable idle_;
  std::thread worker_;
  std::deque<std::function<void()>> jobs_;
  bool working_ = false, stopped_ = false;
  int process_ = 0;
};

}  // namespace sinter::detail

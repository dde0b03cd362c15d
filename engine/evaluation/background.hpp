#pragma once
// A thread for work that nothing waits for: faster kernels, compiled while the program runs without
// them.
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
  /// `started` is called whenever a thread is started, by the thread that starts it.
  explicit background(void (*started)() = nullptr) : started_(started) {}
  ~background() { stop(); }
  background(const background&) = delete;
  background& operator=(const background&) = delete;

  /// Jobs run one after the other, or are dropped if the system starts no thread. What they refer
  /// to must outlive them, or `stop`. REQUIRES: a job throws nothing, and ends soon if `stopped`.
  void add(std::function<void()> job);
  /// Waits until there is no work left.
  void wait();
  /// Stops it, permanently: jobs that have not begun never run.
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

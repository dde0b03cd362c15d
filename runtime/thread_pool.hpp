#pragma once
// Threads that share loops. One pool per CPU device.

#include <cstdint>
#include <memory>
#include <type_traits>

namespace sinter::runtime {

/// Tells the CPU that this thread is in a spin loop.
inline void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// How many threads to use: SINTER_THREADS, else the CPUs this process may run on, within its
/// cgroup's quota.
int default_threads();

/// Thread-safe: loops started by several threads at once run one after the other; a loop started
/// from inside a loop runs on the thread that starts it.
///
/// After fork() the child has none of the workers: there every loop runs on the calling thread.
/// REQUIRES: no loop is running in another thread at the moment of the fork.
class thread_pool {
 public:
  /// `threads` counts the caller of a loop, so threads - 1 workers are started; < 1:
  /// default_threads(). `pin`: each worker stays on a CPU of its own.
  explicit thread_pool(int threads = 0, bool pin = true);
  /// REQUIRES: no loop is running.
  ~thread_pool();
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  int size() const { return size_; }

  /// Calls body(begin, end) on parts that make up [0, count), and returns when all are done; the
  /// caller takes part. Each thread starts with a static share; threads that finish early steal
  /// what others have not begun. `grain`: a smaller part is not worth another thread. An exception
  /// of a body is rethrown here, one of several; parts not begun by then are skipped.
  template <typename Body>
  void parallel_for(std::int64_t count, Body&& body, std::int64_t grain = 1) {
    if (count <= 0) return;
    if (size_ == 1 || count <= grain) return body(std::int64_t{0}, count);
    using body_type = std::remove_reference_t<Body>;
    run(count, grain,
        {const_cast<void*>(static_cast<const void*>(&body)),
         [](void* context, std::int64_t begin, std::int64_t end) {
           (*static_cast<body_type*>(context))(begin, end);
         }});
  }

 private:
  struct task {
    void* context;
    void (*call)(void*, std::int64_t begin, std::int64_t end);
  };
  struct shared;

  void run(std::int64_t count, std::int64_t grain, task);

  int size_;
  std::unique_ptr<shared> shared_;
};

}  // namespace sinter::runtime

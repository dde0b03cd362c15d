#include "engine/nodes/reference_count.hpp"

#include <mutex>
#include <thread>

#include <pthread.h>

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace sinter::detail {
namespace {

// State of the process's threads, shared by all sessions.
constinit std::mutex enrolling;
constinit counting_thread ending;  // another thread waits for the one that was alone

#if defined(__linux__)
bool membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0) == 0; }
bool barrier_promised() noexcept {
  return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
         membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}
/// The global barrier is the fallback for a process that has lost its registration.
void barrier_on_all_threads() noexcept {
  while (!membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) && !membarrier(MEMBARRIER_CMD_GLOBAL)) {
    std::this_thread::yield();
  }
}
#else
bool barrier_promised() noexcept { return false; }
void barrier_on_all_threads() noexcept {}
#endif

/// When the thread that counts alone ends, others may continue its counts.
struct leave {
  ~leave() {
    const std::scoped_lock lock(enrolling);
    counting_thread* me = &this_thread_counts;
    counts_alone.compare_exchange_strong(me, &several);
  }
};

/// In a child forked by another thread, the thread that counted alone does not exist.
void leave_in_child() noexcept {
  if (counts_alone != &this_thread_counts) counts_alone = &several;
}

}  // namespace

constinit thread_local counting_thread this_thread_counts;
constinit std::atomic<counting_thread*> counts_alone{nullptr};
constinit counting_thread several;

void enroll() noexcept {
  const std::scoped_lock lock(enrolling);
  counting_thread* const first = counts_alone.load();
  if (first == &several || first == &this_thread_counts) return;
  if (!first && barrier_promised()) {
    static thread_local const leave at_end;
    static const int forks_seen = pthread_atfork(nullptr, nullptr, leave_in_child);
    static_cast<void>(forks_seen);
    counts_alone = &this_thread_counts;
    return;
  }
  if (first) {
    counts_alone = &ending;
    barrier_on_all_threads();
    while (first->busy.load(std::memory_order_acquire)) std::this_thread::yield();
  }
  counts_alone = &several;
}

}  // namespace sinter::detail

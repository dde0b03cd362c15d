#pragma once
// The count of a node's handles. An atomic addition takes 6 to 12 ns and a statement makes a dozen:
// three fifths of the cost of a chain of small statements. While only one thread has ever counted,
// it uses plain loads and stores. The first other thread ends that mode for the rest of the
// process, and waits before its own first step until the first thread has finished its step.
//
// Why that is sound: a thread sets its busy flag, then checks whether it is alone; the thread that
// ends the mode first writes that, then runs a barrier on all threads of the process (membarrier),
// then checks who is busy. So either the one sees that it is not alone, or the other sees it busy.
// On systems without such a barrier, counts are atomic from the start.

#include <atomic>
#include <cstdint>

namespace sinter::detail {

/// Per thread: it is in a step that it takes alone.
struct counting_thread {
  std::atomic<bool> busy{false};
};

extern constinit thread_local counting_thread this_thread_counts;

/// The thread that counts alone; null before the first. Several threads: `several`.
extern constinit std::atomic<counting_thread*> counts_alone;
extern constinit counting_thread several;

/// Makes the calling thread the one that counts alone if it is the first, and otherwise ends that
/// mode. The step it is called for is atomic in either case.
void enroll() noexcept;

/// A step of the calling thread, possibly nested: while the outermost is `alone`, no other thread
/// is in a step, nor begins one.
class counting_turn {
 public:
  counting_turn() noexcept {
    within_ = this_thread_counts.busy.load(std::memory_order_relaxed);
    this_thread_counts.busy.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    counting_thread* const who = counts_alone.load(std::memory_order_acquire);
    alone_ = who == &this_thread_counts;
    if (alone_) return;
    this_thread_counts.busy.store(within_, std::memory_order_release);
    // The thread that ends the mode waits for the step around this one: waiting for it here would
    // deadlock.
    if (who != &several && !within_) enroll();
  }
  ~counting_turn() {
    if (alone_) this_thread_counts.busy.store(within_, std::memory_order_release);
  }
  counting_turn(const counting_turn&) = delete;
  bool alone() const { return alone_; }

 private:
  bool alone_, within_;
};

/// Thread safety: all of it, from any thread.
class reference_count {
 public:
  void add() noexcept {
    const counting_turn mine;
    if (mine.alone()) count_.store(value() + 1, std::memory_order_relaxed);
    else count_.fetch_add(1, std::memory_order_relaxed);
  }

  /// Returns whether that was the last one.
  bool drop() noexcept {
    const counting_turn mine;
    if (!mine.alone()) return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    const std::uint32_t left = value() - 1;
    count_.store(left, std::memory_order_relaxed);
    return left == 0;
  }

  /// Unless the count is 0. Returns whether it was not.
  bool add_if_held() noexcept {
    const counting_turn mine;  // rare enough to be atomic always
    std::uint32_t count = value();
    while (count > 0 && !count_.compare_exchange_weak(count, count + 1)) {
    }
    return count > 0;
  }

  std::uint32_t value() const noexcept { return count_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::uint32_t> count_{1};
};

}  // namespace sinter::detail

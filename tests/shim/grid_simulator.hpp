#pragma once
// Runs the threads of a block on one host thread, as fibers that switch where CUDA threads wait for
// each other. Deterministic; the caller chooses the order of threads between barriers, and a kernel
// whose result depends on it lacks a barrier.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace sinter::tests {

/// Same layout as in tests/shim/cuda_on_host.hpp.
struct cuda_machine {
  struct index {
    unsigned x = 0;
  };
  index thread, block, threads;
  void (*barrier)() = nullptr;
  void (*meet)(int threads) = nullptr;
  unsigned (*exchange)(unsigned value, int distance) = nullptr;
  void (*arrive)() = nullptr;
  void (*await)() = nullptr;
  void (*send)(unsigned* place, unsigned word, unsigned block) = nullptr;
};

/// The location of a kernel's shared memory.
struct shared_memory {
  char* begin = nullptr;
  char* end = nullptr;
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GNUC__) || \
    defined(__clang__)
inline constexpr bool jumps = false;
#else
/// swapcontext calls the kernel for the signal mask at every barrier of every thread: four fifths
/// of the time of simulated kernels. A jump does not, but sanitizers cannot follow it.
inline constexpr bool jumps = true;
#endif

/// The point where a stack resumes.
struct place_in_stack {
  ucontext_t whole;
  void* words[5];
};

/// Switches from one stack to where another one stopped, until something switches back.
class stack_change {
 public:
  [[gnu::noinline]] static void leave(place_in_stack& from, place_in_stack& to) {
    if constexpr (jumps) {
      if (__builtin_setjmp(from.words) == 0) jump(to);
    } else {
      swapcontext(&from.whole, &to.whole);
    }
  }
  /// The first switch to the other stack, which returns by `leave`.
  [[gnu::noinline]] static void begin(place_in_stack& from, place_in_stack& to) {
    if constexpr (jumps) {
      if (__builtin_setjmp(from.words) == 0) setcontext(&to.whole);
    } else {
      swapcontext(&from.whole, &to.whole);
    }
  }

 private:
  [[gnu::noinline, noreturn]] static void jump(place_in_stack& to) {
    __builtin_longjmp(to.words, 1);
  }
};

/// Runs functions one after another on its own stack. `resume` runs the function set by `start`
/// until it calls `pause` or returns.
class fiber {
 public:
  fiber() : stack_(new char[stack_bytes]) {
    getcontext(&inside_.whole);
    inside_.whole.uc_stack.ss_sp = stack_.get();
    inside_.whole.uc_stack.ss_size = stack_bytes;
    inside_.whole.uc_link = nullptr;
    const auto bits = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&inside_.whole, reinterpret_cast<void (*)()>(&fiber::enter), 2,
                static_cast<unsigned>(bits >> 32), static_cast<unsigned>(bits));
#if defined(__SANITIZE_THREAD__)
    tsan_inside_ = __tsan_create_fiber(0);
#endif
  }
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;
  ~fiber() {
    ending_ = true;
    resume();
#if defined(__SANITIZE_THREAD__)
    __tsan_destroy_fiber(tsan_inside_);
#endif
  }

  /// REQUIRES: the previous function has returned.
  void start(const std::function<void()>& body) {
    body_ = &body;
    done_ = false;
  }
  bool done() const {
    return done_;
  }

  void resume() {
#if defined(__SANITIZE_THREAD__)
    tsan_outside_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(tsan_inside_, 0);
#endif
#if defined(__SANITIZE_ADDRESS__)
    void* frames = nullptr;
    __sanitizer_start_switch_fiber(&frames, stack_.get(), stack_bytes);
#endif
    begun_ ? stack_change::leave(outside_, inside_) : stack_change::begin(outside_, inside_);
    begun_ = true;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(frames, nullptr, nullptr);
#endif
  }

  void pause() {
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(tsan_outside_, 0);
#endif
    void* frames = nullptr;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(ending_ ? nullptr : &frames, outside_stack_, outside_bytes_);
#endif
    stack_change::leave(inside_, outside_);
    arrive(frames);
  }

 private:
  static constexpr std::size_t stack_bytes = 256 << 10;

  static void enter(unsigned high, unsigned low) {
    const auto bits = static_cast<std::uintptr_t>(high) << 32 | low;
    auto* self = reinterpret_cast<fiber*>(bits);
    self->arrive(nullptr);
    while (!self->ending_) {
      (*self->body_)();
      self->done_ = true;
      self->pause();
    }
    self->pause();
  }

  void arrive([[maybe_unused]] void* frames) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(frames, &outside_stack_, &outside_bytes_);
#endif
  }

  std::unique_ptr<char[]> stack_;
  const std::function<void()>* body_ = nullptr;
  place_in_stack inside_, outside_;
  bool begun_ = false, done_ = true, ending_ = false;
  [[maybe_unused]] const void* outside_stack_ = nullptr;
  [[maybe_unused]] std::size_t outside_bytes_ = 0;
  [[maybe_unused]] void* tsan_inside_ = nullptr;
  [[maybe_unused]] void* tsan_outside_ = nullptr;
};

enum class thread_order { ascending, descending, odd_first };

/// Runs one block at a time, `body` once per thread; or the blocks of a cluster, each with its own
/// contents of shared memory. cuda_on_host.hpp is bound to the machine.
class grid_simulator {
 public:
  grid_simulator() {
    machine_.barrier = [] { active_->wait(active_->blocks_[active_->here_]); };
    machine_.meet = [](int threads) {
      meeting& some = active_->some_[active_->here_];
      some.size = static_cast<std::size_t>(threads);
      active_->wait(some);
    };
    machine_.exchange = [](unsigned value, int distance) {
      return active_->exchange(value, distance);
    };
    machine_.arrive = [] { active_->arrive(); };
    machine_.await = [] { active_->await(); };
    machine_.send = [](unsigned* place, unsigned word, unsigned block) {
      active_->send(place, word, block);
    };
  }
  grid_simulator(const grid_simulator&) = delete;
  grid_simulator& operator=(const grid_simulator&) = delete;

  cuda_machine* machine() { return &machine_; }

  /// Runs threads that never wait for each other, one after the other.
  void run_independent(unsigned block, int threads, const std::function<void()>& body) {
    machine_.block.x = block;
    machine_.threads.x = static_cast<unsigned>(threads);
    for (int t = 0; t < threads; ++t) {
      machine_.thread.x = static_cast<unsigned>(t);
      body();
    }
  }

  /// Throws std::logic_error when a thread waits for one that has ended.
  void run(unsigned block, int threads, thread_order order, const std::function<void()>& body) {
    run_cluster(block, 1, threads, order, {}, body);
  }

  /// Runs adjacent blocks concurrently, `first` being the lowest. Throws as `run` does.
  void run_cluster(unsigned first, int blocks, int threads, thread_order order,
                   shared_memory shared, const std::function<void()>& body) {
    begin(first, static_cast<std::size_t>(blocks), static_cast<std::size_t>(threads), shared);
    machine_.threads.x = static_cast<unsigned>(threads);
    const std::size_t count = words_.size();
    while (fibers_.size() < count) fibers_.push_back(std::make_unique<fiber>());
    for (std::size_t i = 0; i < count; ++i) fibers_[i]->start(body);
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::size_t i = 0; i < count; ++i) moved |= step(nth(i, count, order));
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (fibers_[i]->done()) continue;
      fibers_.clear();
      throw std::logic_error(fault_);
    }
  }

 private:
  struct meeting {
    std::size_t size = 0, arrived = 0;
    unsigned round = 0;
  };

  static std::size_t nth(std::size_t i, std::size_t count, thread_order order) {
    if (order == thread_order::ascending) return i;
    if (order == thread_order::descending) return count - 1 - i;
    return (2 * i + 1) % (count | 1);
  }

  void begin(unsigned first, std::size_t blocks, std::size_t threads, shared_memory shared) {
    active_ = this;
    threads_ = threads;
    first_ = first;
    here_ = 0;
    shared_ = shared;
    // Reads before writes must not see what another block left there.
    contents_.assign(blocks, std::vector<char>(shared.end - shared.begin, '\x5a'));
    std::copy(contents_[0].begin(), contents_[0].end(), shared.begin);
    fault_ = "a thread waits at a barrier that another one passed by";
    blocks_.assign(blocks, {threads});
    some_.assign(blocks, {});
    cluster_ = {blocks * threads};
    warps_.assign(blocks * ((threads + 31) / 32), {32});
    words_.assign(blocks * threads, 0);
    arrivals_.assign(blocks * threads, 0);
    rounds_.assign(blocks * threads, 0);
  }

  /// Loads the shared memory of a thread's block.
  void enter(std::size_t block) {
    machine_.block.x = first_ + static_cast<unsigned>(block);
    if (block == here_) return;
    std::copy(shared_.begin, shared_.end, contents_[here_].begin());
    std::copy(contents_[block].begin(), contents_[block].end(), shared_.begin);
    here_ = block;
  }

  /// Runs a thread until it must wait; false if it is still waiting.
  bool step(std::size_t thread) {
    fiber& f = *fibers_[thread];
    if (f.done()) return false;
    const unsigned before = progress_;
    enter(thread / threads_);
    current_ = thread;
    machine_.thread.x = static_cast<unsigned>(thread % threads_);
    running_ = &f;
    f.resume();
    return f.done() || progress_ != before;
  }

  void wait(meeting& m) {
    const unsigned round = m.round;
    ++progress_;
    if (++m.arrived == m.size) return pass(m);
    wait_beyond(m, round);
  }

  static void pass(meeting& m) {
    m.arrived = 0;
    ++m.round;
  }

  void wait_beyond(meeting& m, unsigned round) {
    fiber* self = running_;
    while (m.round == round) {
      self->pause();
      if (m.round != round) ++progress_;
    }
  }

  void arrive() {
    if (arrivals_[current_]++ != 0) stop("a thread arrives where it has not waited since it did");
    ++progress_;
    if (++cluster_.arrived == cluster_.size) pass(cluster_);
  }

  void await() {
    if (arrivals_[current_]-- != 1) stop("a thread waits for others, but has not arrived");
    const unsigned round = rounds_[current_]++;
    if (cluster_.round == round) wait_beyond(cluster_, round);
  }

  /// Stops the thread, so that the run ends with this message.
  void stop(const char* fault) {
    fault_ = fault;
    fiber* self = running_;
    while (true) self->pause();
  }

  void send(unsigned* place, unsigned word, unsigned block) {
    if (block == here_) {
      *place = word;
      return;
    }
    char* const to = contents_[block].data() + (reinterpret_cast<char*>(place) - shared_.begin);
    std::memcpy(to, &word, sizeof word);
  }

  unsigned exchange(unsigned value, int distance) {
    const std::size_t thread = current_;
    meeting& warp = warps_[thread / 32];
    words_[thread] = value;
    wait(warp);
    const unsigned other = words_[thread ^ static_cast<std::size_t>(distance)];
    wait(warp);
    return other;
  }

  static inline thread_local grid_simulator* active_ = nullptr;

  cuda_machine machine_;
  std::size_t threads_ = 0;  // per block
  std::size_t here_ = 0;     // the block whose contents are in shared memory
  std::size_t current_ = 0;  // the running thread, counted over all blocks
  unsigned first_ = 0;
  const char* fault_ = "";
  shared_memory shared_;
  std::vector<std::vector<char>> contents_;
  meeting cluster_;
  std::vector<meeting> blocks_, some_, warps_;  // some: of a block's first threads
  std::vector<unsigned> words_;
  std::vector<int> arrivals_;     // per thread, not awaited yet
  std::vector<unsigned> rounds_;  // awaited, per thread
  std::vector<std::unique_ptr<fiber>> fibers_;  // reused for all blocks
  fiber* running_ = nullptr;
  unsigned progress_ = 0;
};

}  // namespace sinter::tests

#include "runtime/thread_pool.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/cpu/host.hpp"

namespace sinter::runtime {

namespace {

constexpr int max_threads = 4096;

/// A page that the kernel clears in a forked child.
class fork_flag {
 public:
  fork_flag() {
    bytes_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* page = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    alive_ = static_cast<volatile int*>(page);
    *alive_ = 1;
    madvise(page, bytes_, MADV_WIPEONFORK);
  }
  ~fork_flag() {
    if (alive_) munmap(const_cast<int*>(alive_), bytes_);
  }
  fork_flag(const fork_flag&) = delete;
  fork_flag& operator=(const fork_flag&) = delete;
  bool in_child() const { return alive_ && *alive_ == 0; }

 private:
  volatile int* alive_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A thread's share of a loop. Whoever advances `next` from below `end` runs that piece.
struct alignas(64) share {
  std::atomic<std::int64_t> next{0};
  std::int64_t end = 0;
};

// The pool whose loop this thread is running.
thread_local const void* running_pool = nullptr;

}  // namespace

int default_threads() {
  if (const char* text = std::getenv("SINTER_THREADS")) {
    const int threads = std::atoi(text);
    if (threads > 0) return std::min(threads, max_threads);
  }
  const int cpus = static_cast<int>(host_cpus().size());
  const int quota = host_cpu_quota();
  return quota > 0 ? std::min(cpus, quota) : cpus;
}

struct thread_pool::shared {
  // In `gate`: workers may join; the low bits count those that have joined or are checking.
  static constexpr std::uint32_t open = 1u << 31;

  explicit shared(int threads, bool pin);
  ~shared();

  void work(int index);
  void wake_two();
  void join_loop(int index);
  void run_pieces(int index);
  bool wait_awake(std::uint32_t seen) const;
  void start(std::int64_t count, std::int64_t grain, task body);
  void finish();

  std::mutex one_loop;
  std::vector<share> shares;
  std::vector<std::thread> workers;
  int spins = 0;
  fork_flag forked;

  // The current loop. Written while the gate is shut and no worker has joined.
  task body{};
  std::int64_t piece = 1;
  int parts = 0;
  std::atomic<bool> failed{false};
  std::exception_ptr error;

  alignas(64) std::atomic<std::uint32_t> loops{0};  // idle workers wait on it
  alignas(64) std::atomic<std::uint32_t> gate{0};
  std::atomic<int> to_wake{0};
  std::atomic<bool> stop{false};
};

thread_pool::shared::shared(int threads, bool pin) : shares(threads) {
  const std::vector<int> cpus = host_cpus();
  // With a CPU per thread, spinning for the next loop takes time from no one.
  spins = threads <= static_cast<int>(cpus.size()) ? 2000 : 0;
  workers.reserve(threads - 1);
  for (int index = 1; index < threads; ++index) {
    try {
      workers.emplace_back([this, index] { work(index); });
    } catch (...) {
      break;  // fewer workers do the same work
    }
    if (!pin) continue;
    cpu_set_t set;
    CPU_ZERO(&set);
    const int cpu = cpus[index % cpus.size()];
    if (cpu >= CPU_SETSIZE) continue;
    CPU_SET(cpu, &set);
    pthread_setaffinity_np(workers.back().native_handle(), sizeof set, &set);
  }
}

thread_pool::shared::~shared() {
  if (forked.in_child()) {
    for (std::thread& worker : workers) worker.detach();
    return;
  }
  stop.store(true, std::memory_order_relaxed);
  loops.fetch_add(1, std::memory_order_release);
  loops.notify_all();
  for (std::thread& worker : workers) worker.join();
}

bool thread_pool::shared::wait_awake(std::uint32_t seen) const {
  for (int i = 0; i < spins; ++i) {
    if (loops.load(std::memory_order_acquire) != seen) return true;
    pause_briefly();
  }
  return false;
}

// Each woken worker wakes two more: waking many takes the caller longer than most loops do.
void thread_pool::shared::wake_two() {
  for (int i = 0; i < 2; ++i) {
    if (to_wake.load(std::memory_order_relaxed) <= 0) return;
    if (to_wake.fetch_sub(1, std::memory_order_relaxed) <= 0) return;
    loops.notify_one();
  }
}

void thread_pool::shared::work(int index) {
  running_pool = this;
  std::uint32_t seen = 0;
  for (;;) {
    if (!wait_awake(seen)) {
      loops.wait(seen, std::memory_order_acquire);
      wake_two();
    }
    seen = loops.load(std::memory_order_acquire);
    if (stop.load(std::memory_order_relaxed)) return;
    join_loop(index);
  }
}

// Joins any open loop, even a later one than the one that woke this worker.
void thread_pool::shared::join_loop(int index) {
  const bool joined = gate.fetch_add(1, std::memory_order_acquire) & open;
  if (joined) run_pieces(index);
  if (gate.fetch_sub(1, std::memory_order_release) == 1) gate.notify_one();
}

void thread_pool::shared::run_pieces(int index) {
  for (int i = 0; i < parts; ++i) {
    share& from = shares[(index + i) % parts];
    // A plain read first keeps the cache line of an exhausted share in shared state.
    while (from.next.load(std::memory_order_relaxed) < from.end) {
      const std::int64_t begin = from.next.fetch_add(piece, std::memory_order_relaxed);
      if (begin >= from.end) break;
      if (failed.load(std::memory_order_relaxed)) continue;
      try {
        body.call(body.context, begin, std::min(begin + piece, from.end));
      } catch (...) {
        if (!failed.exchange(true)) error = std::current_exception();
      }
    }
  }
}

void thread_pool::shared::start(std::int64_t count, std::int64_t grain, task to_run) {
  body = to_run;
  const std::int64_t most = (count + grain - 1) / grain;
  parts = static_cast<int>(std::min<std::int64_t>(most, static_cast<std::int64_t>(shares.size())));
  const std::int64_t each = count / parts;
  const std::int64_t longer = count % parts;
  // Four pieces per share: a late or interrupted worker leaves little behind.
  piece = std::max(grain, (each + 3) / 4);
  std::int64_t begin = 0;
  for (int i = 0; i < parts; ++i) {
    shares[i].next.store(begin, std::memory_order_relaxed);
    begin += each + (i < longer ? 1 : 0);
    shares[i].end = begin;
  }
  to_wake.store(parts - 1, std::memory_order_relaxed);
  gate.fetch_or(open, std::memory_order_release);
  loops.fetch_add(1, std::memory_order_release);
  wake_two();
}

void thread_pool::shared::finish() {
  std::uint32_t now = gate.fetch_and(~open, std::memory_order_acquire) & ~open;
  for (int i = 0; now != 0 && i < spins; ++i) {
    pause_briefly();
    now = gate.load(std::memory_order_acquire);
  }
  while (now != 0) {
    gate.wait(now, std::memory_order_acquire);
    now = gate.load(std::memory_order_acquire);
  }
}

thread_pool::thread_pool(int threads, bool pin)
    : size_(std::min(threads < 1 ? default_threads() : threads, max_threads)),
      shared_(std::make_unique<shared>(size_, pin)) {}

thread_pool::~thread_pool() = default;

void thread_pool::run(std::int64_t count, std::int64_t grain, task body) {
  if (running_pool == shared_.get() || shared_->forked.in_child()) {
    return body.call(body.context, 0, count);
  }
  std::lock_guard one(shared_->one_loop);
  const void* outer = std::exchange(running_pool, shared_.get());
  shared_->start(count, std::max<std::int64_t>(grain, 1), body);
  shared_->run_pieces(0);
  shared_->finish();
  running_pool = outer;
  if (!shared_->failed.load(std::memory_order_relaxed)) return;
  shared_->failed.store(false, std::memory_order_relaxed);
  std::rethrow_exception(std::exchange(shared_->error, nullptr));
}

}  // namespace sinter::runtime

#include "runtime/thread_pool.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/catch.hpp"

namespace thread_pool_test {

using sinter::runtime::thread_pool;

namespace {

// Does the loop run each index exactly once?
bool covers(thread_pool& pool, std::int64_t count, std::int64_t grain) {
  std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
  pool.parallel_for(
      count,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
      },
      grain);
  for (const auto& times : seen) {
    if (times != 1) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("each index runs once, whatever the count, the threads and the grain") {
  for (int threads : {1, 2, 3, 8, 33}) {
    thread_pool pool(threads);
    CHECK(pool.size() == threads);
    for (std::int64_t count : {0, 1, 2, 3, 7, 32, 33, 1000, 4097}) {
      for (std::int64_t grain : {1, 5, 1000}) CHECK(covers(pool, count, grain));
    }
  }
}

TEST_CASE("loops follow each other without pause") {
  thread_pool pool(4);
  std::int64_t total = 0;
  for (int i = 0; i < 5000; ++i) {
    std::atomic<std::int64_t> sum{0};
    pool.parallel_for(17, [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
    total += sum;
  }
  CHECK(total == 5000 * 17);
}

TEST_CASE("loops after pauses find their workers again") {
  thread_pool pool(4);
  for (int i = 0; i < 20; ++i) {
    CHECK(covers(pool, 100, 1));
    std::this_thread::sleep_for(std::chrono::milliseconds(i));
  }
}

TEST_CASE("small loops stay on the calling thread") {
  thread_pool pool(4);
  const auto me = std::this_thread::get_id();
  std::atomic<bool> alone{true};
  const auto body = [&](std::int64_t, std::int64_t) {
    if (std::this_thread::get_id() != me) alone = false;
  };
  for (int i = 0; i < 100; ++i) {
    pool.parallel_for(1, body);
    pool.parallel_for(64, body, 64);
  }
  CHECK(alone);
}

TEST_CASE("several threads may start loops at once") {
  thread_pool pool(3);
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        if (!covers(pool, 50, 1)) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(wrong == 0);
}

TEST_CASE("a loop inside a loop runs") {
  thread_pool pool(4);
  std::atomic<int> inner{0};
  pool.parallel_for(8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      pool.parallel_for(10,
                        [&](std::int64_t b, std::int64_t e) { inner += static_cast<int>(e - b); });
    }
  });
  CHECK(inner == 80);
}

TEST_CASE("what a body throws reaches the caller, and the pool goes on") {
  thread_pool pool(4);
  for (int i = 0; i < 50; ++i) {
    CHECK_THROWS_AS(pool.parallel_for(100,
                                      [&](std::int64_t begin, std::int64_t) {
                                        if (begin >= 25) throw std::runtime_error("25");
                                      }),
                    std::runtime_error);
    CHECK(covers(pool, 100, 1));
  }
}

TEST_CASE("SINTER_THREADS sets the number of threads") {
  setenv("SINTER_THREADS", "3", 1);
  CHECK(sinter::runtime::default_threads() == 3);
  setenv("SINTER_THREADS", "nonsense", 1);
  CHECK(sinter::runtime::default_threads() >= 1);
  unsetenv("SINTER_THREADS");
  CHECK(sinter::runtime::default_threads() >= 1);
}

#if !defined(__SANITIZE_THREAD__)
TEST_CASE("the child of a fork runs loops by itself") {
  thread_pool pool(4);
  CHECK(covers(pool, 100, 1));
  const pid_t child = fork();
  if (child == 0) _exit(covers(pool, 100, 1) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(covers(pool, 100, 1));
}
#endif

TEST_CASE("fork and join of an empty loop", "[.benchmark]") {
  for (int threads = 2; threads <= sinter::runtime::default_threads(); threads *= 2) {
    thread_pool pool(threads);
    constexpr int rounds = 20000;
    std::atomic<std::int64_t> sum{0};
    const auto body = [&](std::int64_t begin, std::int64_t end) {
      if (end < begin) sum.fetch_add(1, std::memory_order_relaxed);
    };
    const auto time = [&](std::int64_t count) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < rounds; ++i) pool.parallel_for(count, body);
      const std::chrono::duration<double, std::nano> taken =
          std::chrono::steady_clock::now() - start;
      return taken.count() / rounds;
    };
    // A loop of 2 us per thread, while the other threads sleep.
    std::chrono::duration<double, std::micro> asleep{0};
    for (int i = 0; i < 100; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const auto start = std::chrono::steady_clock::now();
      pool.parallel_for(16 * threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin * 100; k < end * 100; ++k) {
          if (k < 0) sum.fetch_add(1, std::memory_order_relaxed);
          asm volatile("" ::: "memory");
        }
      });
      asleep += std::chrono::steady_clock::now() - start;
    }
    WARN(threads << " threads: " << time(threads) << " ns for a part each, " << time(2)
                 << " ns for two parts, " << time(1000) << " ns for 1000, " << asleep.count() / 100
                 << " us after a pause");
  }
}

}  // namespace thread_pool_test

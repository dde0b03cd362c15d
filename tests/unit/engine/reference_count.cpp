// Switching a count from one thread's plain additions to several threads' atomic ones loses none. A
// process switches only once, so every attempt is a process of its own.
#include "engine/nodes/reference_count.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/catch.hpp"

namespace reference_count_test {

namespace sn = sinter;
using sn::detail::reference_count;

namespace {

/// Does a count end at one after this thread and another have added to it and subtracted as much?
/// The other thread starts after `head_start` rounds.
bool keeps_count(int head_start) {
  reference_count count;
  std::atomic<bool> started{false}, done{false};
  const auto rounds = [&count](int n) {
    for (int i = 0; i < n; ++i) {
      count.add();
      count.add();
      if (count.drop() || count.drop()) return false;
    }
    return true;
  };
  bool fine = rounds(head_start), others = false;
  std::thread other([&] {
    started = true;
    others = rounds(2000);
    done = true;
  });
  while (!started || !done) fine = rounds(10) && fine;
  other.join();
  return fine && others && count.value() == 1 && count.drop();
}

/// Does this thread count without atomic operations?
bool alone() {
  reference_count count;
  count.add();
  return sn::detail::counts_alone == &sn::detail::this_thread_counts;
}

}  // namespace

TEST_CASE("a second thread that starts to count loses no addition of the first") {
  int failed = 0;
  for (int i = 0; i < 200; ++i) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) _exit(!alone() ? 2 : keeps_count(i) ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) == 2) {
      WARN("left out: two threads of this process have counted before, or it has no membarrier");
      return;
    }
    failed += status != 0;
  }
  CHECK(failed == 0);
}

TEST_CASE("a thread that counted alone may end: others go on with its counts") {
#ifdef __SANITIZE_THREAD__
  WARN("left out: ThreadSanitizer ends a forked process that starts threads");
  return;
#endif
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    reference_count count;
    const auto some = [&] {
      for (int i = 0; i < 100; ++i) count.add();
    };
    std::thread(some).join();
    std::thread(some).join();
    some();
    _exit(count.value() == 301 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

TEST_CASE("a count that is none any more is not taken up again") {
  reference_count count;
  CHECK(count.add_if_held());
  CHECK_FALSE(count.drop());
  CHECK(count.drop());
  CHECK_FALSE(count.add_if_held());
  CHECK(count.value() == 0);
}

}  // namespace reference_count_test

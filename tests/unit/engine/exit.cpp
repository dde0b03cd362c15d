// Background work at the end of a process.
#include <cstdlib>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/unit/runtime/cache_folder.hpp"

namespace exit_test {

namespace sn = sinter;
using floats = sn::array<float>;

namespace {

/// This program's exit status, restarted for a hidden test case; 128 + n for signal n.
int status_of(const char* test_case, const cache_folder& cache) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("SINTER_CACHE_DIR", cache.path.c_str(), 1);
    ::setenv("SINTER_TUNE", "1", 1);
    ::execl("/proc/self/exe", "exit", test_case, static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Often enough that its neighbours are being compiled. Rows of 13 have several.
void run_hot() {
  const floats x = sn::random::uniform<float>({80'000, 13}, {.seed = 1});
  sn::eval(x);
  for (int i = 0; i < 90; ++i) {
    const floats y = x / sn::sqrt(sn::sum(x * x, {.axis = 1, .keepdims = true}));
    sn::eval(y);
  }
  sn::synchronize();
}

}  // namespace

TEST_CASE("exit while hot kernels are being compiled", "[.]") {
  run_hot();
  std::exit(0);
}

TEST_CASE("exit while what another thread ran is being compiled", "[.]") {
  std::thread(run_hot).join();
  std::exit(0);
}

TEST_CASE("exit: a compiler in the background does not outlive what it uses") {
  const cache_folder cache;
  // The first run compiles; the others find their kernels, and only the background compiles.
  for (int i = 0; i < 4; ++i) {
    CHECK(status_of("exit while hot kernels are being compiled", cache) == 0);
    CHECK(status_of("exit while what another thread ran is being compiled", cache) == 0);
  }
}

}  // namespace exit_test

// Several threads on one session and on each other's arrays. Correct results prove little here:
// this is for ThreadSanitizer.

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace threads_test {

namespace sn = sinter;

namespace {

/// Calls work(0) to work(count - 1) concurrently; returns how many returned false.
int failures(int count, const std::function<bool(int)>& work) {
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&, t] { failed += !work(t); });
  }
  for (std::thread& t : threads) t.join();
  return failed;
}

}  // namespace

TEST_CASE("threads read, print and explain one pending array at once") {
  for (int round = 0; round < 10; ++round) {
    const sn::array<float> x = sn::arange<float>(1000) + static_cast<float>(round);
    const sn::array<float> y = x * 2 + 1;
    const sn::array<float> view = y(sn::slice(10, 20));
    const float first = 2 * static_cast<float>(round) + 1;
    CHECK(failures(6, [&](int t) {
            switch (t) {
              case 0: return y.to_host()[0] == first;
              case 1: return sn::to_string(view).size() > 10;
              case 2: return sn::device_of(y) == sn::current_device();
              case 3: return sn::explain(y, {.source = false}).size() > 10;
              case 4: return view(0).item() == first + 20;
              default: return sn::min(y).item() == first;
            }
          }) == 0);
  }
}

TEST_CASE("threads extend, slice and drop one another's arrays") {
  sn::array<float> shared = sn::zeros<float>({100});
  CHECK(failures(4, [&](int t) {
          const sn::array<float> before = shared;
          sn::array<float> mine = before;
          for (int i = 0; i < 25; ++i) {
            mine = mine + 1;
            mine(sn::slice(0, 10)) = mine(sn::slice(10, 20)) * 2;
            if (i % 8 == t) sn::eval(mine);
          }
          return mine(99).item() == 25 && before(0).item() == 0;
        }) == 0);
  CHECK(sn::sum(shared).item() == 0);
}

TEST_CASE("settings change and are asked for while others compute") {
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done) {
      sn::fusion(false);
      sn::fusion(true);
      sn::dump("");
      sn::session_statistics();
      sn::devices();
      sn::status();
      sn::memory();
      sn::trim();
    }
  });
  CHECK(failures(3, [&](int t) {
          bool ok = true;
          for (int i = 0; i < 20; ++i) {
            const sn::array<float> x = sn::ones<float>({200 + t}) * static_cast<float>(i);
            ok = ok && sn::sum(sn::sqrt(x * x)).item() == static_cast<float>(i * (200 + t));
          }
          return ok;
        }) == 0);
  done = true;
  other.join();
}

}  // namespace threads_test

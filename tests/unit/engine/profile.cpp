// Timers and memory watches, on the default device.

#include <thread>
#include <vector>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace profile_test {

namespace sn = sinter;

namespace {

using kind = sn::memory_event::kind;

sn::array<float> numbers(std::int64_t n) {
  sn::array<float> x = sn::random::uniform<float>({n}, {.seed = 1});
  sn::eval(x);
  return x;
}

}  // namespace

TEST_CASE("a timer measures the work between its start and its reading") {
  const auto x = numbers(4'000'000);
  const auto work = [&](int times) {
    const sn::timer t;
    for (int i = 0; i < times; ++i) {
      const sn::array<float> y = sn::exp(x) + static_cast<float>(i);
      sn::eval(y);
    }
    return t.seconds();
  };
  work(1);  // compiles
  const double few = work(2), many = work(40);
  CHECK(few > 0);
  CHECK(many > few);
  CHECK(many < 60);
}

TEST_CASE("a timer that starts again forgets what was before") {
  const auto x = numbers(4'000'000);
  sn::timer t;
  for (int i = 0; i < 20; ++i) sn::eval(sn::array<float>(sn::sin(x) + static_cast<float>(i)));
  const double all = t.seconds();
  t.restart();
  CHECK(t.seconds() < all);
}

TEST_CASE("a watch sees the blocks of arrays come and go") {
  const auto device = sn::current_device();
  std::vector<sn::memory_event> events;
  events.reserve(100);
  sn::trim();  // the block below exceeds what others left: it gets its own segment
  const auto before = sn::memory().used;
  {
    const sn::memory_watch watch([&](const sn::memory_event& e) { events.push_back(e); }, device);
    auto x = numbers(10'000'000);
    x = {};
    sn::trim();
  }
  const auto first = [&](kind what) {
    return std::find_if(events.begin(), events.end(),
                        [&](const auto& e) { return e.what == what && e.bytes >= 40'000'000; });
  };
  const auto made = first(kind::allocate), gone = first(kind::free);
  REQUIRE(made != events.end());
  REQUIRE(gone != events.end());
  CHECK(made < gone);
  CHECK(made->data == gone->data);
  CHECK(made->bytes == gone->bytes);
  CHECK(made->after.used == before + made->bytes);
  CHECK(gone->after.used == before);
  CHECK(first(kind::release) != events.end());
  const auto count = events.size();
  numbers(10'000'000);
  CHECK(events.size() == count);
}

TEST_CASE("threads make events one at a time") {
  std::int64_t used = sn::memory().used, mistakes = 0, count = 0;
  const sn::memory_watch watch([&](const sn::memory_event& e) {
    if (e.what == kind::allocate) used += e.bytes;
    if (e.what == kind::free) used -= e.bytes;
    mistakes += used != e.after.used;
    ++count;
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 1; i <= 50; ++i) numbers(i * 1000);
    });
  }
  for (auto& t : threads) t.join();
  CHECK(mistakes == 0);
  CHECK(count >= 400);
}

TEST_CASE("a device that is not there has no timer and no watch") {
  const sn::device none(sn::device::kind::cuda, 99);
  CHECK_THROWS_AS(sn::timer(none), sn::device_error);
  CHECK_THROWS_AS(sn::memory_watch([](const sn::memory_event&) {}, none), sn::device_error);
}

}  // namespace profile_test

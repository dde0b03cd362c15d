// The tuner, on a device with scripted kernel durations: kernels run on the host and advance the
// driver's clock.

#include "engine/evaluation/tuner.hpp"

#include <fstream>
#include <thread>

#include "tests/catch.hpp"
#include "tests/unit/fake_cuda/scripted_kernels.hpp"

namespace tuner_test {

using namespace sinter;
using namespace sinter::tests;

TEST_CASE("a hot kernel gets the schedule that is faster, and the same bits in every run") {
  scene s;
  s.takes("unroll 4", 60e-6, 100e-6);
  const cache_folder folder;
  process p(s, folder);
  p.run(5);
  CHECK(p.runs(s.kernel()));
  p.settle();
  CHECK(p.variants() == static_cast<std::int64_t>(ir::neighbours(s.kernel()).size()));
  CHECK(p.runs(s.with("unroll 4")));
  CHECK(p.text() == "tuned: unroll 4, 60 us instead of 100");
  const int others = launches_of(s.with("threads 64"));
  p.run(50);
  CHECK(launches_of(s.with("threads 64")) == others);
  CHECK(others == quick.rounds);
}

TEST_CASE("what was found out holds for later plans and processes, which try and compile nothing") {
  scene s;
  s.takes("vector 2", 60e-6, 100e-6);
  const cache_folder folder;
  {
    process first(s, folder);
    first.settle();
    const auto variants = first.variants();
    first.renew();
    CHECK(first.runs(s.with("vector 2")));
    first.settle();
    CHECK(first.variants() == variants);
  }
  process second(s, folder);
  CHECK(second.runs(s.with("vector 2")));
  second.settle();
  CHECK(second.variants() == 0);
  CHECK(second.compiler->compiled == 0);
  CHECK(second.text() ==
        "tuned: vector 2, 60 us instead of 100 (timed by an earlier process)");
}

TEST_CASE("no neighbour is taken for a little, and that there is none is remembered") {
  scene s;
  s.takes("vector 2", 98e-6, 100e-6);
  const cache_folder folder;
  {
    process first(s, folder);
    first.settle();
    CHECK(first.runs(s.kernel()));
    CHECK(first.text() == "tuned: 100 us, and no neighbour is faster");
  }
  process second(s, folder);
  second.settle();
  CHECK(second.variants() == 0);
  CHECK(second.runs(s.kernel()));
}

TEST_CASE("kernels that are short, or run seldom, are left alone") {
  scene s;
  s.takes("vector 2", 1e-6, 10e-6);
  const cache_folder folder;
  process p(s, folder);
  p.settle();
  CHECK(p.variants() == 0);
  CHECK(p.text().empty());
  s.takes("vector 2", 1e-3, 10e-3);
  process seldom(s, folder, {.hot = 1000});
  for (int i = 0; i < 12; ++i) {
    seldom.run(8);
    seldom.renew();
  }
  seldom.later.wait();
  CHECK(seldom.variants() == 0);
}

TEST_CASE("what is far slower is launched a few times") {
  scene s;
  s.takes("threads 64", 10e-3, 100e-6);
  const cache_folder folder;
  process p(s, folder);
  p.settle();
  CHECK(launches_of(s.with("threads 64")) == 2);
  CHECK(launches_of(s.with("vector 2")) == quick.rounds);
  CHECK(p.runs(s.kernel()));
}

TEST_CASE("compiling and trying are limited") {
  scene s;
  s.takes("vector 2", 60e-6, 100e-6);
  const cache_folder folder;
  tuning_limits none = quick;
  none.compiling = 0;
  process idle(s, folder, none);
  idle.settle();
  CHECK(idle.variants() == 0);
  CHECK(idle.runs(s.kernel()));
  script().seconds = [own = s.kernel().schedule](const ir::schedule& x) {
    return x == own ? 100e-6 : 1e-3;
  };
  tuning_limits little = quick;
  little.trying = 1.5e-3;
  process tired(s, folder, little);
  tired.settle();
  CHECK(tired.variants() > 1);
  int tries = 0;
  for (const ir::neighbour& n : ir::neighbours(s.kernel())) tries += launches_of(s.with(n.name));
  CHECK(tries == 2);
  CHECK(tired.runs(s.kernel()));
  CHECK(tired.text().empty());
  script().seconds = [](const ir::schedule&) { return 100e-6; };
  process later(s, folder);  // nothing was stored
  later.settle();
  CHECK(later.text() == "tuned: 100 us, and no neighbour is faster");
}

TEST_CASE("without tuning nothing is tried, nor taken from others") {
  scene s;
  s.takes("vector 2", 60e-6, 100e-6);
  const cache_folder folder;
  process(s, folder).settle();
  process p(s, folder);
  p.tuning.enable(false);
  p.settle();
  CHECK(p.runs(s.kernel()));
  CHECK(p.variants() == 0);
  setenv("SINTER_TUNE", "off", 1);
  CHECK_FALSE(detail::tuner(p.disk, p.later).enabled());
  unsetenv("SINTER_TUNE");
  CHECK(detail::tuner(p.disk, p.later).enabled());
}

TEST_CASE("where launches are recorded nothing is tried, but what is known is taken") {
  scene s;
  s.takes("vector 2", 60e-6, 100e-6);
  const cache_folder folder;
  {
    process p(s, folder);
    p.run(200, false);
    p.later.wait();
    CHECK(p.variants() == 0);
    CHECK(p.runs(s.kernel()));
    p.settle();
  }
  process p(s, folder);
  p.run(1, false);
  CHECK(launches_of(s.kernel()) > 0);
  const int before = launches_of(s.with("vector 2"));
  p.run(2, false);
  CHECK(launches_of(s.with("vector 2")) == before + 2);
}

TEST_CASE("a damaged note, or somebody else's, is none") {
  scene s;
  s.takes("vector 2", 60e-6, 100e-6);
  const cache_folder folder;
  process(s, folder).settle();
  for (const auto& entry : folder.entries()) {
    std::fstream f(entry, std::ios::in | std::ios::out | std::ios::binary);
    f.seekp(-2, std::ios::end);
    f << "xx";
  }
  process damaged(s, folder);
  CHECK(damaged.runs(s.kernel()));
  damaged.settle();
  CHECK(damaged.runs(s.with("vector 2")));
  const std::string key = damaged.plan->tuning[0]->key;
  const auto variants_with = [&](const std::string& note) {
    damaged.disk.store(key, bytes_of_text(note));
    process p(s, folder);
    CHECK(p.runs(s.kernel()));
    p.settle();
    CHECK(p.runs(s.with("vector 2")));
    return p.variants();
  };
  for (const char* note : {"", "vector 2", "vector 2\n", "vector 2\n1e-4", "vector 2\n1e-4 nan",
                           "vector 2\n-1 1e-4", "no such thing\n1e-4 1e-4\n", "\n0 0\n"}) {
    INFO(note);
    CHECK(variants_with(note) > 0);
  }
}

TEST_CASE("neighbours that do not compile, or cannot be launched, are left out") {
  scene s;
  s.takes("vector 2", 60e-6, 100e-6);
  const cache_folder folder;
  process p(s, folder);
  p.compiler->fails = [&](const ir::schedule& x) { return x == s.with("vector 2").schedule; };
  p.settle();
  CHECK(p.runs(s.kernel()));
  CHECK(p.text() == "tuned: 100 us, and no neighbour is faster");

  const cache_folder other;
  process q(s, other);
  const auto refuse = driver_function<decltype(fake_cuda_refuse)>("fake_cuda_refuse");
  refuse(entry(script_compiler::number_of(s.with("vector 2"))));
  q.settle();
  refuse(nullptr);
  CHECK(q.runs(s.kernel()));
}

TEST_CASE("sizes of another class are timed by themselves") {
  scene small;
  small.takes("vector 2", 60e-6, 100e-6);
  const cache_folder folder;
  process(small, folder).settle();
  scene large(80'000);
  large.takes("unroll 4", 60e-6, 100e-6);
  process p(large, folder);
  CHECK(p.runs(large.kernel()));
  p.settle();
  CHECK(p.runs(large.with("unroll 4")));
}

TEST_CASE("the background ends with its tuner, whatever is left to compile") {
  scene s;
  const cache_folder folder;
  for (int i = 0; i < 5; ++i) {
    process p(s, folder);
    p.run(8);
    if (i % 2 == 0) p.later.stop();
    p.run(40);
  }
}

TEST_CASE("threads run one plan while its neighbours are compiled and tried") {
  scene s;
  s.takes("vector 2", 60e-6, 100e-6);
  const cache_folder folder;
  process p(s, folder);
  std::mutex evaluation;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        const std::scoped_lock lock(evaluation);
        p.run(1);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  p.settle();
  CHECK(p.runs(s.with("vector 2")));
}

}  // namespace tuner_test

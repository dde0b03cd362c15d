// Neighbours of the planner's schedules, on the tests' device: the same bits, and work within the
// limits. For the tuner itself see fake_cuda.
#include <chrono>
#include <cstring>
#include <thread>

#include "engine/evaluation/run_plan.hpp"
#include "engine/evaluation/tuner.hpp"
#include "ir/passes/neighbours.hpp"
#include "tests/catch.hpp"
#include "tests/support/tuned_programs.hpp"

namespace tuning_test {

namespace sn = sinter;
using namespace sinter::tests;

namespace {

class tried_program {
 public:
  explicit tried_program(const tuned_program& p) : planned_(p, on_.machine) {
    std::vector<std::int64_t> values;
    const auto made = std::make_shared<const sn::detail::planned>(
        planned_.plan, sn::ir::recipe{}, on_.kernels->get(planned_.plan.kernels));
    ready_ = sn::detail::size_plan(made, {}, values);
  }

  /// Returns the number of neighbours.
  int check(const std::string& name) {
    const auto expected = run(nullptr);
    int count = 0;
    for (std::size_t step = 0; step < planned_.plan.steps.size(); ++step) {
      const sn::ir::plan_step& s = planned_.plan.steps[step];
      if (s.what != sn::ir::plan_step::kind::kernel) continue;
      sn::ir::kernel k = planned_.plan.kernels[static_cast<std::size_t>(s.kernel)];
      for (const sn::ir::neighbour& n : sn::ir::neighbours(k)) {
        INFO(name << ", step " << step << " with " << n.name);
        k.schedule = n.schedule;
        sn::detail::timed_launch other;
        other.step = step;
        other.code = on_.kernels->beside(k);
        other.blocks = sn::detail::blocks_with(*ready_, step, k);
        REQUIRE(other.blocks > 0);
        CHECK((run(&other) == expected));
        CHECK(other.end);
        CHECK(on_.device->seconds_between(*other.begin, *other.end) >= 0);
        CHECK(on_.device->passed(*other.end));
        ++count;
      }
    }
    return count;
  }

 private:
  std::vector<std::byte> run(sn::detail::timed_launch* timed) {
    const std::scoped_lock lock(sn::detail::the_session().evaluation);
    run_plan(*ready_, planned_.snap, *on_.device, on_.statuses, said_, room_, timed);
    const sn::ir::plan& plan = planned_.plan;
    const sn::ir::plan_buffer& result =
        plan.buffers[static_cast<std::size_t>(plan.outputs.at(0))];
    const auto bytes = static_cast<std::size_t>(result.count) * sn::size_of(result.type);
    std::vector<std::byte> out(bytes);
    on_.device->copy_to_host(out.data(), *room_.results[0], 0, bytes);
    return out;
  }

  sn::detail::target& on_ = sn::detail::the_session().current();
  planned_program planned_;
  std::shared_ptr<sn::detail::ready_plan> ready_;
  sn::detail::once said_;
  sn::detail::run_room room_;
};

int check_all(const std::vector<tuned_program>& programs) {
  int count = 0;
  for (const tuned_program& p : programs) count += tried_program(p).check(p.name);
  return count;
}

bool compiles() {
  return sn::detail::the_session().current().kernels->compiles();
}

/// Evaluates x * y + c until it is tuned, at most `most` times.
std::string explained_after(int most, float c) {
  // Long enough to be tuned: a GPU finishes a million elements before the next launch.
  const std::int64_t n = sn::current_device() == sn::device("cpu") ? 1 << 20 : 1 << 25;
  const auto x = uneven({n}), y = uneven({n}, 2);
  const sn::array<float> first = x * y + c;
  const auto expected = first.to_host();
  for (int i = 0;; ++i) {
    const sn::array<float> again = x * y + c;
    sn::eval(again);
    if (i % 50 != 0 && i < most) continue;
    REQUIRE((again.to_host() == expected));
    const std::string text = sn::explain(again, {.source = false});
    if (i >= most || text.find("tuned: ") != text.npos) return text;
  }
}

/// Waits until the compilations under way are done.
std::int64_t variants_at_rest() {
  std::int64_t count = sn::session_statistics().variants;
  for (int quiet = 0; quiet < 5; ++quiet) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const std::int64_t now = sn::session_statistics().variants;
    if (now != count) quiet = 0;
    count = now;
  }
  return count;
}

struct without_tuning {
  without_tuning() { sn::tuning(false); }
  ~without_tuning() { sn::tuning(true); }
};

}  // namespace

TEST_CASE("neighbours of compiled kernels give the same bits") {
  const int count = check_all(tuned_maps()) + check_all(tuned_reductions()) +
                    check_all(tuned_scans());
  CHECK(count > 20);
}

TEST_CASE("a statement that is evaluated often is tuned, and explain says so") {
  if (!compiles()) return;
  CHECK_THAT(explained_after(4000, 0.5f), says("  tuned: "));
}

TEST_CASE("a session that does not tune makes and tries nothing") {
  const without_tuning scope;
  const auto before = variants_at_rest();
  const auto x = uneven({1 << 20}), y = uneven({1 << 20}, 2);
  for (int i = 0; i < 200; ++i) {
    const sn::array<float> again = x - y * 2.0f;
    sn::eval(again);
    if (i == 199) CHECK(sn::explain(again).find("tuned") == std::string::npos);
  }
  CHECK(sn::session_statistics().variants == before);
}

TEST_CASE("functions that are replayed are not tried") {
  const auto before = variants_at_rest();
  const auto f = sn::fuse([](const sn::array<float>& x) { return sn::array<float>(x * 3.0f - x); });
  const auto x = uneven({1 << 20});
  for (int i = 0; i < 200; ++i) sn::eval(f(x));
  CHECK(sn::session_statistics().variants == before);
}

}  // namespace tuning_test

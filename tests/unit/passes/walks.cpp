// The direction of a reduction's lanes.
#include <algorithm>
#include <set>
#include <string>

#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"

namespace walks_test {

using namespace passes_tests;
namespace sn = sinter;
using floats = sn::array<float>;
using longs = sn::array<std::int64_t>;

namespace {

/// The lanes of a plan's reducing kernels.
std::vector<ir::lane_axis> lanes_of(std::initializer_list<sn::any_array> roots,
                                    ir::target on = ir::target::gpu) {
  std::vector<ir::lane_axis> all;
  for (const ir::kernel& k : plan_for(roots, on).kernels) {
    if (k.reduced > 0) all.push_back(k.schedule.lanes);
  }
  return all;
}

longs places(std::int64_t count, std::int64_t below) {
  const longs x = sn::arange<std::int64_t>(count) * 7 % below;
  sn::eval(x);
  return x;
}

}  // namespace

TEST_CASE("walks: rows that an index picks are walked along, whatever the indices weigh") {
  const floats e = stored({5000, 128});
  const longs a = places(40000, 5000), b = places(40000, 4999), c = places(40000, 4998);
  const floats one = sn::sum(sn::square(e(a) - e(b)), {.axis = 1});
  const floats other = sn::sum(sn::square(e(a) - e(c)), {.axis = 1});
  const auto lanes = lanes_of({floats(one - other)});
  REQUIRE(!lanes.empty());
  for (const ir::lane_axis l : lanes) CHECK(l == ir::lane_axis::reduced);
}

TEST_CASE("walks: what is stored of every element counts, what it comes to does not") {
  const longs label = places(50000, 64);
  const floats hot = sn::astype<float>(label(sn::_, sn::newaxis) == sn::arange(64));
  const auto stored_too = lanes_of({hot, floats(sn::sum(hot, {.axis = 0}))});
  REQUIRE(!stored_too.empty());
  CHECK(stored_too[0] == ir::lane_axis::kept);
  const auto alone = lanes_of({floats(sn::sum(hot, {.axis = 0}))});
  REQUIRE(!alone.empty());
  CHECK(alone[0] == ir::lane_axis::reduced);
}

TEST_CASE("walks: a few short rows are one kernel on a GPU for all lengths up to a power of two") {
  std::set<std::string> kernels;
  const floats scores = stored({8, 1100});
  const auto add = [&](std::int64_t length) {
    const floats s = scores(sn::_, sn::slice(0, length));
    const floats e = sn::exp(s - sn::max(s, {.axis = -1, .keepdims = true}));
    const auto p = plan_for({floats(e / sn::sum(e, {.axis = -1, .keepdims = true}))},
                            ir::target::gpu);
    REQUIRE(p.kernels.size() == 1);
    CHECK(p.kernels[0].schedule.resident);
    kernels.insert(ir::print(p.kernels[0]));
  };
  for (std::int64_t length = 5; length <= 1024; length += length / 9 + 1) add(length);
  CHECK(kernels.size() <= 8);
  kernels.clear();
  for (std::int64_t length = 1025; length <= 1028; ++length) add(length);
  CHECK(kernels.size() > 1);  // longer rows are read as vectors again
}

TEST_CASE("walks: of windows shorter than two vectors a CPU's lanes go from one to the next") {
  const floats image = stored({256, 256}), kernels = stored({8, 25});
  const auto sums = [&](std::int64_t side, const floats& k) {
    const std::int64_t n = 257 - side;
    const floats patches =
        sn::reshape(sn::sliding_window_view(image, {side, side}), {n * n, side * side});
    return lanes_of({floats(sn::matmul(patches, k.T()))}, ir::target::cpu);
  };
  const auto small = sums(5, kernels);
  REQUIRE(small.size() == 1);
  CHECK(small[0] == ir::lane_axis::kept);
  const floats rows = stored({256, 9, 40}), weights = stored({9, 40});
  const auto long_rows =
      lanes_of({floats(sn::sum(rows * weights, {.axis = {1, 2}}))}, ir::target::cpu);
  REQUIRE(long_rows.size() == 1);
  CHECK(long_rows[0] == ir::lane_axis::reduced);
}

TEST_CASE("walks: few rows of what is dear have a thread an element, many rows as few as will do") {
  const auto rounds = [](const floats& x, int count) {
    floats y = x;
    for (int k = 0; k < count; ++k) {
      const floats e = sn::exp(y - sn::max(y, {.axis = -1, .keepdims = true}));
      y = x + e / sn::sum(e, {.axis = -1, .keepdims = true});
    }
    return y;
  };
  const auto schedule_of = [](const floats& y) {
    const ir::plan p = plan_for({y}, ir::target::gpu);
    const auto kept = std::ranges::find_if(
        p.kernels, [](const ir::kernel& k) { return k.schedule.resident; });
    REQUIRE(kept != p.kernels.end());
    return kept->schedule;
  };
  const ir::schedule few = schedule_of(rounds(stored({8, 501}), 6));
  CHECK(few.unroll == 1);
  CHECK(few.row_threads == 512);
  const ir::schedule many = schedule_of(rounds(stored({5000, 501}), 6));
  CHECK(many.unroll > 1);
}

TEST_CASE("walks: of a row that many walks go along a thread has few elements") {
  const auto rounds = [](floats x, int count) {
    for (int k = 0; k < count; ++k) {
      const floats w = sn::exp(-sn::square(x));
      x = x + sn::sin(w / sn::sum(w, {.axis = -1, .keepdims = true}) * x);
    }
    return x;
  };
  const auto most = [](const floats& y) {
    int unroll = 0;
    for (const ir::kernel& k : plan_for({y}, ir::target::gpu).kernels) {
      if (k.reduced > 0) unroll = std::max(unroll, k.schedule.unroll);
    }
    return unroll;
  };
  const floats x = stored({5000, 201});
  CHECK(most(rounds(x, 12)) < most(rounds(x, 1)));
}

}  // namespace walks_test

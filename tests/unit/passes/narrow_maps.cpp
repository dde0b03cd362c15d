#include "ir/passes/narrow_maps.hpp"

#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"
#include "tests/unit/passes/texts.hpp"

namespace narrow_maps_test {

using namespace passes_tests;
namespace sn = sinter;
using floats = sn::array<float>;

namespace {

std::string narrowed(const std::string& text) {
  return after([](const ir::graph& g) { return ir::narrow_maps(g); }, text);
}

}  // namespace

TEST_CASE("narrow_maps: what is repeated is computed where it is not") {
  CHECK(narrowed(R"(%0 = source float32 [10, 20]
%1 = view float32 [500, 10, 20] (%0) strides [0, 20, 1]
%2 = map float32 [500, 10, 20] (%1) { v1 = log float32 v0 }
return %2
)") == R"(%0 = source float32 [10, 20]
%1 = view float32 [500, 10, 20] (%0) strides [0, 20, 1]
%2 = map float32 [10, 20] (%0) { v1 = log float32 v0 }
%3 = view float32 [500, 10, 20] (%2) strides [0, 20, 1]
return %3
)");
}

TEST_CASE("narrow_maps: a map of something that moves stays as it is") {
  const std::string text = R"(%0 = source float32 [10, 20]
%1 = source float32 [500, 10, 20]
%2 = view float32 [500, 10, 20] (%0) strides [0, 20, 1]
%3 = map float32 [500, 10, 20] (%1, %2) { v2 = add float32 v0 v1 }
return %3
)";
  CHECK(narrowed(text) == text);
}

TEST_CASE("narrow_maps: what is repeated may be a reduction") {
  CHECK(narrowed(R"(%0 = source float32 [10, 20]
%1 = reduce float32 [20] (%0) add over [0]
%2 = view float32 [10, 20] (%1) strides [0, 1]
%3 = map float32 [10, 20] (%2) { v1 = sqrt float32 v0 }
return %3
)") == R"(%0 = source float32 [10, 20]
%1 = reduce float32 [20] (%0) add over [0]
%2 = view float32 [10, 20] (%1) strides [0, 1]
%3 = map float32 [20] (%1) { v1 = sqrt float32 v0 }
%4 = view float32 [10, 20] (%3) strides [0, 1]
return %4
)");
}

TEST_CASE("narrow_maps: what follows from a table and a column may be repeated, too") {
  CHECK(narrowed(R"(%0 = source float32 [6, 20]
%1 = source float32 [6]
%2 = view float32 [6, 20] (%1) strides [1, 0]
%3 = map float32 [6, 20] (%0, %2) { v2 = divide float32 v0 v1 }
%4 = view float32 [500, 6, 20] (%3) strides [0, 20, 1]
%5 = map float32 [500, 6, 20] (%4) { v1 = log float32 v0 }
return %5
)").find("map float32 [6, 20] (%3) { v1 = log float32 v0 }") != std::string::npos);
}

TEST_CASE("narrow_maps: axes of one place are put in behind the map, conditions too") {
  CHECK(narrowed(R"(%0 = source float32 [10, 20]
%1 = reduce float32 [10] (%0) add over [1]
%2 = view float32 [10, 1] (%1) strides [1, 1]
%3 = map bool [10, 1] (%2) { v1 = isfinite float32 v0 }
return %3
)") == R"(%0 = source float32 [10, 20]
%1 = reduce float32 [10] (%0) add over [1]
%2 = view float32 [10, 1] (%1) strides [1, 1]
%3 = map bool [10] (%1) { v1 = isfinite float32 v0 }
%4 = view bool [10, 1] (%3) strides [1, 1]
return %4
)");
}

TEST_CASE("narrow_maps: logarithms of variances are stored, not made once a sample") {
  const floats x = stored({20000, 20}), mu = stored({10, 20}), var = stored({10, 20});
  const floats d = x(sn::_, sn::newaxis, sn::_) - mu;
  const floats l = sn::sum(sn::log(6.28f * var) + d * d / var, {.axis = 2});
  const ir::plan p = plan_for({l}, ir::target::cpu);
  REQUIRE(p.kernels.size() == 2);
  const auto logs = [](const ir::kernel& k) {
    return std::ranges::count_if(k.body, [](const ir::inst& i) {
      return i.kind == ir::inst_kind::compute && i.code == ir::op::log;
    });
  };
  CHECK(logs(p.kernels[0]) + logs(p.kernels[1]) == 1);
  CHECK((p.kernels[0].reduced > 0 ? logs(p.kernels[0]) : logs(p.kernels[1])) == 0);
}

TEST_CASE("narrow_maps: what is computed of linspace is, where it is not repeated") {
  const auto side = [](std::int64_t n) { return sn::linspace<double>(-2, 2, n); };
  const auto [x, y] = sn::meshgrid(side(1000), side(900));
  const sn::array<double> wave = sn::sin(3 * x) + y;
  const ir::plan p = plan_for({wave}, ir::target::cpu);
  CHECK(p.kernels.size() >= 2);
  const ir::kernel& last = p.kernels.back();
  CHECK(std::ranges::none_of(last.body, [](const ir::inst& i) {
    return i.kind == ir::inst_kind::compute && i.code == ir::op::sin;
  }));
}

}  // namespace narrow_maps_test

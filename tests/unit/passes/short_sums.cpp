#include "ir/passes/short_sums.hpp"

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"
#include "tests/unit/passes/texts.hpp"

namespace short_sums_test {

using namespace passes_tests;
namespace sn = sinter;
using floats = sn::array<float>;

namespace {

/// Squared differences of all pairs of points, summed over the coordinates.
std::string distances(const std::string& ending) {
  return R"(%0 = source float32 [100, 2]
%1 = view float32 [100, 100, 2] (%0) strides [0, 2, 1]
%2 = view float32 [100, 100, 2] (%0) strides [2, 0, 1]
%3 = map float32 [100, 100, 2] (%1, %2) { v2 = subtract float32 v0 v1 }
%4 = reduce float32 [100, 100] (%3) add over [2]
)" + ending;
}

const char* const smallest = R"(%5 = reduce float32 [100] (%4) minimum over [1]
return %5
)";

std::size_t kernels_for(const sn::any_array& root, ir::target target) {
  return plan_for({root}, target).kernels.size();
}

}  // namespace

TEST_CASE("short_sums: a sum over two coordinates is an addition") {
  CHECK(after([](const ir::graph& g) { return ir::short_sums(g); }, distances(smallest)) ==
        R"(%0 = source float32 [100, 2]
%1 = view float32 [100, 100, 2] (%0) strides [0, 2, 1]
%2 = view float32 [100, 100, 2] (%0) strides [2, 0, 1]
%3 = map float32 [100, 100, 2] (%1, %2) { v2 = subtract float32 v0 v1 }
%4 = scalar float32 [] baked 0
%5 = view float32 [100, 100] (%3) strides [200, 2]
%6 = map float32 [100, 100] (%4, %5) { v2 = add float32 v0 v1 }
%7 = view float32 [100, 100] (%3) offset 1 strides [200, 2]
%8 = map float32 [100, 100] (%6, %7) { v2 = add float32 v0 v1 }
%9 = reduce float32 [100] (%8) minimum over [1]
return %9
)");
}

TEST_CASE("short_sums: not what is stored, nor what reads as much as there is") {
  const auto unchanged = [](const std::string& text) {
    return after([](const ir::graph& g) { return ir::short_sums(g); }, text) ==
           ir::print(ir::parse_graph(text));
  };
  CHECK(unchanged(distances("return %4\n")));
  CHECK(unchanged(R"(%0 = source float32 [100, 3]
%1 = map float32 [100, 3] (%0) { v1 = square float32 v0 }
%2 = reduce float32 [100] (%1) add over [1]
%3 = map float32 [100] (%2) { v1 = sqrt float32 v0 }
return %3
)"));
  CHECK(unchanged(R"(%0 = source float32 [100, 9]
%1 = view float32 [100, 100, 9] (%0) strides [0, 9, 1]
%2 = view float32 [100, 100, 9] (%0) strides [9, 0, 1]
%3 = map float32 [100, 100, 9] (%1, %2) { v2 = subtract float32 v0 v1 }
%4 = reduce float32 [100, 100] (%3) add over [2]
%5 = reduce float32 [100] (%4) minimum over [1]
return %5
)"));
}

TEST_CASE("short_sums: what is joined of little is computed from little") {
  const floats g = stored({40}), c = stored({5, 3});
  const auto across = sn::broadcast_to(g, {40, 40}), down = sn::transpose(across);
  const floats rays = sn::stack(std::tuple(across, down, across * 0 + 1), -1);
  const auto least = [&] {
    return sn::min(sn::sum(rays.reshape({40, 40, 1, 3}) * c, -1), -1);
  };
  CHECK(kernels_for(least(), ir::target::gpu) == 1);
}

TEST_CASE("short_sums: windows are maps, whoever reads them") {
  const auto maps = [](const char* shape, const char* strides, const char* axes, const char* kept) {
    const std::string text = std::string("%0 = source float32 [100, 100]\n%1 = view float32 ") +
                             shape + " (%0) strides " + strides + "\n%2 = reduce float32 " + kept +
                             " (%1) maximum over " + axes + "\nreturn %2\n";
    const std::string out = after([](const ir::graph& g) { return ir::short_sums(g); }, text);
    return std::ranges::count(out, '{');
  };
  // 3 x 3 around each place, and 2 x 2 side by side
  CHECK(maps("[98, 98, 3, 3]", "[100, 1, 100, 1]", "[2, 3]", "[98, 98]") == 8);
  CHECK(maps("[50, 2, 50, 2]", "[200, 100, 2, 1]", "[1, 3]", "[50, 50]") == 3);
  // 5 that overlap
  CHECK(maps("[100, 96, 5]", "[100, 1, 1]", "[2]", "[100, 96]") == 4);
  CHECK(maps("[93, 93, 8, 8]", "[100, 1, 100, 1]", "[2, 3]", "[93, 93]") == 63);
  // a contiguous run, too many, an axis along which lanes do not run
  CHECK(maps("[100, 25, 2, 2]", "[100, 4, 2, 1]", "[2, 3]", "[100, 25]") == 0);
  CHECK(maps("[92, 92, 9, 9]", "[100, 1, 100, 1]", "[2, 3]", "[92, 92]") == 0);
  CHECK(maps("[98, 100, 3]", "[100, 1, 100]", "[2]", "[98, 100]") == 0);
  CHECK(maps("[20, 2, 20, 2]", "[200, 100, 2, 1]", "[1, 3]", "[20, 20]") == 0);
}

TEST_CASE("short_sums: windows of halves are added up in float, and rounded once") {
  const sn::array<sn::float16> x =
      sn::astype<sn::float16>(sn::random::normal<float>({60, 80}, {.seed = 1}));
  const auto blocks = x.reshape({30, 2, 40, 2});
  const sn::array<sn::float16> sums = sn::sum(blocks, {.axis = {1, 3}});
  const sn::array<float> wide =
      sn::sum(sn::astype<float>(blocks), {.axis = {1, 3}});
  CHECK(sums.to_host() == sn::array<sn::float16>(sn::astype<sn::float16>(wide)).to_host());
}

TEST_CASE("short_sums: the nearest point, without the distances in memory") {
  const floats x = stored({200, 3}), y = stored({300, 3});
  const auto nearest = [&] {
    const floats d = x.reshape({200, 1, 3}) - y.reshape({1, 300, 3});
    return sn::argmin(sn::sum(d * d, {.axis = 2}), {.axis = 1});
  };
  CHECK(kernels_for(nearest(), ir::target::cpu) == 1);
  CHECK(kernels_for(nearest(), ir::target::gpu) == 1);
  const sn::array<std::int64_t> all = nearest();
  for (std::int64_t i : {0, 77, 199}) {
    const floats d = x(i) - y;
    CHECK(all(i).item() == sn::argmin(sn::sum(d * d, {.axis = 1})).item());
  }
}

TEST_CASE("short_sums: forces between bodies are one kernel, distances computed once a pair") {
  const std::int64_t n = 200;
  const floats x = stored({n, 3}), m = stored({n});
  const auto forces = [&] {
    const floats d = x.reshape({1, n, 3}) - x.reshape({n, 1, 3});
    const floats r2 = sn::sum(d * d, {.axis = 2}) + 0.01f;
    const floats w = m / (r2 * sn::sqrt(r2));
    return floats(sn::sum(d * w.reshape({n, n, 1}), {.axis = 1}));
  };
  for (const ir::target t : {ir::target::cpu, ir::target::gpu}) {
    const ir::plan p = plan_for({forces()}, t);
    REQUIRE(p.kernels.size() == 1);
    int roots = 0, sums = 0;
    for (const ir::inst& i : p.kernels[0].body) {
      roots += i.kind == ir::inst_kind::compute && i.code == ir::op::sqrt;
      sums += i.kind == ir::inst_kind::reduce;
    }
    CHECK(roots == 1);
    CHECK(sums == 3);
  }
  // Distances may themselves be expensive (periodic boxes), and are still not stored.
  const auto periodic = [&] {
    const floats apart = x.reshape({n, 1, 3}) - x.reshape({1, n, 3});
    const floats d = apart - 7.0f * sn::round(apart / 7.0f);
    const floats w = 1 / (sn::sum(d * d, {.axis = 2}) + 0.01f);
    return floats(sn::sum(w.reshape({n, n, 1}) * d, {.axis = 1}));
  };
  CHECK(kernels_for(periodic(), ir::target::cpu) == 1);
  CHECK(kernels_for(periodic(), ir::target::gpu) == 1);
  // Nor are places that forces moved recomputed for each pair.
  const auto moved = [&](const floats& from) {
    const floats to = sn::remainder(from + 0.1f * forces(), 7.0f);
    const floats d = to.reshape({n, 1, 3}) - to.reshape({1, n, 3});
    return floats(sn::sum(sn::exp(-sn::sum(d * d, {.axis = 2})), {.axis = 1}));
  };
  CHECK(kernels_for(moved(x), ir::target::gpu) == 2);
  const floats all = forces();
  for (std::int64_t i : {0, 199}) {
    const floats d = x - x(i), r2 = sn::sum(d * d, {.axis = 1}) + 0.01f;
    const floats one = sn::sum(d * (m / (r2 * sn::sqrt(r2))).reshape({n, 1}), {.axis = 0});
    CHECK(sn::allclose(floats(all(i)), one).item());
  }
}

TEST_CASE("short_sums: a border is made once, not in each place of a window") {
  const floats x = stored({200, 300});
  const floats wide = sn::pad(x, 2, {.mode = sn::pad_mode::edge});
  const floats least = sn::min(sn::sliding_window_view(wide, {5, 5}), {.axis = {2, 3}});
  const ir::plan p = plan_for({least}, ir::target::cpu);
  REQUIRE(p.kernels.size() == 2);
  CHECK(std::max(p.kernels[0].body.size(), p.kernels[1].body.size()) < 150);
  for (const ir::kernel& k : p.kernels) CHECK(k.reduced == 0);
}

}  // namespace short_sums_test

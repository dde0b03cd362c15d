#include "ir/passes/maps_of_joins.hpp"

#include "ir/passes/simplify.hpp"
#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"
#include "tests/unit/passes/texts.hpp"

namespace maps_of_joins_test {

using namespace passes_tests;
namespace sn = sinter;
using floats = sn::array<float>;

namespace {

/// Lorenz's equations for a state whose components are concatenated.
floats slope(const floats& s) {
  const floats x = s(0), y = s(1), z = s(2);
  const floats dx = 10.0f * (y - x), dy = x * (28.0f - z) - y, dz = x * y - 2.7f * z;
  return sn::stack({dx, dy, dz});
}

/// Runge-Kutta steps, each of which slices sums of what it joined.
floats steps(floats s, int count) {
  const float dt = 0.01f;
  for (int t = 0; t < count; ++t) {
    const floats a = slope(s), b = slope(s + dt / 2 * a), c = slope(s + dt / 2 * b);
    s += dt / 6 * (a + 2 * b + 2 * c + slope(s + dt * c));
  }
  return s;
}

std::size_t longest(const ir::plan& p) {
  std::size_t most = 0;
  for (const ir::kernel& k : p.kernels) most = std::max(most, k.body.size());
  return most;
}

std::string simple(const std::string& text) {
  return after([](const ir::graph& g) { return ir::simplify(g); }, text);
}

}  // namespace

TEST_CASE("maps_of_joins: stages of a step are computed once each, in one kernel") {
  const floats start = stored({3, 5000});
  for (const ir::target t : {ir::target::cpu, ir::target::gpu}) {
    const ir::plan one = plan_for({steps(start, 1)}, t), two = plan_for({steps(start, 2)}, t);
    CHECK(one.kernels.size() == 1);
    CHECK(two.kernels.size() == 1);
    CHECK(longest(one) < 200);
    CHECK(longest(two) < 2 * longest(one));
  }
}

TEST_CASE("maps_of_joins: of many steps each kernel passes on little") {
  const ir::plan many = plan_for({steps(stored({3, 5000}), 12)}, ir::target::cpu);
  CHECK(many.kernels.size() <= 5);
  std::size_t stores = 0;
  for (const ir::kernel& k : many.kernels) {
    for (const ir::inst& i : k.body) stores += i.kind == ir::inst_kind::store;
  }
  CHECK(stores <= 60);
}

TEST_CASE("maps_of_joins: the values are those of a kernel an operation") {
  const floats start = stored({3, 37});
  const floats fused = steps(start, 3);
  sn::eval(fused);
  sn::fusion(false);
  const floats apart = steps(start, 3);
  sn::eval(apart);
  sn::fusion(true);
  CHECK(sn::array_equal(fused, apart));
}

TEST_CASE("maps_of_joins: pieces that nobody computes stay joined") {
  const std::string text = R"(%0 = source float32 [50]
%1 = source float32 [50]
%2 = iota int64 [2]
%3 = view int64 [50, 2] (%2) strides [0, 1]
%4 = view int64 [] (%2) offset 1 strides []
%5 = map bool [50, 2] (%3, %4) { v2 = greater_equal int64 v0 v1 }
%6 = map bool [50, 2] (%3, %4) { v2 = less int64 v0 v1 }
%7 = pad float32 [50, 2] (%0, %6) strides [1, 0]
%8 = pad float32 [50, 2] (%1, %5) strides [1, 0]
%9 = map float32 [50, 2] (%5, %8, %7) { v3 = where float32 v0 v1 v2 }
%10 = map float32 [50, 2] (%9) { v1 = negative float32 v0 }
return %10
)";
  CHECK(simple(text) == text);
}

TEST_CASE("maps_of_joins: what is rolled along a short axis is not taken apart place by place") {
  for (const std::int64_t width : {6, 16}) {
    const floats start = stored({3000, width});
    floats x = start;
    for (int s = 0; s < 2; ++s) {
      const floats around = sn::roll(x, 1, 0) + sn::roll(x, -1, 0) + sn::roll(x, 1, 1);
      x = x + 0.1f * (around + sn::roll(x, -1, 1) - 4.0f * x);
    }
    CHECK(plan_for({x}, ir::target::gpu).kernels.size() <= 2);
    CHECK(plan_for({x}, ir::target::cpu).kernels.size() <= 2);
    const std::vector<float> from = start.to_host(), got = x.to_host();
    const std::int64_t rows = 3000;
    const auto at = [&](const std::vector<float>& v, std::int64_t i, std::int64_t j) {
      return v[static_cast<std::size_t>((i + rows) % rows * width + (j + width) % width)];
    };
    std::vector<float> before = from, after = from;
    for (int s = 0; s < 2; ++s, before = after) {
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < width; ++j) {
          const float around = at(before, i - 1, j) + at(before, i + 1, j) + at(before, i, j - 1);
          const float c = at(before, i, j), sum = around + at(before, i, j + 1) - 4.0f * c;
          after[static_cast<std::size_t>(i * width + j)] = c + 0.1f * sum;
        }
      }
    }
    CHECK(got == after);
  }
}

TEST_CASE("maps_of_joins: a slice of a long chain over a join is made once a link") {
  std::vector<floats> all;
  for (int i = 0; i < 6; ++i) all.push_back(stored({50}));
  floats x = sn::stack(all);
  for (int i = 0; i < 40; ++i) x = x * x + x * 0.5f;  // 3^40 paths down
  const ir::plan p = plan_for({floats(x(2)), floats(x(4))}, ir::target::cpu);
  CHECK(longest(p) < 300);
}

TEST_CASE("maps_of_joins: what is beside a join is taken apart with it") {
  const std::string text = simple(R"(%0 = source float32 [50]
%1 = source float32 [50, 2]
%2 = iota int64 [2]
%3 = view int64 [50, 2] (%2) strides [0, 1]
%4 = view int64 [] (%2) offset 1 strides []
%5 = map bool [50, 2] (%3, %4) { v2 = greater_equal int64 v0 v1 }
%6 = map bool [50, 2] (%3, %4) { v2 = less int64 v0 v1 }
%7 = map float32 [50] (%0) { v1 = exp float32 v0 }
%8 = pad float32 [50, 2] (%0, %6) strides [1, 0]
%9 = pad float32 [50, 2] (%7, %5) strides [1, 0]
%10 = map float32 [50, 2] (%5, %9, %8) { v3 = where float32 v0 v1 v2 }
%11 = map float32 [50, 2] (%1, %10) { v2 = multiply float32 v0 v1 }
return %11
)");
  CHECK(text.find("= map float32 [50] (") != std::string::npos);
  CHECK(text.find("multiply float32") != std::string::npos);
  CHECK(text.find("= map float32 [50, 2] (%1") == std::string::npos);
  CHECK(text.substr(text.rfind("= map")).find("where") != std::string::npos);
}

}  // namespace maps_of_joins_test

// Views packed before a walk, and small values written out or stored because their readers would
// recompute them. On a CPU.
#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"

namespace packed_views_test {

using namespace passes_tests;
namespace sn = sinter;
using sn::_;
using sn::newaxis;
using floats = sn::array<float>;

namespace {

std::size_t kernels_of(const sn::any_array& root) { return plan_for({root}).kernels.size(); }

/// Patches of an image, one per row.
floats patches(const floats& x, std::int64_t side) {
  const std::int64_t h = x.shape(0) / side, w = x.shape(1) / side;
  const floats split = sn::transpose(sn::reshape(x, {h, side, w, side}), {0, 2, 1, 3});
  return sn::reshape(split, {h * w, side * side});
}

}  // namespace

TEST_CASE("packed views: a column that is added to every row is read once") {
  const floats m = stored({200, 300}), few = stored({20, 30});
  CHECK(kernels_of(floats(m(sn::slice(0, 200), _) + m(_, 5)(sn::slice(0, 1)))) == 1);
  const auto add = [](const floats& x, std::int64_t n) {
    return floats(x(_, sn::slice(0, n)) + x(_, 5));
  };
  const floats square = stored({200, 200}), small = stored({20, 20});
  CHECK(kernels_of(add(square, 200)) == 2);
  CHECK(kernels_of(add(small, 20)) == 1);
  CHECK(kernels_of(floats(sn::diagonal(square) + square)) == 2);
  CHECK(kernels_of(floats(square(5) + square)) == 1);
  CHECK(kernels_of(floats(square.T() + square)) == 1);
  const floats column = sn::copy(square(_, 5));
  sn::eval(column);
  CHECK(sn::array_equal(add(square, 200), floats(square + column)));
  CHECK(kernels_of(floats(few(_, newaxis, 5) + few)) == 1);
}

TEST_CASE("packed views: patches are rows before their deviations are taken") {
  const floats x = stored({144, 156});
  const auto deviations = [](const floats& p) {
    return floats((p - sn::mean(p, {.axis = 1, .keepdims = true})) /
                  sn::stddev(p, {.axis = 1, .keepdims = true}));
  };
  CHECK(kernels_of(deviations(patches(x, 12))) == 2);
  CHECK(kernels_of(sn::array<std::int64_t>(sn::argmax(patches(x, 2), {.axis = 1}))) == 2);
  CHECK(kernels_of(floats(sn::max(patches(x, 2), {.axis = 1}))) == 1);
  const floats rows = sn::copy(patches(x, 12)), pairs = sn::copy(patches(x, 2));
  sn::eval(rows, pairs);
  CHECK(sn::allclose(deviations(patches(x, 12)), deviations(rows)).item());
  CHECK(sn::array_equal(sn::argmax(patches(x, 2), {.axis = 1}), sn::argmax(pairs, {.axis = 1})));
  CHECK(sn::array_equal(sn::max(patches(x, 2), {.axis = 1}), sn::max(pairs, {.axis = 1})));
}

TEST_CASE("packed views: entries of small products are written out where they are summed up") {
  const auto total = [](const floats& a, const floats& b) {
    return floats(sn::sum(sn::matmul(a, b)));
  };
  for (std::int64_t k : {2, 3, 4}) {
    INFO(k << " x " << k);
    const floats a = stored({3000, k, k}), b = stored({3000, k, k});
    const auto p = plan_for({total(a, b)});
    REQUIRE(p.kernels.size() == 1);
    CHECK(p.kernels[0].reduced == 1);
    floats product = sn::matmul(a, b);
    sn::eval(product);
    CHECK(sn::allclose(total(a, b), floats(sn::sum(product))).item());
  }
}

TEST_CASE("packed views: rounds are not made again for each place of what is put together") {
  const floats x = stored({500});
  const auto results = [&] {
    return sn::fori_loop(
        0, 9, [](auto, auto a, auto b) { return std::pair(floats(a + b), floats(b - a)); },
        std::pair(x, floats(x + 1)));
  };
  const auto both = [&](int axis) {
    const auto [a, b] = results();
    return floats(sn::stack({a, b}, axis));
  };
  const auto [a, b] = results();
  sn::eval(a, b);
  for (int axis : {0, 1}) {
    CHECK(kernels_of(both(axis)) == 2);
    CHECK(sn::array_equal(both(axis), floats(sn::stack({a, b}, axis))));
  }
}

}  // namespace packed_views_test

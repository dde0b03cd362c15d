// What a slice of a join shows of its pieces.
#include <random>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/counted.hpp"

namespace slices_of_joins_test {

namespace sn = sinter;
using floats = sn::array<float>;

namespace {

/// Joins of several kinds, within each other and of what is computed.
std::vector<floats> joins_of(const floats& x, const floats& y) {
  const floats tall = sn::concatenate({x, y}), turned = sn::roll(tall, 1, 1);
  return {sn::pad(x, 1, {.mode = sn::pad_mode::edge}),
          sn::pad(x + y, {{1, 0}, {0, 1}, {2, 1}}, {.mode = sn::pad_mode::wrap}),
          sn::pad(sn::pad(x, 1), {{0, 0}, {1, 1}, {0, 0}}, {.mode = sn::pad_mode::reflect}),
          sn::concatenate({x, sn::exp(y), x * 2}, {.axis = 1}),
          sn::concatenate({sn::flip(x, 1), y}, {.axis = 2}),
          sn::concatenate({tall, turned, sn::concatenate({y, x})}, {.axis = 2}),
          sn::roll(x, {1, 2, 1}, {0, 1, 2})};
}

}  // namespace

TEST_CASE("slices of joins are the slices of what is joined") {
  std::mt19937 random(7);
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % n); };
  const auto range = [&](std::int64_t n) {
    const std::int64_t first = below(n);
    return sn::slice(first, first + 1 + below(n - first));
  };
  for (int round = 0; round < 12; ++round) {
    const std::vector<std::int64_t> shape{2 + below(4), 3 + below(6), 3 + below(20)};
    const floats x = sn::random::normal<float>(shape, {.seed = 1});
    const floats y = sn::random::normal<float>(shape, {.seed = 2});
    sn::eval(x, y);
    for (const floats& joined : joins_of(x, y)) {
      const sn::slice i = range(joined.shape(0)), j = range(joined.shape(1)),
                      k = range(joined.shape(2));
      const floats part = joined(i, j, k), again = sn::sin(part) * joined(i, j, k);
      const floats last = part(-1, sn::_, sn::slice(0, 1)) + 1;
      sn::eval(part, again, last);
      const floats stored = sn::copy(joined);
      sn::eval(stored);
      CHECK(sn::array_equal(part, stored(i, j, k)));
      CHECK(sn::allclose(again, sn::sin(stored(i, j, k)) * stored(i, j, k)));
      CHECK(sn::array_equal(last, stored(i, j, k)(-1, sn::_, sn::slice(0, 1)) + 1));
    }
  }
}

TEST_CASE("the middle of what is padded is what was padded") {
  const floats x = sn::random::normal<float>({30, 20}, {.seed = 1});
  sn::eval(x);
  const floats p = sn::pad(x, 2, {.mode = sn::pad_mode::edge});
  const sn::slice in(2, -2);
  const floats middle = p(in, in);
  CHECK(tests::counted([&] { sn::eval(middle); }).launches == 0);
  CHECK(sn::array_equal(middle, x));
}

}  // namespace slices_of_joins_test

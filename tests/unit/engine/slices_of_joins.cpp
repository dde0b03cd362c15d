// Slices of joins, resolved to pieces.
#include <array>
#include <random>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/counted.hpp"

namespace slices_of_joins_test {

namespace sn = sinter;
using floats = sn::array<float>;

namespace {

/// Joins of several kinds, nested and of computed values.
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

TEST_CASE("a slice of a join is assigned to where it is in the join") {
  std::mt19937 random(11);
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % n); };
  const floats x = sn::random::normal<float>({3, 4, 5}, {.seed = 1});
  sn::eval(x);
  for (int round = 0; round < 60; ++round) {
    for (const floats& joined : joins_of(x, x)) {
      floats changed = joined, added = joined, set = joined, deep = joined, known = joined + 0.0f;
      sn::eval(known);
      floats changed_known = known, added_known = known, deep_known = known;
      std::array<sn::slice, 3> s{sn::_, sn::_, sn::_};
      for (int d = 0; d < 3; ++d) {
        const std::int64_t first = below(joined.shape(d));
        s[d] = sn::slice(first, first + 1 + below(joined.shape(d) - first));
      }
      const floats part = joined(s[0], s[1], s[2]), values = part * 2.0f + 1.0f;
      changed(s[0], s[1], s[2]) = values;
      changed_known(s[0], s[1], s[2]) = values;
      CHECK(sn::array_equal(changed, changed_known));
      added(s[0], s[1], s[2]) += 3;
      added_known(s[0], s[1], s[2]) += 3;
      CHECK(sn::array_equal(added, added_known));
      set = set.at(s[0], s[1], s[2]).set(values);
      CHECK(sn::array_equal(set, changed_known));
      deep(s[0], s[1], s[2])(0, sn::_, sn::slice(0, 1)) = 7;
      deep_known(s[0], s[1], s[2])(0, sn::_, sn::slice(0, 1)) = 7;
      CHECK(sn::array_equal(deep, deep_known));
    }
  }
  const floats line = sn::arange<float>(5);
  floats twice = sn::concatenate({line, line});
  twice(sn::slice(0, 5)) = 9;  // the whole of a piece
  CHECK(twice.to_host() == std::vector<float>{9, 9, 9, 9, 9, 0, 1, 2, 3, 4});
  floats kept = sn::roll(line, 2);
  auto first = kept(sn::slice(0, 2));
  const floats before = first;
  CHECK(before.to_host() == std::vector<float>{3, 4});
  std::move(first) = -1;  // after it has been read
  CHECK(kept.to_host() == std::vector<float>{-1, -1, 0, 1, 2});
}

TEST_CASE("a slice of the edge of a padded complex array is changed") {
  using complex = std::complex<float>;
  sn::array<complex> y = sn::pad(sn::array<complex>(sn::zeros<complex>({0})), 2);
  y(sn::slice(0, 1)) *= 2.0F;
  CHECK(sn::array_equal(y, sn::zeros<complex>({4})));
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

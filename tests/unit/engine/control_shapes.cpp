// Loops in loops over values of several shapes, and functions that read what they are given.
#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace control_shapes_test {

namespace sn = sinter;
using floats = sn::array<float>;
using ints = sn::array<std::int64_t>;
using halves = sn::array<sn::float16>;
using flags = sn::array<bool>;

namespace {

const auto climb = [](const ints& k) {
  return ints(sn::while_loop([](const ints& j) { return j < 5; },
                             [](const ints& j) { return ints(j + 1); }, k));
};

}  // namespace

TEST_CASE("what a loop with a loop in it carries keeps its own shape") {
  const floats m = sn::reshape(sn::arange<float>(6), {2, 3}), v{1, 2, 3};
  const auto [a, b, k] = sn::fori_loop(
      0, 3, [](auto, floats x, floats y, ints j) { return std::tuple(x, y, climb(j)); },
      std::tuple(m, v, ints(0)));
  CHECK(a.to_host() == m.to_host());
  CHECK(b.to_host() == v.to_host());
  CHECK(k.item() == 5);
  const auto [last, all] = sn::scan(
      [](floats y, floats x, ints j, ints n) {
        const ints next = climb(j);
        return std::pair(std::tuple(y, x, next), ints(next + n));
      },
      std::tuple(v, m, ints(0)), ints{1, 2});
  CHECK(std::get<0>(last).to_host() == v.to_host());
  CHECK(std::get<1>(last).to_host() == m.to_host());
  CHECK(all.to_host() == std::vector<std::int64_t>{6, 7});
}

TEST_CASE("a loop in a loop reads rows and rolls by the outer round") {
  const floats m = sn::reshape(sn::arange<float>(12), {4, 3});
  const floats rows = sn::fori_loop(
      0, 4,
      [&](auto i, floats x) {
        return sn::fori_loop(0, 2, [&](auto, floats y) { return floats(y + m(i, sn::_)); }, x);
      },
      sn::zeros<float>({4, 3}));
  CHECK(sn::array_equal(rows, sn::broadcast_to(2 * sn::sum(m, 0), {4, 3})));
  const floats rolls = sn::fori_loop(
      0, 2,
      [&](auto i, floats x) {
        return sn::fori_loop(0, 2, [&](auto, floats y) { return floats(y + sn::roll(m, i)); }, x);
      },
      sn::zeros<float>({4, 3}));
  CHECK(sn::array_equal(rolls, 2 * (m + sn::roll(m, 1))));
}

TEST_CASE("a scan whose body loops by rounds emits what follows from it") {
  const floats m = sn::eye<float>(3) * 0.5f, xs{1, 2};
  const auto halved = [&](const floats& x) {
    return floats(sn::while_loop([](const floats& y) { return sn::sum(y) > 1; },
                                 [&](const floats& y) { return floats(sn::matmul(m, y)); }, x));
  };
  const auto [last, all] = sn::scan(
      [&](floats x, auto n) {
        const floats next = halved(x + n);
        return std::pair(next, floats(sn::sum(next)));
      },
      sn::ones<float>({3, 3}), xs);
  CHECK(all.shape(0) == 2);
  CHECK(all(1).item() == sn::sum(last).item());
}

TEST_CASE("a table of halves is written to by a loop in a loop") {
  const halves v{1, 2, 3}, t = sn::zeros<sn::float16>({3, 3});
  const auto diagonal = [&](auto i, halves x) {
    x(i, i) = v(i);
    return x;
  };
  const auto added = [&](auto i, halves x) {
    x(i, i) += v(i);
    return x;
  };
  const auto twice = [&](auto body) {
    return halves(sn::fori_loop(
        0, 2, [&](auto, halves x) { return sn::fori_loop(-2, 3, body, x); }, t));
  };
  CHECK(sn::array_equal(twice(diagonal), sn::diag(v)));
  CHECK(sn::array_equal(sn::astype<float>(twice(added)),
                        sn::diag(floats{2, 8, 12})));  // -2 and -1 count from the end
}

TEST_CASE("a fused function that reads an argument is not replayed with another one") {
  auto chosen = sn::fuse([](const flags& p, const floats& x) -> floats {
    if (p.item()) return x + 1;
    return x - 1;
  });
  const auto by_branch = sn::fuse([](const flags& p, const floats& x) {
    return floats(sn::cond(
        p, [](const floats& y) { return floats(sn::matmul(y, y)); },
        [](const floats& y) { return floats(y + sn::sum(y)); }, x));
  });
  const auto by_view = sn::fuse([](const flags& p, const floats& x) -> floats {
    return bool(p(1).item()) ? floats(x + 1) : floats(x - 1);
  });
  const floats x = sn::ones<float>({2, 2});
  const flags yes = true, no = false, both{false, true}, none{false, false};
  for (int round = 0; round < 2; ++round) {
    CHECK(sn::array_equal(chosen(yes, x), x + 1));
    CHECK(sn::array_equal(chosen(no, x), x - 1));
    CHECK(sn::array_equal(by_branch(yes, x), 2 * x));
    CHECK(sn::array_equal(by_branch(no, x), 5 * x));
    CHECK(sn::array_equal(by_view(both, x), x + 1));
    CHECK(sn::array_equal(by_view(none, x), x - 1));
  }
}

}  // namespace control_shapes_test

// Loops and fused functions of several values: std::tuple, std::pair and std::array.
#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace several_values_test {

namespace sn = sinter;
using floats = std::vector<float>;

TEST_CASE("the body of a scan returns a pair or a tuple") {
  const sn::array<float> x{1, 2, 3, 4};
  const auto [sum, sums] =
      sn::scan([](auto s, auto v) { return std::tuple(s + v, s); }, sn::full<float>({}, 10), x);
  CHECK(sum.item() == 20);
  CHECK(sums.to_host() == floats{10, 11, 13, 16});
  const auto [both, all] = sn::scan(
      [](auto c, auto v) {
        const auto [a, b] = c;
        return std::tuple(std::pair(a + v, b * v), std::array{a, b});
      },
      std::pair(sn::full<float>({}, 0), sn::full<float>({}, 1)), x);
  CHECK(both.first.item() == 10);
  CHECK(both.second.item() == 24);
  CHECK(all[0].to_host() == floats{0, 1, 3, 6});
  CHECK(all[1].to_host() == floats{1, 1, 2, 6});
}

TEST_CASE("loops carry pairs as parameters, std::arrays as one") {
  const sn::array<float> x{1, 2}, y{0, 1};
  const auto [a, b] = sn::fori_loop(
      0, 3, [](auto, auto p, auto q) { return std::pair(q, p + q); }, std::pair(x, y));
  CHECK(a.to_host() == floats{1, 4});
  CHECK(b.to_host() == floats{2, 7});
  const std::array<sn::array<float>, 2> first{x, y};
  const auto c = sn::fori_loop(
      0, 3,
      [](auto, auto v) {
        return std::array<sn::array<float>, 2>{v[1], v[0] + v[1]};
      },
      first);
  CHECK(c[0].to_host() == floats{1, 4});
  CHECK(c[1].to_host() == floats{2, 7});
  const auto [n, m] = sn::while_loop([](auto p, auto q) { return p + q < 5; },
                                     [](auto p, auto q) { return std::pair(p * 2, q); },
                                     std::pair(x, y));
  CHECK(n.to_host() == floats{8, 4});
  CHECK(m.to_host() == floats{0, 1});
  const auto d = sn::while_loop([](auto v) { return v[0] < 5; },
                                [](auto v) {
                                  return std::array{v[0] * 2, v[1] * 2};
                                },
                                first);
  CHECK(d[0].to_host() == floats{8, 8});
  CHECK(d[1].to_host() == floats{0, 4});
}

TEST_CASE("branches and mapped functions of pairs") {
  const sn::array<float> x{1, 2};
  const auto [a, b] = sn::cond(
      true, [](auto v) { return std::pair(v, v + 1); },
      [](auto v) { return std::pair(v + 1, v * 1); }, x);
  CHECK(a.to_host() == floats{1, 2});
  CHECK(b.to_host() == floats{2, 3});
  const auto [sum, twice] =
      sn::vmap([](auto row) { return std::pair(sn::sum(row), row * 2); })(x.reshape({2, 1}));
  CHECK(sum.to_host() == floats{1, 2});
  CHECK(twice.to_host() == floats{2, 4});
}

TEST_CASE("a fused function of a pair") {
  const auto step = sn::fuse([](auto x, auto y) { return std::pair(x + y, x); });
  sn::array<float> x{1, 2};
  const sn::array<double> y{0.5, 1};
  for (int i = 0; i < 3; ++i) {
    const auto r = step(x, y);
    static_assert(std::same_as<decltype(r),
                               const std::pair<sn::array<double>, sn::array<float>>>);
    CHECK(r.first.to_host() == std::vector<double>{1.5 + i, 3.0 + i});
    CHECK(r.second.to_host() == x.to_host());
    x += 1;
  }
  const auto nested = sn::fuse([](auto v) { return std::tuple(v + 1, std::pair(v, v * 2)); });
  for (int i = 0; i < 2; ++i) {
    const auto [a, b] = nested(x);
    CHECK(a.to_host() == floats{5, 6});
    CHECK(b.second.to_host() == floats{8, 10});
  }
  const auto captured =
      sn::fuse([&](auto v) { return std::pair<sn::array<float>, sn::array<float>&>(v, x); });
  CHECK(captured(x).second.to_host() == floats{4, 5});
  CHECK(x.to_host() == floats{4, 5});
}

}  // namespace several_values_test

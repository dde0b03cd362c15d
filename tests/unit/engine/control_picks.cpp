// Loops whose bodies gather elements: in one kernel, with checked indices.
#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/unit/engine/traced.hpp"

namespace control_picks_test {

namespace sn = sinter;
using traced_tests::kernels;
using traced_tests::numbers;
using traced_tests::text_of;
using doubles = sn::array<double>;
using indices = sn::array<std::int64_t>;

namespace {

const indices chain = sn::asarray<std::int64_t>({3, 0, 4, 1, 2, 9});  // 0 3 1 0 ..., 5 leads out

/// The result of `body` in a plain loop.
template <class Body>
doubles by_hand(std::int64_t rounds, Body body, doubles x) {
  for (std::int64_t i = 0; i < rounds; ++i) x = body(sn::asarray(i), x);
  return x;
}

template <class Body>
void is_one_kernel(std::int64_t rounds, Body body, const doubles& x) {
  const doubles y = sn::fori_loop(0, rounds, body, x);
  CHECK(kernels({y}) == 1);
  CHECK(y.to_host() == by_hand(rounds, body, x).to_host());
}

}  // namespace

TEST_CASE("picks: the round's element, row or column, from either end") {
  const doubles v = numbers({20}), m = numbers({20, 37}), x = numbers({37});
  const doubles wide = numbers({5, 37});
  is_one_kernel(20, [&](auto i, auto s) { return s * 0.5 + v(i); }, numbers({}));
  is_one_kernel(20, [&](auto i, auto s) { return s * 0.5 + v(i); }, x);
  is_one_kernel(20, [&](auto i, auto s) { return s * 0.5 + m(i); }, x);
  is_one_kernel(20, [&](auto i, auto s) { return s * 0.5 + m(i); }, wide);
  is_one_kernel(20, [&](auto i, auto s) { return s * 0.5 + m(sn::_, i); }, numbers({20}));
  is_one_kernel(20, [&](auto i, auto s) { return s * 0.5 + m(19 - i) * v(i); }, wide);
  is_one_kernel(20, [&](auto i, auto s) { return s * 0.5 + v(-i - 1); }, x);
  const doubles column = v(sn::slice(3, 8), sn::newaxis);
  is_one_kernel(20, [&](auto i, auto s) { return s * 0.5 + column * v(i); }, wide);
  is_one_kernel(5, [&](auto i, auto s) { return s * 0.5 + m(i, 3) * m(i, sn::slice(2, 7)); },
                numbers({5}));
}

TEST_CASE("picks: columns beside rows, turned around in a scan") {
  const doubles rows = numbers({9, 4}), x = numbers({6, 4});
  const auto [last, kept] = sn::scan(
      [](auto s, auto row) { return std::pair(s * 0.5 + row, s); }, x, rows);
  CHECK(kernels({last, kept}) == 1);
  doubles want = x;
  for (std::int64_t i = 0; i < 9; ++i) {
    CHECK(kept(i).to_host() == want.to_host());
    want = want * 0.5 + rows(i);
  }
  CHECK(last.to_host() == want.to_host());
}

TEST_CASE("picks: each element goes its own way") {
  const indices at = sn::asarray<std::int64_t>({0, 1, 2, 3, 4});
  const indices there = sn::fori_loop(0, 3, [&](auto, auto k) { return chain(k); }, at);
  CHECK(kernels({there}) == 1);
  CHECK(there.to_host() == std::vector<std::int64_t>{0, 1, 4, 3, 2});
  const indices two = sn::fori_loop(0, 2, [&](auto, auto k) { return chain(chain(k)); }, at);
  CHECK(two.to_host() == std::vector<std::int64_t>{3, 0, 2, 1, 4});
}

TEST_CASE("picks: an index out of range is told, with the call") {
  const indices at = sn::asarray<std::int64_t>({0, 5, 2});
  const auto walk = [&](std::int64_t rounds) {
    return text_of<sn::index_error>([&] {
      sn::fori_loop(0, rounds, [&](auto, auto k) { return chain(k); }, at).to_host();
    });
  };
  CHECK(walk(1) == "no error");
  CHECK(walk(2) == "[index] index 9 is out of range for axis 0 of extent 6");
  CHECK(walk(9) == "[index] index 9 is out of range for axis 0 of extent 6");
  const doubles v = numbers({4});
  CHECK(text_of<sn::index_error>([&] {
          sn::fori_loop(0, 9, [&](auto i, auto s) { return s + v(-i); }, doubles(sn::asarray(0.0)))
              .item();
        }) == "[index] index -5 is out of range for axis 0 of extent 4");
  const doubles good =
      sn::fori_loop(0, 4, [&](auto i, auto s) { return s + v(i - 4); }, numbers({3}));
  CHECK(good.to_host().size() == 3);
}

TEST_CASE("picks: a condition looks at elements, and stops before the end") {
  const doubles v = sn::asarray({0.5, 0.25, 0.0, 7.0});
  const auto [i, sum] = sn::while_loop([&](auto i, auto) { return v(i) != 0.0; },
                                       [&](auto i, auto s) { return std::tuple(i + 1, s + v(i)); },
                                       std::tuple(indices(sn::asarray<std::int64_t>(0)), 0.0));
  CHECK(kernels({sum}) == 1);
  CHECK(i.item() == 2);
  CHECK(sum.item() == 0.75);
  // Each element by itself: along the chain until it returns.
  const indices begin = sn::asarray<std::int64_t>({0, 1, 2, 4});
  const auto [k, steps] = sn::while_loop(
      [&](auto k, auto) { return chain(k) != begin; },
      [&](auto k, auto n) { return std::tuple(chain(k), n + 1); },
      std::tuple(begin, sn::zeros<std::int64_t>({4})));
  CHECK(steps.to_host() == std::vector<std::int64_t>{2, 2, 1, 1});
  CHECK(k.to_host() == std::vector<std::int64_t>{1, 3, 4, 2});
  CHECK(text_of<sn::index_error>([&] {
          const auto [j, n] = sn::while_loop(
              [&](auto k, auto) { return v(k) >= 0.0; },
              [](auto k, auto n) { return std::tuple(k + 1, n + 1); },
              std::tuple(indices(sn::asarray<std::int64_t>(0)), 0));
          n.item();
        }) == "[index] index 4 is out of range for axis 0 of extent 4");
}

TEST_CASE("picks: in a function that is replayed, over slices, and below another loop") {
  const doubles v = numbers({8});
  const auto walk = [&](const auto& x) {
    return sn::fori_loop(0, 8, [&](auto i, auto s) { return s * 0.5 + v(i); }, x);
  };
  const auto twice = sn::fuse([&](const doubles& x) { return doubles(walk(x) * 2.0); });
  const doubles x = numbers({3}), y = numbers({3}, 2);
  for (int k = 0; k < 3; ++k) {
    CHECK(twice(x).to_host() == doubles(walk(x) * 2.0).to_host());
    CHECK(twice(y).to_host() == doubles(walk(y) * 2.0).to_host());
  }
  const indices at = sn::asarray<std::int64_t>({0, 5, 2});
  const auto step = sn::fuse([&](const indices& k, const indices& n) {
    return indices(sn::fori_loop(0, n, [&](auto, auto j) { return chain(j); }, k));
  });
  const indices one = sn::asarray<std::int64_t>(1), two = sn::asarray<std::int64_t>(2);
  for (int k = 0; k < 3; ++k) {
    CHECK(step(at, one).to_host() == std::vector<std::int64_t>{3, 9, 4});
    CHECK(text_of<sn::index_error>([&] { step(at, two).to_host(); }) ==
          "[index] index 9 is out of range for axis 0 of extent 6");
  }
  const doubles rows = numbers({4, 3});
  const doubles each = sn::vmap(walk)(rows);
  for (std::int64_t r = 0; r < 4; ++r) {
    CHECK(each(r).to_host() == doubles(walk(doubles(rows(r)))).to_host());
  }
  const doubles outer = sn::fori_loop(
      0, 3, [&](auto i, auto s) { return walk(s) + v(i); }, x);
  CHECK(outer.to_host() ==
        by_hand(3, [&](auto i, auto s) { return doubles(walk(s) + v(i)); }, x).to_host());
  const doubles beside = sn::fori_loop(
      0, 3,
      [&](auto i, auto s) {
        return v(i) + sn::fori_loop(0, 2, [](auto, auto w) { return w * 0.5; }, s);
      },
      x);
  CHECK(kernels({beside}) == 1);
  CHECK(beside.to_host() ==
        by_hand(3, [&](auto i, auto s) { return doubles(v(i) + s * 0.25); }, x).to_host());
}

TEST_CASE("picks: each slice of a vmap goes its own way, and says where it leads") {
  const auto walk = [](std::int64_t n) {
    return sn::vmap([n](auto k) {
      return sn::fori_loop(0, n, [](auto, auto j) { return chain(j); }, k);
    });
  };
  const auto round_trip = sn::vmap([](auto k) {
    const auto [i, n] = sn::while_loop([&](auto i, auto) { return chain(i) != k; },
                                       [](auto i, auto n) { return std::tuple(chain(i), n + 1); },
                                       std::tuple(k, indices(0)));
    return n;
  });
  const indices at = sn::asarray<std::int64_t>({0, 1, 2}), out = sn::asarray<std::int64_t>({0, 5});
  const std::string led_out = "[index] index 9 is out of range for axis 0 of extent 6";
  CHECK(indices(walk(2)(at)).to_host() == std::vector<std::int64_t>{1, 3, 2});
  CHECK(indices(round_trip(at)).to_host() == std::vector<std::int64_t>{2, 2, 1});
  CHECK(text_of<sn::index_error>([&] { indices(walk(2)(out)).to_host(); }) == led_out);
  CHECK(text_of<sn::index_error>([&] { indices(round_trip(out)).to_host(); }) == led_out);
}

TEST_CASE("picks: of no elements none is wrong, nor in no rounds") {
  const indices none = sn::zeros<std::int64_t>({0}), at = sn::asarray<std::int64_t>({5, 5});
  const auto walk = [](const indices& from, std::int64_t n) {
    return indices(sn::fori_loop(0, n, [](auto, auto j) { return chain(j); }, from)).to_host();
  };
  CHECK(walk(none, 3).empty());
  CHECK(walk(at, 0) == std::vector<std::int64_t>{5, 5});
}

TEST_CASE("picks: what a loop goes on reading is not written over") {
  const doubles x = numbers({40});
  const auto mixed = [](const doubles& p) {
    return doubles(sn::fori_loop(0, 40, [&](auto j, auto s) { return s * 0.5 + p(j); }, p));
  };
  const auto by_halves = [&](doubles p) {
    const auto from = p.to_host();
    auto to = from;
    for (double& s : to) {
      for (const double v : from) s = s * 0.5 + v;
    }
    return to;
  };
  const doubles twice = sn::fori_loop(0, 2, [&](auto, auto p) { return mixed(p); }, x);
  CHECK(twice.to_host() == by_halves(doubles(sn::asarray(by_halves(x)))));
  const auto given = sn::fuse([&](const doubles& p) { return mixed(p); });
  for (int k = 0; k < 3; ++k) {
    doubles y = x + 0.0;
    sn::eval(y);
    y = given(std::move(y));
    CHECK(y.to_host() == by_halves(x));
    y(sn::_) = mixed(y);
    CHECK(y.to_host() == twice.to_host());
  }
}

TEST_CASE("picks: what a body does not choose is not looked at") {
  const doubles v = numbers({4});
  const auto chosen = [&](std::int64_t limit) {
    return doubles(sn::fori_loop(
        0, 6,
        [&](auto i, auto s) {
          return sn::cond(i < limit, [&](auto x) { return x + v(i); },
                          [](auto x) { return x + 1.0; }, s);
        },
        doubles(sn::asarray(0.0))));
  };
  const auto host = v.to_host();
  CHECK(chosen(4).item() == host[0] + host[1] + host[2] + host[3] + 1.0 + 1.0);
  CHECK(text_of<sn::index_error>([&] { chosen(5).item(); }) ==
        "[index] index 4 is out of range for axis 0 of extent 4");
}

TEST_CASE("picks: an index that is a long way to compute") {
  using doubles = sn::array<double>;
  const std::int64_t n = 5000;
  const doubles x = sn::random::uniform<double>({n}, {.seed = 1});
  const doubles s = sn::linspace<double>(0, 1, n);
  const auto step = [&](const doubles& y) -> doubles {
    return y(sn::minimum(sn::searchsorted(s, y), n - 1));
  };
  CHECK(sn::array_equal(sn::fori_loop(0, 3, [&](auto, auto y) { return step(y); }, x),
                        step(step(step(x)))));
  const auto place = [](auto i) {  // 40 steps that return to i
    sn::array<std::int64_t> at = i;
    for (int k = 0; k < 20; ++k) at = (at + k) - k;
    return at;
  };
  const doubles every = sn::fori_loop(
      0, 4,
      [&](auto i, doubles y) -> doubles {
        return sn::fori_loop(
            0, 3, [&](auto j, doubles z) -> doubles { return z + s(place(i + j)); }, y);
      },
      x);
  doubles same = x;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 3; ++j) same += s(i + j);
  }
  CHECK(sn::allclose(every, same));
}

}  // namespace control_picks_test

// Work that a slice did not choose, or that follows its last round, is dead: its checks are silent,
// and its loops run no rounds.

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/unit/engine/traced.hpp"

namespace vmap_live_test {

namespace sn = sinter;
using traced_tests::numbers;
using traced_tests::text_of;
using doubles = sn::array<double>;
using whole = sn::array<std::int64_t>;

namespace {

using list = std::vector<double>;

template <class A>
auto host(const A& x) {
  return sn::array<typename A::value_type>(x).to_host();
}

}  // namespace

TEST_CASE("an index out of range in a branch that a slice did not choose is no error") {
  const doubles x{10, 20, 30};
  const whole at{0, 7, 2, -9};
  const auto careful = [&](auto i) {
    return sn::cond(
        i >= 0 && i < 3, [&](auto j) { return sn::take(x, j); },
        [](auto) { return doubles(sn::full<double>({}, -1)); }, i);
  };
  CHECK(host(sn::vmap(careful)(at)) == list{10, -1, 30, -1});
  const auto careless = [&](auto i) {
    return sn::cond(
        i >= 0, [&](auto j) { return sn::take(x, j); },
        [](auto) { return doubles(sn::full<double>({}, -1)); }, i);
  };
  CHECK(host(sn::vmap(careless)(whole{0, -9, 2})) == list{10, -1, 30});
  CHECK_THROWS_AS(host(sn::vmap(careless)(at)), sn::index_error);
  // The other branch, branches in branches, and slices of slices.
  const auto inner = [&](auto i) {
    return sn::cond(
        i < 0, [](auto) { return doubles(sn::full<double>({}, -1)); },
        [&](auto j) {
          return sn::cond(
              j < 3, [&](auto k) { return doubles(x(k)); },
              [](auto) { return doubles(sn::full<double>({}, -2)); }, j);
        },
        i);
  };
  CHECK(host(sn::vmap(inner)(at)) == list{10, -2, 30, -1});
  const auto rows = [&](auto r) {
    return sn::cond(
        sn::min(r) >= 0,
        [&](auto s) { return sn::vmap([&](auto i) { return sn::take(x, i); })(s); },
        [](auto) { return sn::zeros<double>({2}); }, r);
  };
  CHECK(host(sn::vmap(rows)(whole{{0, 2}, {1, -9}})) == list{10, 30, 0, 0});
  CHECK_THROWS_AS(host(sn::vmap(rows)(whole{{0, 2}, {1, 9}})), sn::index_error);
}

TEST_CASE("what else is checked in a branch: writing, factorisations, counts, bins") {
  const whole at{1, 5, 0};
  const auto put = [](auto i) {
    return sn::cond(
        i < 3, [](auto j) { return doubles(sn::zeros<double>({3}).at(j).set(7)); },
        [](auto) { return sn::zeros<double>({3}); }, i);
  };
  CHECK(host(sn::vmap(put)(at)) == list{0, 7, 0, 0, 0, 0, 7, 0, 0});
  const doubles m{{{2, 0}, {0, 4}}, {{1, 1}, {1, 1}}};
  const auto inverse = [](auto a) {
    return sn::cond(
        sn::linalg::det(a) != 0.0, [](auto b) { return doubles(sn::linalg::inv(b)); },
        [](auto b) { return doubles(b * 0.0); }, a);
  };
  CHECK(host(sn::vmap(inverse)(m)) == list{0.5, 0, 0, 0.25, 0, 0, 0, 0});
  CHECK_THROWS_AS(host(sn::vmap([](auto a) { return sn::linalg::inv(a); })(m)), sn::linalg_error);
  const auto masked = [](auto v) {
    return sn::cond(
        sn::sum(v) > 0.0,
        [](auto u) {
          doubles y = u;
          y(u > 0.0) = doubles{5, 6};  // as many as are above 0
          return y;
        },
        [](auto u) { return doubles(u); }, v);
  };
  CHECK(host(sn::vmap(masked)(doubles{{1, -1, 2}, {-1, -1, 1}})) == list{5, -1, 6, -1, -1, 1});
  CHECK_THROWS_AS(host(sn::vmap(masked)(doubles{{1, 1, 2}, {-1, -1, 1}})), sn::shape_error);
  const auto binned = [](auto e) {
    return sn::cond(
        e(1) > e(0), [](auto f) { return whole(sn::digitize(doubles{0.5}, f)); },
        [](auto) { return sn::zeros<std::int64_t>({1}); }, e);
  };
  CHECK(host(sn::vmap(binned)(doubles{{0, 1, 2}, {1, 0, 2}})) == std::vector<std::int64_t>{1, 0});
}

TEST_CASE("rounds of a loop that a slice has left check nothing") {
  const doubles x{1, 2, 3, 4};
  const auto total = [&](auto n) {
    return std::get<1>(sn::while_loop(
        [&](auto i, auto) { return i < n; },
        [&](auto i, auto s) { return std::tuple(whole(i + 1), doubles(s + sn::take(x, i))); },
        std::tuple(sn::zeros<std::int64_t>({}), sn::zeros<double>({}))));
  };
  // The slice with 4 rounds stays at index 4 while others continue.
  CHECK(host(sn::vmap(total)(whole{0, 4, 2, 4})) == list{0, 10, 3, 10});
  CHECK_THROWS_AS(host(sn::vmap(total)(whole{0, 5, 2})), sn::index_error);
  const auto condition = [&](auto n) {  // looks up x[i] before it decides whether to continue
    return sn::while_loop([&](auto i) { return sn::take(x, sn::minimum(i, 3)) < 3.0 && i < n; },
                          [&](auto i) { return whole(i + 1); }, sn::zeros<std::int64_t>({}));
  };
  CHECK(host(sn::vmap(condition)(whole{0, 1, 9})) == std::vector<std::int64_t>{0, 1, 2});
}

TEST_CASE("loops in a branch run for the slices that chose it") {
  const whole n{6, 0, 40};
  const auto halved = [](auto k) {  // would not terminate for 0
    return sn::cond(
        k > 0,
        [](auto j) {
          return sn::while_loop([](auto u) { return u != 1; },
                                [](auto u) { return whole(sn::floor_divide(u, 2)); }, j);
        },
        [](auto j) { return whole(j - 1); }, k);
  };
  CHECK(host(sn::vmap(halved)(n)) == std::vector<std::int64_t>{1, -1, 1});
  const doubles x = numbers({3, 4}, 5) * 0.01 + sn::reshape(doubles{1, 0, 2}, {3, 1});
  const auto grown = [](auto v) {  // round by round: would not terminate for zeros
    return sn::cond(
        sn::any(v > 0.5),
        [](auto u) {
          return sn::while_loop([](auto w) { return sn::sum(w) < 100.0; },
                                [](auto w) { return doubles(w + sn::max(w)); }, u);
        },
        [](auto u) { return doubles(u * 0.0); }, v);
  };
  const doubles all = sn::vmap(grown)(x);
  for (std::int64_t i = 0; i < 3; ++i) {
    CHECK(sn::allclose(doubles(all(i)), grown(doubles(x(i))), {.rtol = 1e-12}).item());
  }
  CHECK(host(all(1)) == list{0, 0, 0, 0});
  // Counted rounds and scans in a branch read nothing where the branch is not chosen.
  const doubles table{1, 2, 3};
  const auto looked_up = [&](auto k) {
    return sn::cond(
        k < 3,
        [&](auto j) {
          const doubles s = sn::fori_loop(
              0, 2, [&](auto, auto a) { return doubles(a + sn::take(table, j)); },
              sn::zeros<double>({}));
          return doubles(s + sn::scan(
                                 [&](auto c, auto i) {
                                   return std::pair(doubles(c + sn::take(table, i + j - i)), c);
                                 },
                                 sn::zeros<double>({}), sn::arange<std::int64_t>(2))
                                 .first);
        },
        [](auto) { return sn::zeros<double>({}); }, k);
  };
  CHECK(host(sn::vmap(looked_up)(whole{0, 9, 2})) == list{4, 0, 12});
  CHECK_THROWS_AS(host(sn::vmap(looked_up)(whole{0, -9, 2})), sn::index_error);
}

TEST_CASE("vmap of expm squares each slice as often as it needs") {
  const doubles x = numbers({5, 3, 3}, 7) * sn::reshape(doubles{0, 0.1, 3, 40, 200}, {5, 1, 1});
  const doubles all = sn::vmap([](auto m) { return sn::linalg::expm(m); })(x);
  for (std::int64_t i = 0; i < 5; ++i) {
    const doubles one = sn::linalg::expm(doubles(x(i)));
    CHECK(sn::allclose(doubles(all(i)), one, {.rtol = 1e-9, .atol = 0}).item());
  }
  // In slices of slices, on a value shared by all slices, in a loop.
  const doubles deep = sn::reshape(x(sn::slice(0, 4)), {2, 2, 3, 3});
  const auto inner = [](auto m) { return sn::linalg::expm(m); };
  CHECK(sn::allclose(sn::vmap([&](auto s) { return sn::vmap(inner)(s); })(deep),
                     sn::linalg::expm(deep), {.rtol = 1e-9})
            .item());
  const doubles one = x(2);
  CHECK(sn::allclose(sn::vmap([&](auto m) { return doubles(m * sn::linalg::expm(one)); })(x),
                     x * sn::linalg::expm(one), {.rtol = 1e-9})
            .item());
  const doubles twice = sn::fori_loop(
      0, 2, [](auto, doubles m) { return doubles(sn::linalg::expm(m) * 0.1); }, one);
  CHECK(sn::allclose(twice, sn::linalg::expm(sn::linalg::expm(one) * 0.1) * 0.1, {.rtol = 1e-9})
            .item());
}

TEST_CASE("what has a shape that depends on values is refused, and where is named") {
  const doubles x = numbers({4, 3, 3}, 17);
  const auto says = [&](auto f) { return text_of<sn::value_error>([&] { sn::vmap(f)(x); }); };
  const auto names = [&](const std::string& text, const std::string& op) {
    return text.starts_with("[" + op + "] ") && text.find("Choose with where") != std::string::npos;
  };
  CHECK(names(says([](auto m) { return doubles(m(m > 0.0)); }), "index"));
  CHECK(names(says([](auto m) { return sn::nonzero(m)[0]; }), "nonzero"));
  CHECK(names(says([](auto m) { return sn::argwhere(m); }), "argwhere"));
  CHECK(names(says([](auto m) { return sn::unique_values(m); }), "unique_values"));
  CHECK(names(says([](auto m) { return sn::compress(sn::sum(m, {.axis = 1}) > 0.0, m); }),
              "compress"));
  CHECK(names(says([](auto m) { return sn::linalg::null_space(m); }), "null_space"));
}

}  // namespace vmap_live_test

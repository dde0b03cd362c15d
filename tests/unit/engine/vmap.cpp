// vmap: a function over slices equals the function of each slice, in as few kernels.

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/unit/engine/traced.hpp"

namespace vmap_test {

namespace sn = sinter;
using traced_tests::numbers;
using doubles = sn::array<double>;

namespace {

/// The function of each slice along the first axis, stacked.
template <class F>
doubles each(F f, const doubles& x) {
  std::vector<doubles> all;
  for (std::int64_t i = 0; i < x.shape(0); ++i) all.push_back(doubles(f(doubles(x(i)))));
  return sn::stack(all);
}

template <class F>
bool same(F f, const doubles& x) {
  return sn::array_equal(doubles(sn::vmap(f)(x)), each(f, x)).item();
}

template <class Program>
std::string value_text(Program&& program) {
  try {
    program();
  } catch (const sn::value_error& e) {
    const std::string text = e.what();
    return text.substr(0, text.rfind(" ("));
  }
  return "no error";
}

}  // namespace

TEST_CASE("vmap of what computes, reduces, scans and looks otherwise at its argument") {
  const doubles x = numbers({5, 4, 6});
  CHECK(same([](auto m) { return m * 2.0 + 1.0; }, x));
  CHECK(same([](auto m) { return m - sn::mean(m, {.axis = 1, .keepdims = true}); }, x));
  CHECK(same([](auto m) { return m / (1.0 + sn::max(m) - sn::min(m)); }, x));
  CHECK(same([](auto m) { return sn::cumsum(m, {.axis = 0}); }, x));
  CHECK(same([](auto m) { return m.T() * 2.0; }, x));
  CHECK(same([](auto m) { return m(sn::slice(1, 3), sn::slice(0, 6, 2)) + m(0, 0); }, x));
  CHECK(same([](auto m) { return doubles(m).reshape({24}) + 1.0; }, x));
  CHECK(same([](auto m) { return sn::flip(m, {1}) - m; }, x));
  CHECK(same([](auto m) { return sn::concatenate({m, doubles(m * 2.0)}); }, x));
  CHECK(same([](auto m) { return sn::pad(m, {{1, 1}, {0, 2}}); }, x));
  CHECK(same([](auto m) { return sn::softmax(m, {.axis = 1}); }, x));
}

TEST_CASE("vmap of what picks, assigns and multiplies") {
  const doubles x = numbers({5, 4, 6}), w = numbers({6, 3}, 2);
  const sn::array<std::int64_t> rows = sn::asarray(std::vector<std::int64_t>{2, 0, 2});
  CHECK(same([&](auto m) { return sn::take(m, rows, {.axis = 0}); }, x));
  CHECK(same(
      [&](auto m) {
        doubles y = m;
        y(1, sn::slice(0, 3)) = 0.5;
        return y;
      },
      x));
  const doubles products = sn::vmap([&](auto m) { return sn::matmul(m, w); })(x);
  CHECK(sn::allclose(products, sn::matmul(x, w)).item());
  const doubles rows_of = sn::vmap([&](auto m) { return sn::matmul(m, m.T()); })(x);
  CHECK(sn::allclose(rows_of, sn::matmul(x, x.mT())).item());
  const auto picked = sn::vmap([&](auto m, auto i) { return sn::take(m, i, {.axis = 0}); },
                               {.in_axes = {std::nullopt, 0}})(doubles(x(0)), rows);
  CHECK(sn::array_equal(picked, sn::take(doubles(x(0)), rows, {.axis = 0})).item());
  const sn::array<std::int64_t> wrong = sn::asarray(std::vector<std::int64_t>{2, 4});
  CHECK_THROWS_AS(sn::vmap([&](auto m) { return sn::take(m, wrong, {.axis = 0}); })(x).to_host(),
                  sn::index_error);
}

TEST_CASE("vmap over axes, of several arguments and results, of vmap") {
  const doubles x = numbers({3, 7}), y = numbers({7, 3}, 2);
  const auto dot = [](auto a, auto b) { return sn::sum(a * b); };
  const doubles columns = sn::vmap(dot, {.in_axes = {1, 0}})(x, y);
  CHECK(sn::allclose(columns, sn::sum(doubles(x.T() * y), {.axis = 1})).item());
  const auto all = sn::vmap(sn::vmap(dot, {.in_axes = {std::nullopt, 0}}),
                            {.in_axes = {0, std::nullopt}});
  CHECK(sn::allclose(all(x, doubles(y.T())), sn::matmul(x, y)).item());
  const auto both = sn::vmap([](auto v) { return std::tuple(v * 2.0, sn::sum(v)); },
                             {.out_axes = {1, 0}})(x);
  CHECK(sn::array_equal(std::get<0>(both), doubles((x * 2.0)).T()).item());
  CHECK(std::get<1>(both).shape(0) == 3);
  const doubles same_for_all = sn::vmap([](auto) { return sn::ones<double>({2}); })(x);
  CHECK(same_for_all.shape(0) == 3);
  CHECK(sn::array_equal(doubles(sn::vmap([](auto v, auto k) { return v * k; })(x, 3.0)),
                        doubles(x * 3.0))
            .item());
}

TEST_CASE("vmap of elementwise loops: each slice stops by itself") {
  const doubles x = doubles{1, 3, 50, 200};
  const auto grown = [](auto v) {
    return sn::while_loop([](auto a) { return a < 100.0; }, [](auto a) { return a * 2.0; }, v);
  };
  CHECK(doubles(sn::vmap(grown)(x)).to_host() == std::vector<double>{128, 192, 100, 200});
  const doubles xs = numbers({4, 5, 3});
  CHECK(same([](auto m) { return sn::fori_loop(0, 3, [&](auto, auto v) { return v * m; }, m); },
             xs));
  CHECK(same(
      [](auto m) {
        return sn::scan([](auto c, auto row) { return std::pair(c + row, c * 2.0); },
                        sn::zeros<double>({3}), m)
            .second;
      },
      xs));
}

TEST_CASE("what vmap refuses, by name") {
  const doubles x = numbers({4, 3, 3});
  CHECK(value_text([&] { sn::vmap([](auto m) { return m * sn::sum(m).item(); })(x); }).find(
            "a value is read of what a function computes from its arguments") !=
        std::string::npos);
  CHECK_THROWS_AS(sn::vmap([](auto a, auto b) { return a + b; })(x, numbers({5})),
                  sn::shape_error);
  CHECK_THROWS_AS(sn::vmap([](auto a) { return a; }, {.in_axes = {7}})(x), sn::axis_error);
  CHECK_THROWS_AS(sn::vmap([](auto a) { return a; }, {.in_axes = {std::nullopt}})(x),
                  sn::shape_error);
  CHECK_THROWS_AS(sn::vmap([](auto a) { return a; }, {.in_axes = {0, 0}})(x), sn::value_error);
}

}  // namespace vmap_test

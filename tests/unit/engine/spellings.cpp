// Spellings that NumPy's users try first.
#include <vector>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace spellings_test {

namespace sn = sinter;
using doubles = sn::array<double>;
using integers = sn::array<int>;

TEST_CASE("shapes are compared, of arrays and of expressions") {
  const doubles a = sn::zeros<double>({2, 3}), b = sn::ones<double>({2, 3});
  CHECK(a.shape() == b.shape());
  CHECK(a.shape() == (a + b).shape());
  CHECK((a + b).shape() == a.shape());
  CHECK(a.shape() == std::vector<std::int64_t>{2, 3});
  CHECK(a.shape() != a.T().shape());
  CHECK(a.shape() != doubles(a(0)).shape());
}

TEST_CASE("what ix_ gives is an index, of what is read and of what is assigned") {
  integers x = sn::reshape(sn::arange<int>(12), {3, 4});
  const integers rows = {0, 2}, columns = {1, 3};
  CHECK(sn::array_equal(x(sn::ix_(rows, columns)), integers{{1, 3}, {9, 11}}));
  CHECK(sn::array_equal((x + 1)(sn::ix_(rows, columns)), integers{{2, 4}, {10, 12}}));
  x(sn::ix_(rows, columns)) = 0;
  x(sn::ix_(rows, columns)) += 5;
  CHECK(sn::array_equal(x, integers{{0, 5, 2, 5}, {4, 5, 6, 7}, {8, 5, 10, 5}}));
  CHECK_THROWS_AS(x(sn::ix_(rows, columns + 1)).item(), sn::error);
}

TEST_CASE("one pair of widths is that of every axis") {
  const integers x = sn::ones<int>({1, 1});
  CHECK(sn::array_equal(sn::pad(x, {1, 2}), sn::pad(x, {{1, 2}, {1, 2}})));
}

TEST_CASE("a distance, or one place, without braces") {
  const doubles x = {0, 1, 4, 9}, at = {0, 1, 2, 3};
  CHECK(sn::array_equal(sn::gradient(x, 0.5), sn::gradient(x, {.spacing = 0.5})));
  CHECK(sn::array_equal(sn::gradient(x, 2), sn::gradient(x, {.spacing = 2.0})));
  CHECK(double(sn::interp(2.5, at, x)) == 6.5);
}

TEST_CASE("gradient takes coordinates, and a spacing for each of several axes") {
  const doubles y = {1, 4, 9, 16}, at = {0, 1, 3, 4};
  CHECK(sn::array_equal(sn::gradient(y, at), sn::gradient(y, {.spacing = at})));
  CHECK(sn::array_equal(sn::gradient(y, at, {.edge_order = 2}),
                        sn::gradient(y, {.spacing = at, .edge_order = 2})));
  CHECK(sn::allclose(sn::gradient(y, at + 1), doubles{3, 17 / 6.0, 5.5, 7}));
  const doubles plane = sn::reshape(sn::square(sn::arange<double>(8)), {2, 4});
  CHECK(sn::array_equal(sn::gradient(plane, at, {.axis = 1}),
                        sn::gradient(plane, {.axis = 1, .spacing = at})));
  const auto [down, right] = sn::gradient(plane, 2, at);
  CHECK(sn::array_equal(down, doubles{{8, 12, 16, 20}, {8, 12, 16, 20}}));
  CHECK(sn::array_equal(right, sn::gradient(plane, at, {.axis = 1})));
  const auto [a, b, c] = sn::gradient(sn::reshape(plane, {2, 2, 2}), 1, doubles{0, 2}, 0.5f);
  CHECK(sn::array_equal(a(0), doubles{{16, 24}, {32, 40}}));
  CHECK(sn::array_equal(b(0), doubles{{2, 4}, {2, 4}}));
  CHECK(sn::array_equal(c(0), doubles{{2, 2}, {10, 10}}));
  CHECK_THROWS_AS(sn::gradient(y, 1, at), sn::value_error);
}

TEST_CASE("diagonals by NumPy's arguments, without their names") {
  const auto [i, j] = sn::triu_indices(3, 1);
  CHECK(sn::to_string(i) + sn::to_string(j) == "[0 0 1][1 2 2]");
  const auto [k, l] = sn::tril_indices(3, -1);
  CHECK(sn::to_string(k) + sn::to_string(l) == "[1 2 2][0 0 1]");
  CHECK(sn::to_string(sn::tril_indices(2, 0, 3)[1]) == "[0 0 1]");
  CHECK(sn::to_string(sn::triu_indices(2, {})[0]) == "[0 0 1]");
  const integers x = sn::reshape(sn::arange<int>(8), {2, 2, 2});
  CHECK(sn::array_equal(sn::diagonal(x, 0, 1, 2), integers{{0, 3}, {4, 7}}));
  CHECK(sn::array_equal(sn::diagonal(x + 1, 1), integers{{3}, {4}}));
  CHECK(sn::array_equal(sn::trace(x, 0, 1, 2), integers{3, 11}));
  CHECK(sn::array_equal(sn::trace(x, -1, 2, 0), integers{1, 3}));
}

TEST_CASE("pad takes constant_values as one, as a pair and as pairs") {
  const integers x = {1, 2};
  CHECK(sn::to_string(sn::pad(x, 1, {.constant_values = 7})) == "[7 1 2 7]");
  CHECK(sn::to_string(sn::pad(x, 1, {.constant_values = {7, 8}})) == "[7 1 2 8]");
  CHECK(sn::array_equal(sn::pad(integers{{1}}, 1, {.constant_values = {{1, 2}, {3, 4}}}),
                        integers{{3, 1, 4}, {3, 1, 4}, {3, 2, 4}}));
  CHECK(sn::array_equal(sn::pad(integers{{1}}, 1, {.constant_values = {5, 6}}),
                        sn::pad(integers{{1}}, 1, {.constant_values = {{5, 6}}})));
}

TEST_CASE("keys that were joined in braces are sorted by") {
  const doubles a = {1, 1, 0, 0}, b = {4, 3, 2, 1};
  CHECK(sn::to_string(sn::lexsort(sn::stack({b, a}))) == "[3 2 1 0]");
  CHECK(sn::to_string(sn::lexsort(sn::stack({-b, 2 * a}))) == "[2 3 0 1]");
}

TEST_CASE("what is joined in braces takes the type of what it stands beside") {
  const doubles x = {{1, 2}, {3, 4}}, a = x(sn::_, sn::slice(0, 1)), b = x(sn::_, sn::slice(1, 2));
  const doubles half = {{0.5, 0.5}, {0.5, 0.5}};
  const doubles turned = x * 10 + sn::concatenate({-b, a}, {.axis = 1}) * half;
  CHECK(sn::array_equal(turned, doubles{{9, 20.5}, {28, 41.5}}));
  CHECK(sn::array_equal(sn::stack({a, b}, 0) / (x + 1), sn::stack(std::tuple(a, b), 0) / (x + 1)));
  CHECK(sn::array_equal(x - sn::concatenate({b, a}, 1), doubles{{-1, 1}, {-1, 1}}));
  CHECK_THROWS_AS(doubles(x + sn::concatenate({sn::astype<std::complex<double>>(b), a}, 1)),
                  sn::dtype_error);
}

TEST_CASE("a part of complex numbers may be one number") {
  const sn::array<float> x = {1, 2};
  const sn::array<std::complex<float>> z = sn::complex(x / 2, 0.5), turned = sn::complex(0, x);
  CHECK(sn::to_string(z) == "[0.5+0.5j 1. +0.5j]");
  CHECK(sn::to_string(turned) == "[0.+1.j 0.+2.j]");
  const sn::array<std::complex<double>> whole = sn::complex(sn::array<int>{1, 2}, 2.5);
  CHECK(sn::to_string(whole) == "[1.+2.5j 2.+2.5j]");
}

TEST_CASE("what comes last in NumPy's calls, by place, by name and as a number") {
  const doubles x = {1, 2, 4};
  const integers k = {0, 1, 1};
  const doubles both = sn::concat({x, -x});
  CHECK(sn::to_string(both) == "[ 1.  2.  4. -1. -2. -4.]");
  CHECK(sn::to_string(sn::eye<int>(3, {.k = 1})) == "[[0 1 0]\n [0 0 1]\n [0 0 0]]");
  CHECK(sn::to_string(sn::eye<int>(2, 3, {.k = -1})) == "[[0 0 0]\n [1 0 0]]");
  CHECK(sn::to_string(sn::diff(x, {.prepend = 0, .append = 4.5})) == "[1.  1.  2.  0.5]");
  CHECK(sn::to_string(sn::diff(k, {.prepend = k})) == "[ 1  0 -1  1  0]");
  CHECK(sn::to_string(sn::diff(sn::astype<float>(x), {.prepend = 0.5}) * 2) == "[1. 2. 4.]");
  CHECK_THROWS_AS(sn::diff(k, {.prepend = 0.5}), sn::dtype_error);
  const std::vector<doubles> choices = {x, doubles(x * 10)};
  CHECK(sn::to_string(sn::choose(k, choices)) == "[ 1. 20. 40.]");
  CHECK(sn::to_string(sn::vander(k + 2, 3)) == "[[4 2 1]\n [9 3 1]\n [9 3 1]]");
  CHECK(sn::to_string(sn::vander(k + 2, 2, true)) == "[[1 2]\n [1 3]\n [1 3]]");
}

TEST_CASE("messages that say what to write instead") {
  const doubles x = {1, 2, 3};
  const auto message = [](auto f) -> std::string {
    try {
      f();
    } catch (const sn::error& e) {
      return e.what();
    }
    return "";
  };
  CHECK(message([&] { sn::reshape(x, {-1, -1}); }).find("only one extent of (-1, -1)") !=
        std::string::npos);
  CHECK(message([&] { return bool(x > 1); }).find("any(x) or all(x)") != std::string::npos);
}

}  // namespace spellings_test

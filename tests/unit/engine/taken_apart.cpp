// Arrays taken apart, lists in braces as operands, and truth values.
#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace taken_apart_test {

namespace sn = sinter;
using doubles = sn::array<double>;
using numbers = std::vector<double>;

const doubles& table() {
  static const doubles m = sn::reshape(sn::arange<double>(6), {2, 3});
  return m;
}

TEST_CASE("an array is split by a number of parts or by indices, along a number or a named axis") {
  const doubles& m = table();
  CHECK(sn::split(m, 3, {.axis = 1})[2].to_host() == numbers{2, 5});
  CHECK(sn::split(m, {1}, {.axis = 1})[1].to_host() == numbers{1, 2, 4, 5});
  CHECK(sn::split(m, std::vector<std::int64_t>{1, 2}, 1)[1].to_host() == numbers{1, 4});
  CHECK(sn::split(m, {1})[1].to_host() == numbers{3, 4, 5});
  CHECK(sn::array_split(m, 2, {.axis = 1})[0].shape() == std::vector<std::int64_t>{2, 2});
  CHECK(sn::array_split(m, {2}, 1)[1].to_host() == numbers{2, 5});
  CHECK(sn::hsplit(m, {1})[0].to_host() == numbers{0, 3});
  CHECK(sn::vsplit(m, 2)[1].to_host() == numbers{3, 4, 5});
  CHECK(sn::dsplit(sn::reshape(m, {1, 2, 3}), 3)[1].to_host() == numbers{1, 4});
  CHECK_THROWS_AS(sn::split(m, 2, {.axis = 1}), sn::shape_error);
  CHECK_THROWS_AS(sn::split(m, 0), sn::value_error);
}

TEST_CASE("parts and slices are bound by name where their number is known") {
  const auto [a, b, c] = sn::split<3>(table() + 1, 1);
  CHECK((a * b - c).to_host() == numbers{-1, 14});
  const auto [first, second] = sn::unstack<2>(table());
  CHECK(doubles(second - first).to_host() == numbers{3, 3, 3});
  CHECK(sn::unstack(table(), {.axis = 1}).size() == 3);
  CHECK_THROWS_WITH(sn::unstack<3>(table()),
                    Catch::Contains("[unstack] gives 2 arrays here, not 3"));
  CHECK_THROWS_AS(sn::split<4>(table()), sn::shape_error);
}

TEST_CASE("a loop over an array goes over the slices of its first axis") {
  std::vector<double> sums;
  for (auto row : table() * 2) {
    row += 1;  // a value of its own
    sums.push_back(double(sn::sum(row)));
  }
  CHECK(sums == numbers{9, 27});
  double total = 0;
  for (const doubles& x : table()(0)) total += x.item();
  CHECK(total == 3);
  int rounds = 0;
  for (const doubles& row : sn::zeros<double>(0, 3)) rounds += static_cast<int>(row.size());
  CHECK(rounds == 0);
  const auto over_a_number = [] {
    for (const doubles& x : doubles(3.0)) x.item();
  };
  CHECK_THROWS_AS(over_a_number(), sn::shape_error);

  const auto f = sn::fuse([](const doubles& m) {
    doubles longest = sn::zeros<double>(3);
    for (const doubles& row : m * m) longest = sn::maximum(longest, row);
    return longest;
  });
  CHECK(f(table()).to_host() == numbers{9, 16, 25});
}

TEST_CASE("a list in braces beside an operand is an array of its dtype") {
  const doubles x = {3, 1, 2}, m = {{2, 0, 0}, {0, 4, 0}, {0, 0, 8}};
  CHECK(sn::dot(x, {1, 2, 3}).item() == 11);
  CHECK(sn::matmul(m, {1, 1, 0.5}).to_host() == numbers{2, 4, 4});
  CHECK(sn::matmul(m, {{1}, {0}, {0}}).shape() == std::vector<std::int64_t>{3, 1});
  CHECK(sn::cross(x, {0, 0, 1}).to_host() == numbers{1, -3, 0});
  CHECK(sn::outer(x, {1, 10}).to_host() == numbers{3, 30, 1, 10, 2, 20});
  CHECK(sn::convolve(x, {1, 2, 1}).to_host() == numbers{3, 7, 7, 5, 2});
  CHECK(sn::convolve(x, {1, 1}, "valid").to_host() == numbers{4, 3});
  CHECK(sn::interp(x, {0, 2, 4}, {0, 20, 30}).to_host() == numbers{25, 10, 20});
  CHECK(double(sn::interp(1.5, {1, 2}, {0, 8})) == 4);
  CHECK(sn::searchsorted(sn::sort(x), {0, 2, 9}).to_host() == std::vector<std::int64_t>{0, 1, 3});
  CHECK(sn::digitize(x, {1.5, 2.5}).to_host() == std::vector<std::int64_t>{2, 0, 1});
  CHECK(sn::polyval({1, 0, -2}, x).to_host() == numbers{7, -1, 2});
  CHECK(sn::union1d(x, {2, 7}).to_host() == numbers{1, 2, 3, 7});
  CHECK(sn::repeat(x, {0, 2, 1}).to_host() == numbers{1, 1, 2});
  CHECK(sn::linalg::solve(m, {2, 4, 8}).to_host() == numbers{1, 1, 1});
  CHECK(sn::histogram(x, {.bins = 2, .range = {0, 4}}).hist.to_host() ==
        std::vector<std::int64_t>{1, 2});
  CHECK(sn::clip(x, {}, 2).to_host() == numbers{2, 1, 2});
  CHECK(sn::clip(x, 2, {}).to_host() == numbers{3, 2, 2});
  CHECK(sn::var(x, {.ddof = 1}).item() == 1);
  CHECK(sn::cov(x, {.ddof = 0}).item() == Approx(2.0 / 3));
}

TEST_CASE("arrays, expressions and numbers in braces are stacked") {
  const doubles x = {3, 4};
  const doubles slope = {x(1), -x(0), 2.0}, m{x, 2 * x};
  CHECK(slope.to_host() == numbers{4, -3, 2});
  CHECK(m.shape() == std::vector<std::int64_t>{2, 2});
  CHECK(doubles{x}.ndim() == 1);
  CHECK_THROWS_AS((doubles{x, x(0)}), sn::shape_error);
}

TEST_CASE("shapes are lists of any integers, single indices and points take numbers") {
  const std::vector<int> side = {2};
  const std::array<unsigned, 2> sides = {1, 2};
  CHECK(sn::zeros<double>(side).size() == 2);
  CHECK(doubles({1, 2}).reshape(sides).ndim() == 2);
  CHECK(sn::split(table(), std::vector<int>{1}, 1)[0].to_host() == numbers{0, 3});
  CHECK(sn::take(table(), 4).item() == 4);
  CHECK(sn::take(table(), -1, {.axis = 0}).to_host() == numbers{3, 4, 5});
  CHECK(sn::take(table(), 1, 1).to_host() == numbers{1, 4});
  CHECK(sn::isin(table(), 4).to_host() == std::vector<bool>{0, 0, 0, 0, 1, 0});
  CHECK(double(sn::polyval(doubles{1, 0, 1}, 3.0)) == 10);
  CHECK(sn::rot90(table(), 2)(0, 0).item() == 5);
  const auto [down, right] = sn::gradients<2>(table());
  CHECK((down + right).to_host() == numbers(6, 4));
  CHECK(sn::ravel_multi_index(sn::nonzero(table() > 3), table().shape()).to_host() ==
        std::vector<std::int64_t>{4, 5});
  CHECK(sn::lexsort(std::vector<doubles>{{2, 1, 2}, {1, 1, 0}}).to_host() ==
        std::vector<std::int64_t>{2, 1, 0});
  doubles y = {1, 5, 6};
  y(y > 2) = {7, 8};
  CHECK(y.to_host() == numbers{1, 7, 8});
}

TEST_CASE("a shape outlives the array that it was asked of") {
  doubles x = table() + 0;
  const auto shape = x.shape();
  x = sn::ravel(x);
  for (int k = 0; k < 3; ++k) sn::eval(x = x * 0.5 + 1.0);
  CHECK(shape == table().shape());
  CHECK(x.reshape(shape).shape() == std::vector<std::int64_t>{2, 3});
  std::vector<std::int64_t> extents;
  for (std::int64_t e : sn::sort(table()).shape()) extents.push_back(e);
  CHECK(extents == shape);
}

TEST_CASE("a C++ bool on the left of && and || decides first") {
  const doubles x = {1, 2, 3}, none = sn::zeros<double>(0);
  std::int64_t i = 0;
  while (i < x.size() && x(i) > 0) ++i;
  CHECK(i == 3);
  CHECK((none.size() == 0 || sn::max(none) < 5));
  CHECK((x > 1 && true).to_host() == std::vector<bool>{0, 1, 1});
}

TEST_CASE("a truth value converts to bool, and nothing else does") {
  const doubles x = {3, 4};
  const bool close = sn::norm(x) < 6, same = sn::array_equal(x, {3, 4}), any = sn::any(x > 5);
  CHECK(close);
  CHECK(same);
  CHECK_FALSE(any);
  CHECK_THROWS_AS([&]() -> bool { return x > 3; }(), sn::shape_error);
  STATIC_REQUIRE(std::is_convertible_v<sn::array<bool>, bool>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<sn::array<bool>, int>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<doubles, double>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<doubles, bool>);
}

}  // namespace taken_apart_test

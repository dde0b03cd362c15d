// Lists of index arrays as NumPy's functions give them, lists as values, shapes and dtypes as text.
#include <algorithm>
#include <sstream>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/unit/engine/refusal.hpp"

namespace index_lists_test {

namespace sn = sinter;
using namespace sinter::test;
using doubles = sn::array<double>;
using numbers = std::vector<double>;

TEST_CASE("what triu_indices, nonzero and unravel_index give is an index") {
  doubles m = sn::reshape(sn::arange<double>(9), {3, 3});
  const doubles before = m;
  CHECK(doubles(m(sn::triu_indices(3, 1))).to_host() == numbers{1, 2, 5});
  CHECK(doubles(before(sn::nonzero<2>(m > 6))).to_host() == numbers{7, 8});
  CHECK(doubles((m + 1)(sn::nonzero(m > 6))).to_host() == numbers{8, 9});
  CHECK(doubles(m(sn::unravel_index(sn::argmax(m), m.shape()))).item() == 8);
  m(sn::where<2>(m > 5)) = 0;
  m(sn::nonzero(m == 5)) += 10;
  CHECK(m.to_host() == numbers{0, 1, 2, 3, 4, 15, 0, 0, 0});
  const std::vector<sn::array<int>> many(9, sn::array<int>{0});
  CHECK_THROWS_AS(before(many), sn::index_error);
}

TEST_CASE("an element of a join is picked by an index of rank 0") {
  const sn::array<int> a = 1, b = 2, one = 1;
  CHECK(sn::array<int>(sn::stack({a, b})(one)).item() == 2);
  CHECK(sn::array<int>(sn::take(sn::stack<int>({a, b}), one)).item() == 2);
  const doubles z = sn::arange<double>(4);
  CHECK(doubles(sn::pad(z, 1, "edge")(sn::argmax(z))).item() == 2);
}

TEST_CASE("a mask by what its row comes to chooses as any other does") {
  for (const std::int64_t n : {2, 31, 1000, 30000, 100000}) {
    const doubles d = sn::astype<double>(sn::arange<std::int64_t>(n) * 7 % 11);
    sn::eval(d);
    const std::vector<double> host = d.to_host();
    double most = 0, total = 0;
    for (const double v : host) most = std::max(most, v), total += v;
    numbers above, large;
    for (const double v : host) {
      if (v > total / static_cast<double>(n)) above.push_back(v);
      if (v - most / 2 > 1) large.push_back(v - most / 2);
    }
    CHECK(doubles(d(d > sn::mean(d))).to_host() == above);
    const doubles y = d - sn::max(d) / 2;
    CHECK(doubles(y(y > 1)).to_host() == large);
    CHECK(sn::nonzero(d > sn::mean(d))[0].size() == static_cast<std::int64_t>(above.size()));
  }
}

TEST_CASE("a list is assigned to a slice") {
  doubles m = sn::zeros<double>({2, 3});
  m(0) = {1, 2, 3};
  m(sn::_, 2) = {7., 8.};
  CHECK(m.to_host() == numbers{1, 2, 7, 0, 0, 8});
  CHECK(shape_refusal([&] { m(0) = {1, 2}; }) ==
        "[assign] shape (2,) does not broadcast to (3,): axis 0 is 2 against 3");
}

TEST_CASE("shapes and dtypes print as NumPy's do") {
  const sn::array<float> x = sn::zeros<float>({2, 3}), one = sn::zeros<float>({4});
  std::ostringstream text;
  text << x.shape() << ' ' << one.shape() << ' ' << x.dtype() << ' ' << sn::ones<bool>({}).dtype();
  CHECK(text.str() == "(2, 3) (4,) float32 bool");
  CHECK(sn::to_string(x.shape()) == "(2, 3)");
}

TEST_CASE("a roll by an array is the roll by its value") {
  const doubles x = sn::arange<double>(5), m = sn::reshape(sn::arange<double>(12), {3, 4});
  for (const int shift : {-7, -1, 0, 2, 5, 11}) {
    const sn::array<int> s = sn::asarray(shift);
    CHECK(sn::array_equal(sn::roll(x, s), sn::roll(x, shift)));
    CHECK(sn::array_equal(sn::roll(m, s), sn::roll(m, shift)));
    CHECK(sn::array_equal(sn::roll(m, s, -1), sn::roll(m, shift, -1)));
  }
  const auto rolled = sn::fori_loop(0, 4, [](auto i, auto v) { return sn::roll(v, i); }, x);
  CHECK(sn::array_equal(rolled, sn::roll(x, 6)));
  CHECK_THROWS_AS(sn::roll(x, x(0)), sn::dtype_error);
  CHECK_THROWS_AS(sn::roll(x, sn::array<int>{1, 2}), sn::shape_error);
  CHECK_THROWS_AS(sn::roll(m, sn::asarray(1), {0, 1}), sn::shape_error);
}

}  // namespace index_lists_test

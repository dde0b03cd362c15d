// Row sums at places, with enough rows that a GPU sorts the places.

#include <complex>
#include <vector>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace scatter_rows_test {

namespace sn = sinter;

namespace {

using indices = sn::array<std::int64_t>;

constexpr std::int64_t rows = 90'000, width = 64;

/// Halves and their sums are exact, so the order of additions does not matter.
template <class T> sn::array<T> halves(const std::vector<std::int64_t>& shape, std::uint64_t seed) {
  const auto twice = sn::random::integers<int>(shape, {.seed = seed, .low = -9, .high = 9});
  return sn::astype<T>(sn::astype<float>(twice) * 0.5f);
}

/// Column by column, by bincount.
template <class T> sn::array<double> expected(const sn::array<T>& base, const indices& at,
                                              const sn::array<T>& v, std::int64_t column) {
  const auto weights = sn::astype<double>(v(sn::slice(), column));
  return sn::astype<double>(base(sn::slice(), column)) +
         sn::bincount(at, weights, {.minlength = base.shape()[0]});
}

template <class T> void compare(const indices& at, std::int64_t places) {
  const auto v = halves<T>({rows, width}, 1), base = halves<T>({places, width}, 2);
  const sn::array<T> sums = base.at(at).add(v);
  for (const std::int64_t column : {0, 31, 63}) {
    const sn::array<double> got = sn::astype<double>(sums(sn::slice(), column));
    CHECK(sn::array_equal(got, expected(base, at, v, column)));
  }
}

indices spread(std::int64_t places) {
  return sn::random::integers<std::int64_t>({rows}, {.seed = 3, .high = places});
}

/// Most of them equal.
indices crowded(std::int64_t places) {
  return sn::where(spread(10) < 9, indices{5}, spread(places));
}

}  // namespace

TEST_CASE("rows are added at their places") {
  compare<float>(spread(3000), 3000);
  compare<double>(spread(100'000), 100'000);
  compare<float>(crowded(3000), 3000);
  compare<double>(sn::zeros<std::int64_t>({rows}) + 2, 7);
  compare<sn::float16>(spread(3000), 3000);
}

TEST_CASE("rows of places: negative indices, and those out of range") {
  const indices at = spread(3000);
  const auto v = halves<float>({rows, width}, 1), base = halves<float>({3000, width}, 2);
  const sn::array<float> sums = base.at(at).add(v), back = base.at(at - 3000).add(v);
  CHECK(sn::array_equal(sums, back));
  const sn::array<float> outside = base.at(at + 1).add(v);
  CHECK_THROWS_AS(outside(0, 0).item(), sn::index_error);
}

TEST_CASE("rows of views, of several axes and of complex numbers are added at their places") {
  const indices at = spread(3000);
  const auto base = halves<float>({3000, width}, 2);
  const auto across = halves<float>({width, rows}, 1);
  const sn::array<float> sums = base.at(at).add(across.T());
  CHECK(sn::array_equal(sums, base.at(at).add(sn::array<float>(across.T()))));
  const sn::array<float> cube =
      sn::reshape(base, {3000, 8, 8}).at(sn::reshape(at, {300, 300})).add(
          sn::reshape(across.T(), {300, 300, 8, 8}));
  CHECK(sn::array_equal(sn::reshape(cube, {3000, width}), sums));
  const sn::array<std::complex<float>> z = sn::zeros<std::complex<float>>({3000, width});
  const auto one = sn::astype<std::complex<float>>(across.T());
  const sn::array<std::complex<float>> twice =
      z.at(at).add(one * std::complex<float>(2, -1));
  const sn::array<float> alone = sn::zeros<float>({3000, width}).at(at).add(across.T());
  CHECK(sn::array_equal(sn::real(twice), alone * 2.0f));
  CHECK(sn::array_equal(sn::imag(twice), -alone));
}

TEST_CASE("rows that are added are those of where they come from when they are added") {
  const indices at = spread(3000);
  auto v = halves<float>({rows, width}, 1);
  auto x = halves<float>({3000, width}, 2);
  const sn::array<float> before = x.at(at).add(v);
  x = x.at(at).add(v);
  v += 1.0f;
  CHECK(sn::array_equal(x, before));
}

}  // namespace scatter_rows_test

// The first elements of short rows by repeated minima, compared with a sort.
#include "engine/sorting/first_by_minima.hpp"

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace first_by_minima_test {

namespace sn = sinter;
using sn::detail::is_first_by_minima;
using ints = sn::array<std::int64_t>;

namespace {

template <class T> void compare(const sn::array<T>& x) {
  for (const std::int64_t count : {1, 2, 3, 8}) {
    for (const bool descending : {false, true}) {
      const sn::array<std::int32_t> found(
          sn::detail::first_by_minima(x, count, descending, {}));
      const ints all = sn::argsort(x, {.axis = -1, .descending = descending});
      CHECK(sn::array_equal(found, all(sn::ellipsis, sn::slice(0, count))).item());
    }
  }
}

}  // namespace

TEST_CASE("first_by_minima: what a stable sort has first, whatever the type and the length") {
  for (const std::int64_t n : {16, 33, 257, 1000}) {
    const sn::array<float> x = sn::random::normal<float>({5, n}, {.seed = 3});
    sn::eval(x);
    compare(x);
    compare(sn::array<sn::bfloat16>(sn::astype<sn::bfloat16>(x)));
    compare(sn::array<std::int8_t>(sn::astype<std::int8_t>(x * 3)));
    compare(sn::array<std::uint32_t>(sn::astype<std::uint32_t>(sn::abs(x) * 1e9f)));
    compare(sn::array<bool>(x > 1));
  }
}

TEST_CASE("first_by_minima: of equal elements the first, and NaN last") {
  compare(sn::zeros<float>({2, 40}));
  const ints k = sn::arange<std::int64_t>(41);
  compare(sn::array<float>(sn::where(k % 3 == 0, sn::nan, sn::astype<float>(k % 5))));
  compare(sn::array<float>(sn::where(k < 39, sn::nan, sn::astype<float>(k * 0 + 1))));
  compare(sn::array<float>(sn::where(k % 2 == 0, 0.0f, -0.0f)));
}

TEST_CASE("first_by_minima: few of short rows, of keys that leave room for a place") {
  const auto one = [](sn::dtype t, std::int64_t n) { return is_first_by_minima(t, n, 1); };
  CHECK(one(sn::dtype::float32, 64));
  CHECK(one(sn::dtype::uint8, 2));
  CHECK_FALSE(one(sn::dtype::float64, 64));
  CHECK_FALSE(one(sn::dtype::complex64, 64));
  CHECK_FALSE(one(sn::dtype::float32, 5000));
  CHECK_FALSE(is_first_by_minima(sn::dtype::float32, 64, 9));
  CHECK_FALSE(is_first_by_minima(sn::dtype::float32, 64, 0));
  CHECK_FALSE(is_first_by_minima(sn::dtype::float32, 3, 2));
}

}  // namespace first_by_minima_test

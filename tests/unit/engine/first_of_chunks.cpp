// The first elements of long rows by chunks, compared with a sort.
#include "engine/sorting/first_of_chunks.hpp"

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace first_of_chunks_test {

namespace sn = sinter;
using sn::detail::chunk_of_first;
using ints = sn::array<std::int64_t>;

namespace {

template <class T> void compare(const sn::array<T>& x, std::int64_t count, bool descending) {
  const std::int64_t chunk = chunk_of_first(x.shape(-1), count);
  REQUIRE(chunk > 0);
  const sn::array<std::int32_t> found(
      sn::detail::first_of_chunks(x, count, chunk, descending, {}));
  const ints all = sn::argsort(x, {.axis = -1, .descending = descending});
  const ints want = all(sn::ellipsis, sn::slice(0, count));
  CHECK(sn::all(found == want).item());
}

template <class T> void compare(const sn::array<T>& x) {
  for (const std::int64_t count : {1, 2, 7, 40}) {
    for (const bool descending : {false, true}) compare(x, count, descending);
  }
}

}  // namespace

TEST_CASE("first_of_chunks: what a stable sort has first, whatever the type and the length") {
  for (const std::int64_t n : {4096, 4097, 5003, 20000}) {
    const sn::array<float> x = sn::random::normal<float>({3, n});
    compare(x);
    compare(sn::array<double>(sn::floor(sn::astype<double>(x) * 2)));
    compare(sn::array<std::int8_t>(sn::astype<std::int8_t>(x * 3)));
    compare(sn::array<std::uint16_t>(sn::astype<std::uint16_t>(sn::abs(x) * 9)));
  }
}

TEST_CASE("first_of_chunks: of equal elements the first, and NaN last") {
  const std::int64_t n = 6001;
  compare(sn::zeros<float>({2, n}));
  const ints k = sn::arange<std::int64_t>(n);
  sn::array<float> x = sn::where(k % 3 == 0, sn::nan, sn::astype<float>(k % 5));
  compare(sn::array<float>(x));
  compare(sn::array<float>(sn::where(k < n - 4, sn::nan, 0 * x + 1)));
  compare(sn::array<float>(sn::where(k % 2 == 0, 0.0f, -0.0f)));
}

TEST_CASE("first_of_chunks: short rows, or many wanted, are sorted") {
  CHECK(chunk_of_first(1000, 3) == 0);
  CHECK(chunk_of_first(5000, 2000) == 0);
  CHECK(chunk_of_first(100000, 0) == 0);
  CHECK(chunk_of_first(100000, 10) == 128);
  CHECK(chunk_of_first(std::int64_t{1} << 32, 10) == 0);
}

}  // namespace first_of_chunks_test

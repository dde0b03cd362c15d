// On a GPU few bytes are read by a path of their own: any type, any number, any contents.

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace read_words_test {

namespace sn = sinter;

namespace {

/// Often enough that the path is taken, and recomputed each time.
template <class T> void check_lengths() {
  for (int round = 0; round < 3; ++round) {
    for (std::int64_t n = 0; n <= 80 / static_cast<std::int64_t>(sizeof(T)) + 1; ++n) {
      const sn::array<T> x = sn::astype<T>((sn::arange(n) * 37 + round) % 100);
      std::vector<T> want;
      for (std::int64_t i = 0; i < n; ++i) want.push_back(static_cast<T>((i * 37 + round) % 100));
      CHECK(x.to_host() == want);
    }
  }
}

}  // namespace

TEST_CASE("short arrays of every length are read whole") {
  check_lengths<std::int8_t>();
  check_lengths<std::int16_t>();
  check_lengths<std::uint32_t>();
  check_lengths<double>();
}

TEST_CASE("no bits of a number are read as if it were not there") {
  // The second one is the marker for words that have not been written yet.
  const std::vector<std::uint32_t> all{0, 0xa5c3e178u, 0xffffffffu, 0x7fc00000u};
  for (int round = 0; round < 12; ++round) {
    const sn::array<std::uint32_t> zero = sn::zeros<std::uint32_t>({4});
    const sn::array<std::uint32_t> x = zero + sn::asarray(all);
    CHECK(x.to_host() == all);
    CHECK(sn::array<std::uint32_t>(x(1)).item() == all[1]);
  }
}

TEST_CASE("what is read between kernels is what they had come to by then") {
  sn::array<std::int64_t> x = sn::zeros<std::int64_t>({100});
  for (std::int64_t i = 1; i <= 40; ++i) {
    x = x + i;
    const auto most = sn::max(x), all = sn::sum(x);
    CHECK(most.item() == i * (i + 1) / 2);
    CHECK(all.item() == 100 * most.item());
  }
}

}  // namespace read_words_test

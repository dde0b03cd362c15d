// Floats to integers: truncated, out-of-range values saturate, NaN becomes 0. A GPU has its own
// instructions for this, which tests on a host do not cover.
#include <sinter/sinter.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/catch.hpp"

namespace saturating_casts_test {

namespace sn = sinter;

namespace {

template <class To, class From> To expected(From x) {
  using limits = std::numeric_limits<To>;
  if (std::isnan(x)) return 0;
  const long double whole = std::trunc(static_cast<long double>(x));
  if (whole <= static_cast<long double>(limits::min())) return limits::min();
  if (whole >= static_cast<long double>(limits::max())) return limits::max();
  return static_cast<To>(whole);
}

template <class To, class From> void check_casts(const std::vector<From>& values) {
  const sn::array<From> x = values;
  const std::vector<To> found = sn::array<To>(sn::astype<To>(x)).to_host();
  for (std::size_t i = 0; i < values.size(); ++i) {
    INFO(values[i]);
    CHECK(found[i] == expected<To>(values[i]));
  }
}

template <class From> std::vector<From> around_the_ends() {
  using limits = std::numeric_limits<From>;
  std::vector<From> values = {limits::quiet_NaN(), limits::infinity(),  -limits::infinity(),
                              limits::max(),       limits::lowest(),    limits::denorm_min(),
                              From(0),             From(-0.0),          From(-0.75)};
  for (int bits : {7, 8, 15, 16, 31, 32, 63, 64}) {
    for (From end : {std::ldexp(From(1), bits), -std::ldexp(From(1), bits)}) {
      for (double apart : {-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5}) {
        values.push_back(end + From(apart));
      }
      values.push_back(std::nextafter(end, From(0)));
      values.push_back(std::nextafter(end, end * 2));
    }
  }
  return values;
}

template <class From> void check_all() {
  const std::vector<From> values = around_the_ends<From>();
  check_casts<std::int8_t>(values);
  check_casts<std::uint8_t>(values);
  check_casts<std::int16_t>(values);
  check_casts<std::uint16_t>(values);
  check_casts<std::int32_t>(values);
  check_casts<std::uint32_t>(values);
  check_casts<std::int64_t>(values);
  check_casts<std::uint64_t>(values);
}

template <class T> void check_bytes() {
  std::vector<T> bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<T>(i));
  const sn::array<T> x = bytes;
  const std::vector<float> found = sn::array<float>(sn::astype<float>(x)).to_host();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    CHECK(found[i] == static_cast<float>(bytes[i]));
    CHECK(std::signbit(found[i]) == (bytes[i] < 0));
  }
}

}  // namespace

TEST_CASE("Floats that become integers saturate, and NaN is 0") {
  check_all<float>();
  check_all<double>();
}

TEST_CASE("Every byte is a float") {
  check_bytes<std::int8_t>();
  check_bytes<std::uint8_t>();
}

}  // namespace saturating_casts_test

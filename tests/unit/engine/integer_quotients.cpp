// Quotients and remainders of 64-bit integers, below 2^53 and above, lane by lane.
#include <sinter/sinter.hpp>

#include <cstdint>
#include <vector>

#include "tests/catch.hpp"

namespace integer_quotients_test {

namespace sn = sinter;

namespace {

constexpr std::int64_t edge = std::int64_t{1} << 53;

/// Every dividend with every divisor, vectors with a single divisor.
template <class T> void check(const std::vector<T>& dividends, const std::vector<T>& divisors) {
  std::vector<T> a, d, quotients, rests;
  for (T x : dividends) {
    for (T y : divisors) {
      a.push_back(x);
      d.push_back(y);
      const T q = static_cast<T>(x / y), r = static_cast<T>(x - q * y);
      const bool below = r != 0 && (r < 0) != (y < 0);
      quotients.push_back(static_cast<T>(below ? q - 1 : q));
      rests.push_back(static_cast<T>(below ? r + y : r));
    }
  }
  const sn::array<T> x = a, y = d;
  const sn::array<T> q = sn::floor_divide(x, y), r = x % y;
  const std::vector<T> q_on_host = q.to_host(), r_on_host = r.to_host();
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO(a[i] << " by " << d[i]);
    CHECK(q_on_host[i] == quotients[i]);
    CHECK(r_on_host[i] == rests[i]);
  }
}

}  // namespace

TEST_CASE("Quotients of 64-bit integers are exact on both sides of 2^53") {
  const std::vector<std::int64_t> near = {0,         1,        -1,       7,          -7,
                                          1000003,   -1000003, edge - 1, 1 - edge,   edge - 2,
                                          edge / 3,  -edge,    edge / 2, 123456789,  -987654321,
                                          edge - 17, 999999937};
  const std::vector<std::int64_t> divisors = {1, -1, 2, 3, -3, 7, 1000003, edge - 1, 1 - edge, 10};
  check(near, divisors);
  check<std::int64_t>({edge, edge + 1, -edge - 1, INT64_MAX, INT64_MIN + 1, 5}, {3, -7, edge + 1});
  check<std::uint64_t>({0, 1, 7, 1000003, edge - 1, edge - 2, edge / 3}, {1, 2, 3, 7, edge - 1});
  check<std::uint64_t>({edge, edge + 1, UINT64_MAX, 5, UINT64_MAX - 1}, {3, 7, UINT64_MAX, edge});
}

}  // namespace integer_quotients_test

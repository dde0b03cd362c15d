// Lengths that change between calls: which plans they share, and find again.

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/counted.hpp"

namespace lengths_test {

namespace sn = sinter;
using sn::slice;
using tests::counted;
using floats = sn::array<float>;

namespace {

floats uniform(std::vector<std::int64_t> shape, std::uint64_t seed) {
  return sn::random::uniform<float>(shape, {.seed = seed});
}

}  // namespace

TEST_CASE("products of many lengths share plans, wherever their operands lie") {
  const floats a = uniform({5, 400}, 3), b = uniform({400, 7}, 4), c = uniform({400, 5}, 5);
  sn::eval(a, b, c);
  const auto work = [&](std::int64_t n) {
    const floats rows = sn::matmul(a(sn::_, slice(0, n)), b(slice(0, n)));
    const floats turned = sn::matmul(b(slice(0, n)).T(), c(slice(0, n)) * 2.0f);
    sn::eval(rows, turned);
    return sn::concatenate({rows, turned.T()}, {.axis = 0}).to_host();
  };
  std::vector<std::vector<float>> first;
  const auto s = counted([&] {
    for (std::int64_t n = 150; n < 250; ++n) first.push_back(work(n));
  });
  CHECK(s.plans <= 30);
  for (std::int64_t n = 150; n < 250; n += 13) {
    sn::dump("");  // discards all plans
    CHECK(first[static_cast<std::size_t>(n - 150)] == work(n));
  }
}

TEST_CASE("a sentence that is decoded again finds every step's plans as they were") {
  const floats keys = uniform({300, 64}, 3), start = uniform({1, 64}, 4);
  sn::eval(keys, start);
  const auto decode = [&] {
    floats q = start;
    for (std::int64_t t = 1; t <= 300; ++t) {
      const floats seen = keys(slice(0, t));
      const floats s = sn::matmul(q, seen.T());
      const floats e = sn::exp(s - sn::max(s, {.axis = -1, .keepdims = true}));
      q = sn::matmul(e / sn::sum(e, {.axis = -1, .keepdims = true}), seen);
      sn::eval(q);
    }
    return q.to_host();
  };
  std::vector<float> first;
  const auto s = counted([&] { first = decode(); });
  CHECK(s.plans <= 60);
  const auto again = counted([&] { CHECK(decode() == first); });
  CHECK(again.plans == 0);
  CHECK(again.plan_sizes == 0);
  CHECK(again.compiles + again.disk_hits == 0);
}

}  // namespace lengths_test

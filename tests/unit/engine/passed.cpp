// A value that a kernel recomputes is stored if it is needed again and still held.

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace passed_test {

namespace sn = sinter;

namespace {

constexpr std::int64_t count = 1 << 20, bytes = 4 * count;

}  // namespace

TEST_CASE(
    "a held intermediate is stored by the second evaluation that needs it, and nothing else") {
  const auto scope = sn::use("cpu");
  const auto before = sn::memory().used;
  const auto x =
      sn::random::normal<float>({count}, {.seed = 1});  // several nodes behind one handle
  const auto first = (x + 1).to_array(), second = (x + 2).to_array();
  sn::eval(first);
  CHECK(sn::memory().used == before + bytes);
  sn::eval(second);
  CHECK(sn::memory().used == before + 3 * bytes);
}

TEST_CASE("rounds of a stencil by rolls store what the next one reads") {
  const auto scope = sn::use("cpu");
  using integers = sn::array<std::int32_t>;
  integers g = sn::random::integers<std::int32_t>({64, 450}, {.seed = 3, .low = 0, .high = 2});
  sn::eval(g);
  const auto before = sn::session_statistics();
  constexpr int rounds = 24;
  for (int round = 0; round < rounds; ++round) {
    integers n = sn::zeros_like(g);
    for (int i = -1; i <= 1; ++i) {
      for (int j = -1; j <= 1; ++j) {
        if (i != 0 || j != 0) n = n + sn::roll(sn::roll(g, i, 0), j, 1);
      }
    }
    g = sn::astype<std::int32_t>(n == 3 || (g == 1 && n == 2));
  }
  sn::eval(g);
  const auto after = sn::session_statistics();
  CHECK(after.launches - before.launches <= rounds * 3 / 2);
}

TEST_CASE("a chain that got long is stored without the condition beside it") {
  const auto scope = sn::use("cpu");
  sn::array<float> y = sn::random::normal<float>({count}, {.seed = 1});
  const auto condition = (sn::arange<std::int64_t>(count) >= 5).to_array();
  sn::eval(y);
  const auto before = sn::memory().used;
  for (int i = 0; i < 100; ++i) y = sn::where(condition, y + 1, y);
  CHECK(sn::memory().used == before);  // of the chain, replacing its source
  sn::eval(condition);
  CHECK(sn::memory().used == before + count);
}

TEST_CASE("what follows from places alone is computed again, not stored") {
  const auto scope = sn::use("cpu");
  const auto x = sn::random::normal<float>({64, 64}, {.seed = 1});
  sn::eval(x);
  const auto i = sn::arange<int>(64);
  const auto diagonal = (i == sn::reshape(i, {64, 1})).to_array();
  const auto waves = sn::sin(sn::linspace<float>(0, 1, 64)).to_array();
  const auto rows = [&] { return sn::where(diagonal, x, waves).to_array(); };
  const auto before = sn::memory().used;
  for (int i = 0; i < 3; ++i) sn::eval(rows());
  CHECK(sn::memory().used == before + 64 * 4);  // the waves, which are expensive
}

}  // namespace passed_test

// What a kernel passes through is stored when it is needed again, if somebody still holds it.

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

}  // namespace passed_test

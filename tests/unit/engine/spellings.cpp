// Ways of saying things that NumPy's users try first.
#include <vector>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace spellings_test {

namespace sn = sinter;
using doubles = sn::array<double>;
using integers = sn::array<int>;

TEST_CASE("what ix_ gives is an index, of what is read and of what is assigned") {
  integers x = sn::reshape(sn::arange<int>(12), {3, 4});
  const integers rows = {0, 2}, columns = {1, 3};
  CHECK(sn::array_equal(x(sn::ix_(rows, columns)), integers{{1, 3}, {9, 11}}));
  x(sn::ix_(rows, columns)) = 0;
  x(sn::ix_(rows, columns)) += 5;
  CHECK(sn::array_equal(x, integers{{0, 5, 2, 5}, {4, 5, 6, 7}, {8, 5, 10, 5}}));
  CHECK_THROWS_AS(x(sn::ix_(rows, columns + 1)).item(), sn::error);
}

TEST_CASE("one pair of widths is that of every axis") {
  const integers x = sn::ones<int>({1, 1});
  CHECK(sn::array_equal(sn::pad(x, {1, 2}), sn::pad(x, {{1, 2}, {1, 2}})));
}

TEST_CASE("messages that say what to write instead") {
  const doubles x = {1, 2, 3};
  const auto message = [](auto f) -> std::string {
    try {
      f();
    } catch (const sn::error& e) {
      return e.what();
    }
    return "";
  };
  CHECK(message([&] { sn::reshape(x, {-1, -1}); }).find("only one extent of (-1, -1)") !=
        std::string::npos);
  CHECK(message([&] { return bool(x > 1); }).find("any(x) or all(x)") != std::string::npos);
}

}  // namespace spellings_test

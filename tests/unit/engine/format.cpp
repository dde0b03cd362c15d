// Texts of arrays beyond NumPy's: fmt, streams, bfloat16, long arrays.

#include <sstream>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

#if __has_include(<fmt/format.h>)
#include <fmt/format.h>
#endif

namespace format_test {

namespace sn = sinter;

TEST_CASE("streams and expressions") {
  std::ostringstream out;
  const auto x = sn::array<float>({{1, 2.5f}, {3, 4}});
  out << x << '|' << x * 2 << '|' << x(0) << '|' << static_cast<const sn::any_array&>(x);
  CHECK(out.str() ==
        "[[1.  2.5]\n [3.  4. ]]|[[2. 5.]\n [6. 8.]]|[1.  2.5]|[[1.  2.5]\n [3.  4. ]]");
}

#if __has_include(<fmt/format.h>)
TEST_CASE("fmt") {
  auto x = sn::array<double>({1, 2.0 / 3});
  CHECK(fmt::format("{}", x) == "[1.         0.66666667]");
  CHECK(fmt::format("{:.2}", x) == "[1.   0.67]");
  CHECK(fmt::format("<{}>", x + 1) == "<[2.         1.66666667]>");
  CHECK(fmt::format("{}", x(0)) == "1.0");
  CHECK(fmt::format("{}", sn::any_array(x)) == "[1.         0.66666667]");
}
#endif

TEST_CASE("bfloat16 prints its shortest digits") {
  const auto x = sn::astype<sn::bfloat16>(sn::array<float>({1, 0.1f, 3.14159f}));
  CHECK(sn::to_string(x) == "[1.   0.1  3.14]");
  CHECK(sn::to_string(sn::full<sn::bfloat16>({}, sn::bfloat16(1e-30f))) == "1e-30");
}

TEST_CASE("a long array is summarised without being made") {
  const std::int64_t n = std::int64_t{1} << 40;
  CHECK(sn::to_string(sn::full<float>({n}, 2)) == "[2. 2. 2. ... 2. 2. 2.]");
  const auto x = sn::arange(6).reshape({2, 3});
  CHECK(sn::to_string(sn::broadcast_to(sn::expand_dims(x, 0), {n, 2, 3}), {.edgeitems = 1}) ==
        "[[[0 ... 2]\n  [3 ... 5]]\n\n ...\n\n [[0 ... 2]\n  [3 ... 5]]]");
}

TEST_CASE("printing a view fetches from what it views") {
  const auto x = sn::arange(1 << 20).reshape({1024, 1024});
  CHECK(sn::to_string(sn::flip(x.T(), 0), {.edgeitems = 2}) ==
        "[[   1023    2047 ... 1047551 1048575]\n [   1022    2046 ... 1047550 1048574]\n ...\n"
        " [      1    1025 ... 1046529 1047553]\n [      0    1024 ... 1046528 1047552]]");
}

}  // namespace format_test

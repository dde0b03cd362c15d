#include "ir/passes/long_arg.hpp"

#include <cstring>
#include <limits>

#include "ir/interpreter.hpp"
#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace long_arg_test {

using namespace passes_tests;
using namespace sinter;

namespace {

ir::machine splitting(ir::extent length) {
  ir::machine m;
  m.split_length = length;
  m.units = 4;
  return m;
}

std::string rewritten(const std::string& text, const ir::machine& m) {
  return after([&](const ir::graph& g) { return ir::long_arg(g, m); }, text);
}

const std::string row = R"(%0 = source int32 [12]
%1 = reduce int64 [] (%0) arg maximum over [0]
return %1
)";

template <class T>
std::int64_t position(const std::vector<T>& values, const std::string& op, bool rewrite,
                      ir::target target = ir::target::cpu) {
  const std::string n = std::to_string(values.size()), type(name(dtype_of<T>));
  const ir::graph g =
      ir::parse_graph("%0 = source " + type + " [" + n + "]\n%1 = reduce int64 [] (%0) arg " + op +
                      " over [0]\nreturn %1\n");
  const ir::tensor_view x(dtype_of<T>, {static_cast<ir::extent>(values.size())}, values.data());
  ir::machine m = splitting(1);
  m.target = target;
  const auto out = ir::interpret(rewrite ? ir::long_arg(g, m) : g, {x});
  std::int64_t at = -1;
  std::memcpy(&at, out[0].data.data(), sizeof at);
  return at;
}

}  // namespace

TEST_CASE("long_arg: short rows stay, long ones become two reductions") {
  CHECK(rewritten(row, splitting(13)) == row);
  CHECK(rewritten(row, splitting(12)) == R"(%0 = source int32 [12]
%1 = reduce int32 [] (%0) maximum over [0]
%2 = view int32 [12] (%1) strides [0]
%3 = map bool [12] (%0, %2) { v2 = equal int32 v0 v1 }
%4 = iota int64 [12]
%5 = view int64 [12] (%4) strides [1]
%6 = map uint64 [12] (%5) { v1 = cast int64 -> uint64 v0 }
%7 = map uint64 [12] (%6, %6) { v2 = bitwise_xor uint64 v0 v1 }
%8 = map uint64 [12] (%7) { v1 = bitwise_invert uint64 v0 }
%9 = map uint64 [12] (%3, %6, %8) { v3 = where uint64 v0 v1 v2 }
%10 = reduce uint64 [] (%9) minimum over [0]
%11 = map int64 [] (%10) { v1 = cast uint64 -> int64 v0 }
return %11
)");
}

TEST_CASE("long_arg: many rows, and plain extrema, stay") {
  const std::string rows = R"(%0 = source int32 [100, 12]
%1 = reduce int64 [100] (%0) arg maximum over [1]
return %1
)";
  CHECK(rewritten(rows, splitting(1)) == rows);
  const std::string plain = R"(%0 = source int32 [12]
%1 = reduce int32 [] (%0) maximum over [0]
return %1
)";
  CHECK(rewritten(plain, splitting(1)) == plain);
}

TEST_CASE("long_arg: on a GPU values of up to 32 bits are one walk, others two") {
  ir::machine m = splitting(1);
  m.target = ir::target::gpu;
  const auto walks = [&](const std::string& type) {
    const std::string text = rewritten("%0 = source " + type + R"( [12, 100]
%1 = reduce int64 [100] (%0) arg maximum over [0]
return %1
)", m);
    std::size_t n = 0;
    for (auto at = text.find("= reduce"); at != text.npos; at = text.find("= reduce", at + 1)) ++n;
    return n;
  };
  for (const char* type : {"bool", "int8", "uint32", "float32"}) {
    INFO(type);
    CHECK(walks(type) == 1);
  }
  CHECK(walks("int64") == 2);
  CHECK(walks("float64") == 2);
}

TEST_CASE("long_arg: words put values in their order, NaN and the ends of types included") {
  const auto same = []<class T>(const std::vector<T>& values) {
    for (const std::string op : {"maximum", "minimum"}) {
      CHECK(position(values, op, true, ir::target::gpu) == position(values, op, false));
    }
  };
  using f = std::numeric_limits<float>;
  const float nan = f::quiet_NaN(), inf = f::infinity();
  for (const std::vector<float>& row : std::vector<std::vector<float>>{
           {1, 3, 2, 3, 0}, {nan, 1, 2}, {1, -nan, 5, nan}, {-0.0f, 0}, {0, -0.0f}, {4},
           {-1, -3, -3, -2}, {-inf, inf, f::max(), f::lowest()},
           {f::denorm_min(), -f::denorm_min()}, {inf, nan}, {-inf, -nan, nan}}) {
    same(row);
  }
  same(std::vector<std::int8_t>{-128, 127, 127, -128});
  same(std::vector<std::int32_t>{0, -2147483647 - 1, 2147483647, -1});
  same(std::vector<std::uint32_t>{5, 0, 4294967295u, 4294967294u});
  same(std::vector<std::uint8_t>{0, 255, 1, 255});
}

TEST_CASE("long_arg: the position is the same, NaN included") {
  constexpr float none = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::vector<float>> rows = {
      {1, 3, 2, 3, 0}, {none, 1, 2}, {1, none, 5, none}, {-0.0f, 0}, {0, -0.0f}, {4}};
  for (const auto& r : rows) {
    for (const std::string op : {"maximum", "minimum"}) {
      CHECK(position(r, op, true) == position(r, op, false));
    }
  }
  CHECK(position<std::int8_t>({-128, 127, 127, -128}, "maximum", true) == 1);
  CHECK(position<std::int8_t>({-127, 127, -128, -128}, "minimum", true) == 2);
}

TEST_CASE("long_arg: positions count along the reduced axes, whatever lies between them") {
  const std::string text = R"(%0 = source float32 [3, 2, 5]
%1 = reduce int64 [2] (%0) arg maximum over [0, 2]
return %1
)";
  const ir::graph g = ir::parse_graph(text), cut = ir::long_arg(g, splitting(1));
  REQUIRE(cut.nodes.size() > 2);
  std::vector<float> values(30);
  values[2 * 10 + 0 * 5 + 3] = 7;  // row 0: (2, 3)
  values[1 * 10 + 1 * 5 + 4] = 7;  // row 1: (1, 4)
  const ir::tensor_view x(dtype::float32, {3, 2, 5}, values.data());
  const auto out = ir::interpret(cut, {x});
  std::int64_t at[2];
  std::memcpy(at, out[0].data.data(), sizeof at);
  CHECK(at[0] == 2 * 5 + 3);
  CHECK(at[1] == 1 * 5 + 4);
  CHECK(ir::interpret(g, {x})[0].data == out[0].data);
}

TEST_CASE("long_arg: truth values are compared as they are, and nothing is ever NaN") {
  const std::string text = rewritten(R"(%0 = source bool [12]
%1 = reduce int64 [] (%0) arg maximum over [0]
return %1
)", splitting(12));
  CHECK(text.find("reduce bool [] (%0) maximum over [0]") != std::string::npos);
  CHECK(text.find("not_equal") == std::string::npos);
}

TEST_CASE("long_arg: rows of nothing, and no rows, stay") {
  const std::string none = R"(%0 = source float32 [0, 12]
%1 = reduce int64 [0] (%0) arg maximum over [1]
return %1
)";
  CHECK(rewritten(none, splitting(1)) == none);
}

}  // namespace long_arg_test

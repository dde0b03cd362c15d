#include "ir/passes/explode.hpp"

#include <algorithm>
#include <complex>
#include <cstring>

#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace explode_test {

namespace {

std::string exploded(const std::string& text) {
  return passes_tests::after(sinter::ir::explode, text);
}

/// x to the power of a scalar, written as a map of one op.
std::string power(const std::string& type, const std::string& exponent) {
  const std::string scalar = "%1 = scalar " + type + " [] " + exponent + "\n";
  return "%0 = source " + type + " [4]\n" + scalar + "%2 = map " + type +
         " [4] (%0, %1) { v2 = pow " + type + " v0 v1 }\nreturn %2\n";
}

/// The number of nodes of that power.
std::size_t nodes(const std::string& type, const std::string& exponent) {
  return sinter::ir::explode(sinter::ir::parse_graph(power(type, exponent))).nodes.size();
}

/// An array and a number, exploded.
std::string by_number(const std::string& code, const std::string& type, const char* number) {
  return exploded("%0 = source " + type + " [4]\n%1 = scalar " + type + " [] " + number +
                  "\n%2 = map " + type + " [4] (%0, %1) { v2 = " + code + " " + type +
                  " v0 v1 }\nreturn %2\n");
}

bool has(const std::string& text, const char* word) {
  return text.find(std::string(" = ") + word) != std::string::npos;
}

}  // namespace

TEST_CASE("explode: a map of two ops becomes two maps") {
  CHECK(exploded(R"(%0 = source float32 [4]
%1 = source float32 []
%2 = map float32 [4] (%0, %1) { v2 = add float32 v0 v1; v3 = exp float32 v2 }
return %2
)") == R"(%0 = source float32 [4]
%1 = source float32 []
%2 = map float32 [4] (%0, %1) { v2 = add float32 v0 v1 }
%3 = map float32 [4] (%2) { v1 = exp float32 v0 }
return %3
)");
}

TEST_CASE("explode: other nodes and maps of one op stay") {
  const std::string text = R"(%0 = source float32 [4, 4]
%1 = map float32 [4, 4] (%0) { v1 = exp float32 v0 }
%2 = view float32 [4, 4] (%1) strides [1, 4]
%3 = reduce float32 [4] (%2) add over [1]
return %3, %0
)";
  CHECK(exploded(text) == text);
}

TEST_CASE("explode: what is made of scalars alone is computed once and spread") {
  CHECK(exploded(R"(%0 = scalar float32 [] 2
%1 = map float32 [3, 4] (%0) { v1 = exp float32 v0 }
return %1
)") == R"(%0 = scalar float32 [] 2
%1 = map float32 [] (%0) { v1 = exp float32 v0 }
%2 = view float32 [3, 4] (%1) strides [0, 0]
return %2
)");
}

TEST_CASE("explode: a program without ops is its last input") {
  CHECK(exploded(R"(%0 = source float32 [4]
%1 = source float32 [4]
%2 = map float32 [4] (%0, %1) { }
return %2
)") == R"(%0 = source float32 [4]
%1 = source float32 [4]
return %1
)");
}

TEST_CASE("explode: small powers become products") {
  CHECK(exploded(power("float32", "2")) == R"(%0 = source float32 [4]
%1 = scalar float32 [] 2
%2 = map float32 [4] (%0) { v1 = square float32 v0 }
return %2
)");
  CHECK(exploded(power("int16", "3")) == R"(%0 = source int16 [4]
%1 = scalar int16 [] 3
%2 = map int16 [4] (%0) { v1 = square int16 v0 }
%3 = map int16 [4] (%2, %0) { v2 = multiply int16 v0 v1 }
return %3
)");
  CHECK(exploded(power("float64", "1")) == R"(%0 = source float64 [4]
%1 = scalar float64 [] 1
return %0
)");
  CHECK(exploded(power("float64", "-1")) == R"(%0 = source float64 [4]
%1 = scalar float64 [] -1
%2 = map float64 [4] (%0) { v1 = reciprocal float64 v0 }
return %2
)");
}

TEST_CASE("explode: the half power is a root but for -0 and -inf") {
  CHECK(exploded(power("float32", "0.5")) == R"(%0 = source float32 [4]
%1 = scalar float32 [] 0.5
%2 = map float32 [4] (%0) { v1 = sqrt float32 v0 }
%3 = map float32 [4] (%2) { v1 = abs float32 v0 }
%4 = map bool [4] (%0) { v1 = isinf float32 v0 }
%5 = map float32 [4] (%0) { v1 = abs float32 v0 }
%6 = map float32 [4] (%4, %5, %3) { v3 = where float32 v0 v1 v2 }
return %6
)");
}

TEST_CASE("explode: other powers stay powers") {
  CHECK(nodes("float32", "2.5") == 3);
  CHECK(nodes("float32", "6") == 3);
  CHECK(nodes("float32", "0") == 3);
  CHECK(nodes("complex64", "(2, 0)") == 3);
  CHECK(nodes("int32", "-1") == 3);
  CHECK(exploded(power("float32", "2.5")) == power("float32", "2.5"));
}

TEST_CASE("explode: fourth and negative powers are products of few roundings") {
  CHECK(exploded(power("float32", "4")) == R"(%0 = source float32 [4]
%1 = scalar float32 [] 4
%2 = map float32 [4] (%0) { v1 = square float32 v0 }
%3 = map float32 [4] (%2) { v1 = square float32 v0 }
return %3
)");
  CHECK(exploded(power("float64", "-2")) == R"(%0 = source float64 [4]
%1 = scalar float64 [] -2
%2 = map float64 [4] (%0) { v1 = reciprocal float64 v0 }
%3 = map float64 [4] (%2) { v1 = square float64 v0 }
return %3
)");
}

TEST_CASE("explode: integers divided by a power of two are shifted and masked") {
  const auto divided = [](const std::string& op, const std::string& type, const std::string& by) {
    return exploded("%0 = source " + type + " [4]\n%1 = scalar " + type + " [] " + by +
                    "\n%2 = map " + type + " [4] (%0, %1) { v2 = " + op + " " + type +
                    " v0 v1 }\nreturn %2\n");
  };
  CHECK(divided("remainder", "int64", "8") == R"(%0 = source int64 [4]
%1 = scalar int64 [] 8
%2 = map int64 [] (%1) { v1 = negative int64 v0 }
%3 = map int64 [] (%2) { v1 = bitwise_invert int64 v0 }
%4 = map int64 [4] (%0, %3) { v2 = bitwise_and int64 v0 v1 }
return %4
)");
  CHECK(divided("floor_divide", "uint8", "128") == R"(%0 = source uint8 [4]
%1 = scalar uint8 [] 128
%2 = map uint8 [] (%1) { v1 = negative uint8 v0 }
%3 = map uint8 [] (%2) { v1 = bitwise_invert uint8 v0 }
%4 = map uint8 [] (%3) { v1 = popcount uint8 v0 }
%5 = map uint8 [4] (%0, %4) { v2 = shift_right uint8 v0 v1 }
return %5
)");
  for (const char* other : {"0", "3", "-1", "-128"}) {
    CHECK(divided("remainder", "int8", other).find("remainder") != std::string::npos);
    CHECK(divided("floor_divide", "int8", other).find("floor_divide") != std::string::npos);
  }
}

TEST_CASE("explode: extrema of an array and a number other than 0") {
  CHECK(has(by_number("maximum", "float32", "0.5"), "larger"));
  CHECK(has(by_number("minimum", "float64", "-2"), "smaller"));
  CHECK(has(by_number("maximum", "float32", "0"), "maximum"));
  CHECK(has(by_number("minimum", "float32", "-0"), "minimum"));
  CHECK(has(by_number("minimum", "float64", "nan"), "minimum"));
  CHECK(has(by_number("maximum", "int32", "5"), "maximum"));
  const auto clipped = [&](const char* low, const char* high) {
    return exploded(std::string("%0 = source float32 [4]\n%1 = scalar float32 [] ") + low +
                    "\n%2 = scalar float32 [] " + high +
                    "\n%3 = map float32 [4] (%0, %1, %2) { v3 = clip float32 v0 v1 v2 }\n"
                    "return %3\n");
  };
  CHECK(has(clipped("-1", "1"), "larger"));
  CHECK(has(clipped("-1", "1"), "smaller"));
  CHECK(has(clipped("0", "1"), "maximum"));
  CHECK(has(clipped("0", "1"), "smaller"));
  CHECK(has(clipped("0", "nan"), "clip"));
}

TEST_CASE("explode: shifts by less than the width") {
  for (const char* number : {"0", "7", "31"}) {
    CHECK(has(by_number("bitwise_left_shift", "uint32", number), "shift_left"));
    CHECK(has(by_number("bitwise_right_shift", "int32", number), "shift_right"));
  }
  for (const char* number : {"-1", "32", "-2147483648"}) {
    CHECK(has(by_number("bitwise_left_shift", "int32", number), "bitwise_left_shift"));
    CHECK(has(by_number("bitwise_right_shift", "int32", number), "bitwise_right_shift"));
  }
  CHECK(has(by_number("bitwise_left_shift", "int8", "7"), "shift_left"));
  CHECK(has(by_number("bitwise_left_shift", "int8", "8"), "bitwise_left_shift"));
  CHECK(has(by_number("bitwise_right_shift", "uint64", "63"), "shift_right"));
}

TEST_CASE("explode: an exponent that is an array is looked at by nobody") {
  const std::string text = R"(%0 = source float32 [4]
%1 = source float32 []
%2 = map float32 [4] (%0, %1) { v2 = pow float32 v0 v1 }
return %2
)";
  CHECK(exploded(text) == text);
}

TEST_CASE("explode: origins go with the ops") {
  CHECK(exploded(R"(%0 = source float32 [4]
%1 = map float32 [4] (%0) { v1 = exp float32 v0; v2 = sin float32 v1 }  @a.cpp:3
return %1
)") == R"(%0 = source float32 [4]
%1 = map float32 [4] (%0) { v1 = exp float32 v0 }  @a.cpp:3
%2 = map float32 [4] (%1) { v1 = sin float32 v0 }  @a.cpp:3
return %2
)");
}

TEST_CASE("explode: which exponents are special, by type") {
  using sinter::dtype;
  const auto classes = [](auto... values) {
    std::string text;
    const auto add = [&](auto value) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, std::min(sizeof bits, sizeof value));
      constexpr dtype type = sinter::dtype_of<decltype(value)>;
      text += std::to_string(sinter::ir::scalar_class(sinter::ir::op::pow, type, bits));
    };
    (add(values), ...);
    return text;
  };
  CHECK(classes(1.f, 2.f, 3.f, 0.5f, -1.f, 0.f, 4.f, -0.5f, -2.f) == "123450698");
  CHECK(classes(1., 2., 3., 0.5, -1., 0., 4., 1.5, 5., 6., 1.0000000001) == "12345061" "0700");
  CHECK(classes(std::int8_t(1), std::int16_t(2), 3, std::int64_t(-1), 0, 4) == "123006");
  CHECK(classes(std::uint8_t(1), std::uint16_t(2), 3u, std::uint64_t(4), ~0u) == "12360");
  // Their arithmetic is float's: the intermediate rounding would be lost.
  CHECK(classes(sinter::float16(2.f), sinter::bfloat16(2.f), true) == "000");
  CHECK(classes(std::complex<float>(2), std::complex<double>(2)) == "00");
}

TEST_CASE("explode: a power inside a longer map") {
  CHECK(exploded(R"(%0 = source float32 [4]
%1 = scalar float32 [] 2
%2 = map float32 [4] (%0, %1) { v2 = exp float32 v0; v3 = pow float32 v2 v1; v4 = cos float32 v3 }
return %2
)") == R"(%0 = source float32 [4]
%1 = scalar float32 [] 2
%2 = map float32 [4] (%0) { v1 = exp float32 v0 }
%3 = map float32 [4] (%2) { v1 = square float32 v0 }
%4 = map float32 [4] (%3) { v1 = cos float32 v0 }
return %4
)");
}

}  // namespace explode_test

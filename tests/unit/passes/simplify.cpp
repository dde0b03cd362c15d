#include "ir/passes/simplify.hpp"

#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace simplify_test {

namespace {

std::string simplified(const std::string& text) {
  return passes_tests::after(sinter::ir::simplify, text);
}

const std::string x = "%0 = source float32 [4]\n";

}  // namespace

TEST_CASE("simplify: equal nodes are one") {
  CHECK(simplified(x + R"(%1 = map float32 [4] (%0) { v1 = exp float32 v0 }
%2 = map float32 [4] (%0) { v1 = exp float32 v0 }
%3 = map float32 [4] (%1, %2) { v2 = subtract float32 v0 v1 }
return %3
)") == x + R"(%1 = map float32 [4] (%0) { v1 = exp float32 v0 }
%2 = map float32 [4] (%1, %1) { v2 = subtract float32 v0 v1 }
return %2
)");
}

TEST_CASE("simplify: operands of sums, products and extrema may change places") {
  for (const std::string op : {"add", "multiply", "maximum", "minimum", "subtract"}) {
    const std::string once = x + "%1 = source float32 [4]\n" +
                             "%2 = map float32 [4] (%0, %1) { v2 = " + op + " float32 v0 v1 }\n";
    const std::string both =
        once + "%3 = map float32 [4] (%1, %0) { v2 = " + op + " float32 v0 v1 }\nreturn %2, %3\n";
    CHECK(simplified(both) == (op == "subtract" ? both : once + "return %2, %2\n"));
  }
}

TEST_CASE("simplify: what no output needs goes, but for what comes from outside") {
  CHECK(simplified(x + R"(%1 = scalar float32 [] 7
%2 = random uint32 [4] seed 1
%3 = iota int64 [4]
%4 = map float32 [4] (%0, %1) { v2 = add float32 v0 v1 }
return %0
)") == x + R"(%1 = scalar float32 [] 7
%2 = random uint32 [4] seed 1
return %0
)");
}

TEST_CASE("simplify: random numbers and scalars are never merged") {
  const std::string text = R"(%0 = random uint32 [4] seed 1
%1 = random uint32 [4] seed 1
%2 = scalar uint32 [] 5
%3 = scalar uint32 [] 5
%4 = map uint32 [4] (%0, %2) { v2 = subtract uint32 v0 v1 }
%5 = map uint32 [4] (%1, %3) { v2 = subtract uint32 v0 v1 }
return %4, %5
)";
  CHECK(simplified(text) == text);
}

TEST_CASE("simplify: an op undone is no op") {
  for (const std::string op : {"negative", "conj"}) {
    CHECK(simplified("%0 = source complex64 [4]\n%1 = map complex64 [4] (%0) { v1 = " + op +
                     " complex64 v0 }\n%2 = map complex64 [4] (%1) { v1 = " + op +
                     " complex64 v0 }\nreturn %2\n") ==
          "%0 = source complex64 [4]\nreturn %0\n");
  }
  const std::string twice = x + R"(%1 = map float32 [4] (%0) { v1 = reciprocal float32 v0 }
%2 = map float32 [4] (%1) { v1 = reciprocal float32 v0 }
return %2
)";
  CHECK(simplified(twice) == twice);
}

TEST_CASE("simplify: the larger of an array and itself is the array") {
  CHECK(simplified(x + R"(%1 = map float32 [4] (%0, %0) { v2 = maximum float32 v0 v1 }
return %1
)") == x + "return %0\n");
  const std::string sum = x + R"(%1 = map float32 [4] (%0, %0) { v2 = add float32 v0 v1 }
return %1
)";
  CHECK(simplified(sum) == sum);
}

TEST_CASE("simplify: what is rounded is round") {
  for (const std::string op : {"abs", "floor", "ceil", "trunc", "round"}) {
    const std::string once = "%1 = map float32 [4] (%0) { v1 = " + op + " float32 v0 }\n";
    CHECK(simplified(x + once + "%2 = map float32 [4] (%1) { v1 = " + op +
                     " float32 v0 }\nreturn %2\n") == x + once + "return %1\n");
  }
  const std::string mixed = x + R"(%1 = map float32 [4] (%0) { v1 = floor float32 v0 }
%2 = map float32 [4] (%1) { v1 = abs float32 v0 }
return %2
)";
  CHECK(simplified(mixed) == mixed);
}

TEST_CASE("simplify: a choice between equals is no choice") {
  CHECK(simplified(x + R"(%1 = source bool [4]
%2 = map float32 [4] (%1, %0, %0) { v3 = where float32 v0 v1 v2 }
return %2
)") == x + "%1 = source bool [4]\nreturn %0\n");
  const std::string broadcast = R"(%0 = source bool [4]
%1 = source float32 []
%2 = map float32 [4] (%0, %1, %1) { v3 = where float32 v0 v1 v2 }
return %2
)";
  CHECK(simplified(broadcast) == broadcast);
}

TEST_CASE("simplify: conversions there and back, where nothing is lost") {
  CHECK(simplified(x + R"(%1 = map float64 [4] (%0) { v1 = cast float32 -> float64 v0 }
%2 = map float32 [4] (%1) { v1 = cast float64 -> float32 v0 }
return %2
)") == x + "return %0\n");
  CHECK(simplified(R"(%0 = source int16 [4]
%1 = map float32 [4] (%0) { v1 = cast int16 -> float32 v0 }
%2 = map int16 [4] (%1) { v1 = cast float32 -> int16 v0 }
return %2
)") == "%0 = source int16 [4]\nreturn %0\n");
  CHECK(simplified(R"(%0 = source uint8 [4]
%1 = map bfloat16 [4] (%0) { v1 = cast uint8 -> bfloat16 v0 }
%2 = map uint8 [4] (%1) { v1 = cast bfloat16 -> uint8 v0 }
return %2
)") == "%0 = source uint8 [4]\nreturn %0\n");
  for (const std::string narrow : {"float16", "bfloat16", "int32", "bool"}) {
    const std::string text = x + "%1 = map " + narrow + " [4] (%0) { v1 = cast float32 -> " +
                             narrow + " v0 }\n%2 = map float32 [4] (%1) { v1 = cast " + narrow +
                             " -> float32 v0 }\nreturn %2\n";
    CHECK(simplified(text) == text);
  }
  const std::string wide = R"(%0 = source int32 [4]
%1 = map float32 [4] (%0) { v1 = cast int32 -> float32 v0 }
%2 = map int32 [4] (%1) { v1 = cast float32 -> int32 v0 }
return %2
)";
  CHECK(simplified(wide) == wide);
}

TEST_CASE("simplify: the plus sign does nothing") {
  CHECK(simplified(x + R"(%1 = map float32 [4] (%0) { v1 = positive float32 v0 }
return %1
)") == x + "return %0\n");
}

TEST_CASE("simplify: views of views are views") {
  CHECK(simplified(R"(%0 = source float32 [6, 4]
%1 = view float32 [4, 6] (%0) strides [1, 4]
%2 = view float32 [2, 6] (%1) offset 6 strides [12, 1]
return %2
)") == R"(%0 = source float32 [6, 4]
%1 = view float32 [2, 6] (%0) offset 1 strides [2, 4]
return %1
)");
  CHECK(simplified(R"(%0 = source float32 [6, 4]
%1 = view float32 [4, 6] (%0) strides [1, 4]
%2 = view float32 [6, 4] (%1) strides [1, 6]
return %2
)") == "%0 = source float32 [6, 4]\nreturn %0\n");
}

TEST_CASE("simplify: a reshape of a transpose is a view where rows stay whole") {
  CHECK(simplified(R"(%0 = source float32 [6, 4]
%1 = view float32 [4, 6] (%0) strides [1, 4]
%2 = view float32 [4, 2, 3] (%1) strides [6, 3, 1]
return %2
)") == R"(%0 = source float32 [6, 4]
%1 = view float32 [4, 2, 3] (%0) strides [1, 12, 4]
return %1
)");
  const std::string kept = R"(%0 = source float32 [6, 4]
%1 = view float32 [4, 6] (%0) strides [1, 4]
%2 = view float32 [8, 3] (%1) strides [3, 1]
return %2
)";
  CHECK(simplified(kept) == kept);
}

TEST_CASE("simplify: an empty view is not the array it shows nothing of") {
  const std::string text = R"(%0 = source float32 [4]
%1 = view float32 [0] (%0) strides [1]
return %1
)";
  CHECK(simplified(text) == text);
}

TEST_CASE("simplify: every op that undoes itself") {
  const std::pair<std::string, std::string> ops[] = {{"negative", "float32"},
                                                     {"negative", "int32"},
                                                     {"conj", "complex128"},
                                                     {"logical_not", "bool"},
                                                     {"bitwise_invert", "uint8"}};
  for (const auto& [op, type] : ops) {
    INFO(op);
    const std::string source = "%0 = source " + type + " [4]\n";
    CHECK(simplified(source + "%1 = map " + type + " [4] (%0) { v1 = " + op + " " + type +
                     " v0 }\n%2 = map " + type + " [4] (%1) { v1 = " + op + " " + type +
                     " v0 }\nreturn %2\n") == source + "return %0\n");
  }
}

TEST_CASE("simplify: every op that gives x for x and x, and none else") {
  const auto of_itself = [](const std::string& op, const std::string& type) {
    const std::string source = "%0 = source " + type + " [4]\n";
    const std::string text = simplified(source + "%1 = map " + type + " [4] (%0, %0) { v2 = " + op +
                                        " " + type + " v0 v1 }\nreturn %1\n");
    return text == source + "return %0\n";
  };
  for (const std::string op : {"maximum", "minimum"}) {
    CHECK(of_itself(op, "float32"));
    CHECK(of_itself(op, "int64"));
  }
  for (const std::string op : {"logical_and", "logical_or"}) CHECK(of_itself(op, "bool"));
  for (const std::string op : {"bitwise_and", "bitwise_or"}) CHECK(of_itself(op, "int16"));
  CHECK_FALSE(of_itself("logical_xor", "bool"));
  CHECK_FALSE(of_itself("bitwise_xor", "int16"));
  CHECK_FALSE(of_itself("multiply", "float32"));
  CHECK_FALSE(of_itself("subtract", "int32"));
}

TEST_CASE("simplify: a rule that would lose a shape is not applied") {
  const std::string text = R"(%0 = source float32 []
%1 = source float32 [4]
%2 = map float32 [4] (%0, %1) { v2 = add float32 v0 v1 }
%3 = map float32 [] (%0, %0) { v2 = maximum float32 v0 v1 }
%4 = view float32 [4] (%3) strides [0]
return %2, %4
)";
  CHECK(simplified(text) == R"(%0 = source float32 []
%1 = source float32 [4]
%2 = map float32 [4] (%0, %1) { v2 = add float32 v0 v1 }
%3 = view float32 [4] (%0) strides [0]
return %2, %3
)");
}

TEST_CASE("simplify: complex numbers are rounded part by part, and the pass keeps out of it") {
  const std::string text = R"(%0 = source complex64 [4]
%1 = map complex64 [4] (%0) { v1 = round complex64 v0 }
%2 = map complex64 [4] (%1) { v1 = round complex64 v0 }
return %2
)";
  CHECK(simplified(text) == text);
}

TEST_CASE("simplify: a conversion to the type it has is none") {
  CHECK(simplified(x + R"(%1 = map float32 [4] (%0) { v1 = cast float32 -> float32 v0 }
return %1
)") == x + "return %0\n");
}

TEST_CASE("simplify: integer extrema may change places") {
  for (const std::string op : {"maximum", "minimum", "multiply", "bitwise_xor"}) {
    const std::string both = "%0 = source int32 [4]\n%1 = source int32 [4]\n";
    const std::string first = "%2 = map int32 [4] (%0, %1) { v2 = " + op + " int32 v0 v1 }\n";
    CHECK(simplified(both + first + "%3 = map int32 [4] (%1, %0) { v2 = " + op +
                     " int32 v0 v1 }\nreturn %2, %3\n") == both + first + "return %2, %2\n");
  }
}

TEST_CASE("simplify: equal views, reductions, ranges and calls are one; others stay") {
  const auto merged = [](const std::string& type, const std::string& a, const std::string& b) {
    const std::string text = "%0 = source float32 [4, 4]\n%1 = " + a + "\n%2 = " + b +
                             "\nreturn %1, %2\n";
    const std::string out = simplified(text);
    INFO(type << "\n" << out);
    if (out.ends_with("return %1, %1\n")) return true;
    CHECK(out == text);
    return false;
  };
  const std::string view = "view float32 [2] (%0) offset 1 strides [4]";
  CHECK(merged("view", view, view));
  CHECK_FALSE(merged("view", view, "view float32 [2] (%0) offset 2 strides [4]"));
  CHECK_FALSE(merged("view", view, "view float32 [2] (%0) offset 1 strides [5]"));
  const std::string sum = "reduce float32 [4] (%0) add over [1]";
  CHECK(merged("reduce", sum, sum));
  CHECK_FALSE(merged("reduce", sum, "reduce float32 [4] (%0) add over [0]"));
  CHECK_FALSE(merged("reduce", sum, "reduce float32 [4] (%0) multiply over [1]"));
  CHECK(merged("iota", "iota int64 [4]", "iota int64 [4]"));
  CHECK_FALSE(merged("iota", "iota int64 [4]", "iota int64 [5]"));
  const std::string call = "call float32 [4, 4] (%0) factor [7]";
  CHECK(merged("call", call, call));
  CHECK_FALSE(merged("call", call, "call float32 [4, 4] (%0) factor [8]"));
  CHECK_FALSE(merged("call", call, "call float32 [4, 4] (%0) solve [7]"));
}

}  // namespace simplify_test

#include "ir/passes/solve_in_triangles.hpp"

#include "tests/catch.hpp"
#include "texts.hpp"

namespace solve_in_triangles_test {

using namespace passes_tests;

namespace {

std::string on(const ir::machine& m, const std::string& text) {
  return after([&](const ir::graph& g) { return ir::solve_in_triangles(g, m); }, text);
}

std::string solving(const std::string& shape, const std::string& attributes) {
  return "%0 = source float64 [100, 100]\n%1 = source int32 [100]\n%2 = source float64 " + shape +
         "\n%3 = call float64 " + shape + " (%0, %1, %2) getrs " + attributes + "\nreturn %3\n";
}

/// The loop's program, to the end of its line; another test checks it (pivot_order).
std::string backwards(const std::string& text) {
  const auto from = text.find("{ v5 = "), to = text.find("\n", from) + 1;
  CHECK(text.substr(from, to - from).ends_with("slice along -1 offset 99 strides [0]\n"));
  return text.substr(from, to - from);
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("one matrix is solved by rows in order and two triangles") {
  const std::string text = on(gpu(), solving("[7, 100]", "[0, 0]"));
  CHECK(text ==
        "%0 = source float64 [100, 100]\n"
        "%1 = source int32 [100]\n"
        "%2 = source float64 [7, 100]\n"
        "%3 = iota int64 [100]\n"
        "%4 = view int64 [100] (%3) strides [1]\n"
        "%5 = map int32 [100] (%4) { v1 = cast int64 -> int32 v0 }\n"
        "%6 = iota int64 [101]\n"
        "%7 = view int64 [] (%6) offset 100 strides []\n"
        "%8 = scalar int32 [] baked 1\n"
        "%9 = loop int32 [100] (%5, %7, %8, %1) carries 1 " + backwards(text) +
            "%10 = result int32 [100] (%9) 0\n"
            "%11 = map int64 [100] (%10) { v1 = cast int32 -> int64 v0 }\n"
        "%12 = view int64 [7, 100] (%11) strides [0, 1]\n"
        "%13 = gather float64 [7, 100] (%2, %12) strides [100, 0]\n"
        "%14 = call float64 [7, 100] (%0, %13) trsm [0, 0, 1, 0]\n"
        "%15 = call float64 [7, 100] (%0, %14) trsm [1, 0, 0, 0]\n"
        "return %15\n");
}

TEST_CASE("with a transposed matrix the rows come last") {
  const std::string text = on(gpu(), solving("[7, 100]", "[1, 0]"));
  CHECK(text.find("(%0, %2) trsm [1, 1, 0, 0]") != std::string::npos);
  CHECK(text.find("trsm [0, 1, 1, 0]") < text.find("slice along 1 strides [0]"));
  CHECK(text.find("slice along 1 strides [0]") < text.find("gather"));
}

TEST_CASE("the right sides of an inverse are made, not read") {
  const std::string text = on(gpu(), solving("[100, 100]", "[0, 1]"));
  CHECK(count(text, "gather") == 0);
  CHECK(text.find("equal int64") != std::string::npos);
  CHECK(text.find("trsm [1, 0, 0, 1]") != std::string::npos);  // still known to be an inverse
}

TEST_CASE("right sides that are seen through a view are read where they lie") {
  const std::string text = on(gpu(),
                              "%0 = source float64 [100, 100]\n%1 = source int32 [100]\n"
                              "%2 = source float64 [100, 7]\n"
                              "%3 = view float64 [7, 100] (%2) strides [1, 7]\n"
                              "%4 = call float64 [7, 100] (%0, %1, %3) getrs [0, 0]\nreturn %4\n");
  CHECK(text.find("iota int64 [8]") != std::string::npos);  // row indices are multiplied by seven
  CHECK(text.find("(%2, %16) strides [1, 0]") != std::string::npos);
}

TEST_CASE("stacks are solved so too, all at once") {
  const std::string stack =
      "%0 = source float64 [5, 100, 100]\n%1 = source int32 [5, 100]\n"
      "%2 = source float64 [5, 7, 100]\n"
      "%3 = call float64 [5, 7, 100] (%0, %1, %2) getrs [0, 0]\nreturn %3\n";
  const std::string text = on(gpu(), stack);
  CHECK(count(text, "getrs") == 0);
  CHECK(count(text, "trsm") == 2);
  CHECK(text.find("slice along -1 offset 99 strides [100, 0]") != std::string::npos);
  CHECK(text.find("strides [700, 100, 0]") != std::string::npos);  // of the right-hand sides
}

TEST_CASE("what stays with the library's own solver") {
  const auto kept = [](const ir::machine& m, const std::string& text) {
    return on(m, text) == text;
  };
  CHECK(kept({}, solving("[7, 100]", "[0, 0]")));  // on a CPU
  const std::string tiny =
      "%0 = source float64 [32, 32]\n%1 = source int32 [32]\n%2 = source float64 [7, 32]\n"
      "%3 = call float64 [7, 32] (%0, %1, %2) getrs [0, 0]\nreturn %3\n";
  CHECK(kept(gpu(), tiny));
}

}  // namespace solve_in_triangles_test

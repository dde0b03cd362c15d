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
        "%4 = view int64 [1, 100] (%3) strides [0, 1]\n"
        "%5 = map int32 [1, 100] (%4) { v1 = cast int64 -> int32 v0 }\n"
        "%6 = map float32 [1, 100] (%5) { v1 = bitcast int32 -> float32 v0 }\n"
        "%7 = view int32 [100] (%1) strides [1]\n"
        "%8 = call float32 [1, 100] (%7, %6) laswp [0]\n"
        "%9 = view float32 [100] (%8) strides [1]\n"
        "%10 = map int32 [100] (%9) { v1 = bitcast float32 -> int32 v0 }\n"
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
  CHECK(text.find("trsm [0, 1, 1, 0]") < text.find("laswp [1]"));
  CHECK(text.find("laswp [1]") < text.find("gather"));
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
  CHECK(text.find("(%2, %13) strides [1, 0]") != std::string::npos);
  CHECK(text.find("iota int64 [694]") != std::string::npos);  // 99 * 7 + 1: row numbers times seven
}

TEST_CASE("what stays with the library's own solver") {
  const auto kept = [](const ir::machine& m, const std::string& text) {
    return on(m, text) == text;
  };
  CHECK(kept({}, solving("[7, 100]", "[0, 0]")));  // a CPU
  const std::string stack =
      "%0 = source float64 [5, 100, 100]\n%1 = source int32 [5, 100]\n"
      "%2 = source float64 [5, 7, 100]\n"
      "%3 = call float64 [5, 7, 100] (%0, %1, %2) getrs [0, 0]\nreturn %3\n";
  CHECK(kept(gpu(), stack));
  const std::string tiny =
      "%0 = source float64 [32, 32]\n%1 = source int32 [32]\n%2 = source float64 [7, 32]\n"
      "%3 = call float64 [7, 32] (%0, %1, %2) getrs [0, 0]\nreturn %3\n";
  CHECK(kept(gpu(), tiny));
}

}  // namespace solve_in_triangles_test

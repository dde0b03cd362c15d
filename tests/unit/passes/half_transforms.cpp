#include "ir/passes/half_transforms.hpp"

#include "ir/fourier.hpp"
#include "tests/catch.hpp"
#include "texts.hpp"

namespace half_transforms_test {

using namespace passes_tests;

namespace {

std::string on(const ir::machine& m, const std::string& text) {
  return after([&](const ir::graph& g) { return ir::half_transforms(g, m); }, text);
}

/// The transform of 3 rows of n halves; attributes: real to complex, axes [1, 2), may be halves.
std::string rows(std::int64_t n) {
  const std::string shape = "[3, " + std::to_string(n) + "]",
                    half = "[3, " + std::to_string(n / 2 + 1) + "]";
  return "%0 = source float16 " + shape + "\n%1 = call complex64 " + half +
         " (%0) fft [1, 0, 1, 2, " + std::to_string(n) + ", 1]\nreturn %1\n";
}

}  // namespace

TEST_CASE("a transform of halves gives pairs of halves, which are widened where they are read") {
  CHECK(on(gpu(), rows(8)) ==
        "%0 = source float16 [3, 8]\n"
        "%1 = call float16 [3, 5, 2] (%0) fft [1, 0, 1, 2, 8, 2]\n"
        "%2 = view float16 [3, 5] (%1) strides [10, 2]\n"
        "%3 = map float32 [3, 5] (%2) { v1 = cast float16 -> float32 v0 }\n"
        "%4 = map complex64 [3, 5] (%3) { v1 = cast float32 -> complex64 v0 }\n"
        "%5 = view float16 [3, 5] (%1) offset 1 strides [10, 2]\n"
        "%6 = map float32 [3, 5] (%5) { v1 = cast float16 -> float32 v0 }\n"
        "%7 = map complex64 [3, 5] (%6) { v1 = cast float32 -> complex64 v0 }\n"
        "%8 = map complex64 [3, 5] (%4, %7) { v2 = join complex64 v0 v1 }\n"
        "return %8\n");
}

TEST_CASE("what the library has no half transform of is widened first") {
  for (const auto& [machine, n] :
       {std::pair(ir::machine{}, 8), std::pair(gpu(), 12), std::pair(gpu(), 1)}) {
    const std::string text = on(machine, rows(n));
    CHECK(text.find("cast float16 -> float32") < text.find("fft"));
    CHECK(text.find(", 1]\nreturn") != std::string::npos);  // requested, and reported
  }
  const std::string inside =  // an axis that is not the last
      "%0 = source float16 [8, 3]\n%1 = call complex64 [5, 3] (%0) fft [1, 0, 0, 1, 8, 1]\n"
      "return %1\n";
  CHECK(on(gpu(), inside).find("cast float16 -> float32") != std::string::npos);
  const std::string wide =
      "%0 = source float32 [8]\n%1 = call complex64 [5] (%0) fft [1, 0, 0, 1, 8]\nreturn %1\n";
  CHECK(on(gpu(), wide) == wide);
}

}  // namespace half_transforms_test

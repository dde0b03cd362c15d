// Which differences are allowed and which are not.
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/catch.hpp"
#include "tests/fuzz/compare.hpp"
#include "tests/fuzz/trial.hpp"

namespace estimates_test {

using namespace sinter;
using namespace sinter::fuzz;

namespace {

constexpr float no_number = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

ir::tensor floats(const std::vector<float>& values) {
  ir::tensor t{dtype::float32, {static_cast<ir::extent>(values.size())}, {}};
  t.data.resize(values.size() * sizeof(float));
  std::memcpy(t.data.data(), values.data(), t.data.size());
  return t;
}

/// The error bound of each element of the last node, for given contents of source 0.
std::vector<double> errors_of(const std::string& text, const std::vector<float>& source) {
  const ir::graph g = ir::parse_graph(text);
  ir::verify(g);
  auto e = estimate_outputs(g, {floats(source)}).at(0);
  e.error.resize(static_cast<std::size_t>(ir::size_of(e.value.shape)), 0);
  return e.error;
}

const std::string four = "%0 = source float32 [4]\n";

}  // namespace

TEST_CASE("exact elements are the same bits, and NaN is NaN") {
  const estimate e{floats({1, 0, no_number, inf}), {}};
  CHECK_FALSE(difference(e, floats({1, 0, -no_number, inf})));
  CHECK(difference(e, floats({1, -0.0f, no_number, inf})));
  CHECK(difference(e, floats({std::nextafter(1.0f, 2.0f), 0, no_number, inf})));
  CHECK(difference(e, floats({1, 0, 0, inf})));
  CHECK(difference(e, floats({1, 0, no_number, -inf})));
  CHECK(difference(e, floats({1, 0, no_number})));
}

TEST_CASE("approximate elements are near") {
  const estimate e{floats({1, 1}), {1e-3, anything}};
  CHECK_FALSE(difference(e, floats({1.001f, 77})));
  CHECK(difference(e, floats({1.01f, 1})) == std::optional<std::string>(
      "element 0 of 2 is 1.0099999904632568, expected 1 to 0.001"));
  CHECK(difference(e, floats({no_number, 1})));
}

TEST_CASE("sums of small integers are exact, others depend on their terms") {
  const std::string sum = four + "%1 = reduce float32 [] (%0) add over [0]\nreturn %1\n";
  CHECK(errors_of(sum, {1, 2, -3, 4})[0] == 0);
  const double e = errors_of(sum, {0.1f, 1e6f, -1e6f, 0.3f})[0];
  CHECK(e > 0);
  CHECK(e < 4);
  CHECK(errors_of(sum, {no_number, 1, 2, 3})[0] == 0);
  CHECK(errors_of(sum, {inf, 1, 2, 3})[0] == 0);
  CHECK(errors_of(sum, {3e38f, 3e38f, -3e38f, 0})[0] == anything);
}

TEST_CASE("either zero may be the larger of many") {
  const std::string max = four + "%1 = reduce float32 [] (%0) maximum over [0]\nreturn %1\n";
  CHECK(errors_of(max, {0, -0.0f, -1, -2})[0] > 0);
  CHECK(errors_of(max, {1, 0, -0.0f, 0.1f})[0] == 0);
}

TEST_CASE("comparisons of approximate values that are close say nothing") {
  const std::string text = four + R"(%1 = map float32 [4] (%0) { v1 = exp float32 v0 }
%2 = scalar float32 [] 1
%3 = map bool [4] (%1, %2) { v2 = less float32 v0 v1 }
return %3
)";
  const auto e = errors_of(text, {0, 1, -1, no_number});
  CHECK(e[0] == anything);
  CHECK(e[1] == 0);
  CHECK(e[2] == 0);
}

TEST_CASE("the sign of NaN is not compared") {
  const std::string text = four + "%1 = map bool [4] (%0) { v1 = signbit float32 v0 }\nreturn %1\n";
  const auto e = errors_of(text, {no_number, -1, 0, -0.0f});
  CHECK(e[0] == anything);
  CHECK(e[3] == 0);
}

TEST_CASE("views and updates carry bounds along") {
  const std::string text = four + R"(%1 = map float32 [4] (%0) { v1 = exp float32 v0 }
%2 = view float32 [2] (%1) offset 1 strides [2]
%3 = update float32 [4] (%0, %2) strides [3]
return %3
)";
  const auto e = errors_of(text, {1, 1, 1, 1});
  CHECK(e[0] > 0);
  CHECK(e[1] == 0);
  CHECK(e[3] > 0);
}

TEST_CASE("functions of an approximate value move with it") {
  const std::string text = four + R"(%1 = reduce float32 [] (%0) add over [0]
%2 = map float32 [] (%1) { v1 = exp float32 v0 }
return %2
)";
  const double e = errors_of(text, {0.1f, 0.2f, 0.3f, 10})[0];
  CHECK(e > std::exp(10.6) * 1e-7);
  CHECK(e < std::exp(10.6) * 1e-4);
}

}  // namespace estimates_test

#include "ir/passes/sum_places.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "ir/interpreter.hpp"
#include "ir/kernel_condition.hpp"
#include "ir/passes/pipeline.hpp"
#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace sum_places_test {

using namespace passes_tests;
using namespace sinter;

namespace {

std::string rewritten(const ir::machine& m, const std::string& text) {
  return after([&](const ir::graph& g) { return ir::sum_places(g, m); }, text);
}

int scatters(const std::string& text) {
  int n = 0;
  for (auto at = text.find("= scatter"); at != text.npos; at = text.find("= scatter", at + 1)) ++n;
  return n;
}

/// base[index[i]] += values[i] for all i with counts[i], in a GPU's form.
template <class T>
std::vector<T> sums(const std::vector<T>& base, const std::vector<std::int64_t>& index,
                    const std::vector<T>& values, std::vector<char> counts = {}) {
  counts.resize(values.size(), 1);
  const std::string t(name(dtype_of<T>)), n = "[" + std::to_string(values.size()) + "]",
                    m = "[" + std::to_string(base.size()) + "]";
  const std::string text = "%0 = source " + t + " " + m + "\n%1 = source int64 " + n +
                           "\n%2 = source " + t + " " + n + "\n%3 = source bool " + n +
                           "\n%4 = scatter " + t + " " + m +
                           " (%0, %1, %2, %3) sums add strides [0]\nreturn %4\n";
  const ir::graph g = ir::sum_places(ir::parse_graph(text), gpu());
  const ir::shape_t all{static_cast<ir::extent>(values.size())};
  const std::vector<ir::tensor_view> in = {
      {dtype_of<T>, {static_cast<ir::extent>(base.size())}, base.data()},
      {dtype::int64, all, index.data()},
      {dtype_of<T>, all, values.data()},
      {dtype::bool_, all, counts.data()}};
  const auto out = ir::interpret(g, in);
  std::vector<T> result(base.size());
  std::memcpy(result.data(), out[0].data.data(), result.size() * sizeof(T));
  return result;
}

const std::string doubles = R"(%0 = source float64 [3]
%1 = source int64 [100]
%2 = source float64 [100]
%3 = scatter float64 [3] (%0, %1, %2) sums add strides [0]
return %3
)";

}  // namespace

TEST_CASE("sum_places: a CPU adds in order, a GPU adds integers") {
  ir::machine cpu;
  CHECK(rewritten(cpu, doubles) == doubles);
  const std::string text = rewritten(gpu(), doubles);
  CHECK(text.find(" sums ") == text.npos);
  CHECK(text.find("scatter float64") == text.npos);
  CHECK(scatters(text) == 3);
}

TEST_CASE("sum_places: what was float needs units of one size") {
  std::string floats = doubles;
  for (auto at = floats.find("float64"); at != floats.npos; at = floats.find("float64")) {
    floats.replace(at, 7, "float32");
  }
  CHECK(scatters(rewritten(gpu(), floats)) == 2);
  CHECK(scatters(rewritten(gpu(), R"(%0 = source float64 [3]
%1 = source int64 [100]
%2 = source float16 [100]
%3 = map float64 [100] (%2) { v1 = cast float16 -> float64 v0 }
%4 = scatter float64 [3] (%0, %1, %3) sums add strides [0]
return %4
)")) == 2);
}

TEST_CASE("sum_places: wrong indices are reported once, what does not count is left out of all") {
  const std::string text = rewritten(gpu(), R"(%0 = source float64 [3]
%1 = source int64 [100]
%2 = source float64 [100]
%3 = source bool [100]
%4 = source int64 [100]
%5 = scatter float64 [3] (%0, %1, %2, %3, %3, %4) sums add strides [0] check 7
return %5
)");
  CHECK(text.find("check 7") != text.npos);
  CHECK(text.find("check 7") == text.rfind("check 7"));
  CHECK(sums<double>({1, 2}, {0, 1, 0}, {10, 20, 30}, {1, 0, 1}) == std::vector<double>{41, 2});
}

TEST_CASE("sum_places: sums do not depend on an order, and are rounded once") {
  CHECK(sums<float>({1, 2}, {0, 0, 0}, {1e8f, 1, -1e8f}) == std::vector<float>{2, 2});
  CHECK(sums<float>({0}, {0, 0, 0}, {1, 0x1p-24f, 0x1p-24f}) == std::vector<float>{1 + 0x1p-23f});
  CHECK(sums<double>({0}, {0, 0, 0, 0}, {1e16, 1, 1, -1e16}) == std::vector<double>{2});
  CHECK(sums<double>({0}, {0, 0}, {1, 0x1p-70}) == std::vector<double>{1});
  CHECK(sums<double>({0, 5}, {0, 0}, {1e-310, 2e-310}) == std::vector<double>{3e-310, 5});
  const double largest = std::numeric_limits<double>::max();
  CHECK(sums<double>({0}, {0, 0, 0}, {largest, largest, -largest}) ==
        std::vector<double>{largest});
}

TEST_CASE("sum_places: what nothing comes to keeps its bits, infinities meet") {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto x = sums<double>({-0.0, -0.0, 1, 1, 1, 1, nan}, {1, 2, 3, 3, 4, 4, 5},
                              {0.0, inf, -inf, 5, inf, -inf, nan});
  CHECK(std::signbit(x[0]));
  CHECK(!std::signbit(x[1]));
  CHECK(x[2] == inf);
  CHECK(x[3] == -inf);
  CHECK(std::isnan(x[4]));
  CHECK(std::isnan(x[5]));
  CHECK(std::isnan(x[6]));
}

namespace {

/// Sums of `these` at places 0, 1, ... in turn, among many values of 1 at the last place.
template <class T> std::vector<T> sums_among_many(const std::vector<T>& these, T base = 0) {
  const std::size_t n = std::size_t{1} << 18, places = these.size() / 2 + 1;
  std::vector<std::int64_t> index(n, static_cast<std::int64_t>(places) - 1);
  std::vector<T> values(n, T(1));
  for (std::size_t i = 0; i < these.size(); ++i) {
    index[7 * i] = static_cast<std::int64_t>(i % (places - 1));
    values[7 * i] = these[i];
  }
  std::vector<T> all = sums<T>(std::vector<T>(places, base), index, values);
  CHECK(all.back() == static_cast<T>(n - these.size()) + base);
  all.pop_back();
  return all;
}

}  // namespace

TEST_CASE("sum_places: many values that lie near each other have the same bins everywhere") {
  std::string many = doubles;
  for (auto at = many.find("[100]"); at != many.npos; at = many.find("[100]")) {
    many.replace(at, 5, "[262144]");
  }
  const std::string text = rewritten(gpu(), many);
  CHECK(text.find("= reduce") != text.npos);
  CHECK(scatters(text) == 4);
  const ir::plan p = ir::make_plan(ir::parse_graph(many), gpu());
  const auto asked = std::ranges::count_if(
      p.kernels, [](const ir::kernel& k) { return ir::condition_of(k) >= 0; });
  CHECK(asked == 1);  // the kernel that finds each place's largest value then does nothing
  many.replace(many.find("%2 = source float64 [262144]"), 28, "%2 = source float64 []");
  CHECK(scatters(rewritten(gpu(), many)) == 3);  // one value for all
}

TEST_CASE("sum_places: what is small beside the values of other places is summed as well") {
  const auto x = sums_among_many<float>({0x1p-40f, 1, -3, 0, -0x1p-41f, 0x1p-23f, 1.5f, 0}, -0.0f);
  CHECK(x == std::vector<float>{0x1p-41f, 1 + 0x1p-23f, -1.5f, 0});
  CHECK(std::signbit(x[3]));
  CHECK(sums_among_many<double>({0x1.fffffffffffffp-40, -0x1.3p-48, 1e4, 0x1p-92, 0x1p-48, -1e4}) ==
        std::vector<double>{0x1p-39, -0x1.8p-51, 0});
}

TEST_CASE("sum_places: many values that are far from each other are summed by place") {
  CHECK(sums_among_many<double>({1e-300, 1e300, 1e-300, 2e300}) ==
        std::vector<double>{2e-300, 3e300});
  const float inf = std::numeric_limits<float>::infinity();
  const auto x = sums_among_many<float>({inf, 0x1p-90f, 1e30f, inf, 1, -0x1p-91f, 1e-30f, -inf});
  CHECK(std::isnan(x.back()));
  CHECK(std::vector<float>(x.begin(), x.end() - 1) == std::vector<float>{inf, 0x1p-91f, 1e30f});
}

}  // namespace sum_places_test

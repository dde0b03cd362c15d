// interpret: every kind of node.
#include "ir/interpreter.hpp"

#include <cmath>
#include <complex>
#include <cstring>
#include <stdexcept>

#include "ir/philox.hpp"
#include "tests/catch.hpp"

namespace interpreter_test {

using namespace sinter;
using namespace sinter::ir;

namespace {

template <class T>
tensor_view view_of(const std::vector<T>& data, shape_t shape) {
  return {dtype_of<T>, std::move(shape), data.data()};
}

template <class T>
std::vector<T> values(const tensor& t) {
  std::vector<T> out(t.data.size() / sizeof(T));
  std::memcpy(static_cast<void*>(out.data()), t.data.data(), t.data.size());
  return out;
}

std::vector<tensor> run(std::string_view text, const std::vector<tensor_view>& sources = {}) {
  const graph g = parse_graph(text);
  verify(g);
  return interpret(g, sources);
}

}  // namespace

TEST_CASE("A program over arrays and scalars, longer than a strip") {
  std::vector<float> x(3000), y(3000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i), y[i] = 1;
  const auto out = run(R"(
%0 = source float32 [3, 1000]
%1 = source float32 [3, 1000]
%2 = scalar float32 [] 0.5
%3 = map int32 [3, 1000] (%0, %2, %1) { v3 = fma float32 v0 v1 v2; v4 = cast float32 -> int32 v3 }
%4 = map float32 [3, 1000] (%1) { }
return %3, %4
)",
                       {view_of(x, {3, 1000}), view_of(y, {3, 1000})});
  const auto got = values<std::int32_t>(out[0]);
  for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(got[i] == static_cast<int>(x[i] * 0.5f + 1));
  CHECK(values<float>(out[1]) == y);
}

TEST_CASE("Views, and updates through them") {
  const std::vector<std::int32_t> x = {0, 1, 2, 3, 4, 5}, value = {10, 20};
  const auto out = run(R"(
%0 = source int32 [2, 3]
%1 = source int32 [2]
%2 = view int32 [3, 2] (%0) strides [1, 3]
%3 = view int32 [2, 2, 3] (%0) offset 5 strides [0, -3, -1]
%4 = update int32 [2, 3] (%0, %1) offset 2 strides [3]
return %2, %3, %4, %0
)",
                       {view_of(x, {2, 3}), view_of(value, {2})});
  CHECK(values<std::int32_t>(out[0]) == std::vector<std::int32_t>{0, 3, 1, 4, 2, 5});
  CHECK(values<std::int32_t>(out[1]) ==
        std::vector<std::int32_t>{5, 4, 3, 2, 1, 0, 5, 4, 3, 2, 1, 0});
  CHECK(values<std::int32_t>(out[2]) == std::vector<std::int32_t>{0, 1, 10, 3, 4, 20});
  CHECK(values<std::int32_t>(out[3]) == x);
}

TEST_CASE("Reductions over any axes") {
  const std::vector<std::int32_t> x = {3, 1, 2, 9, 9, -5};
  const auto out = run(R"(
%0 = source int32 [2, 3]
%1 = reduce int32 [2] (%0) add over [1]
%2 = reduce int32 [3] (%0) maximum over [0]
%3 = reduce int32 [] (%0) multiply over [0, 1]
%4 = reduce int64 [] (%0) arg maximum over [0, 1]
%5 = reduce int64 [3] (%0) arg minimum over [0]
return %1, %2, %3, %4, %5
)",
                       {view_of(x, {2, 3})});
  CHECK(values<std::int32_t>(out[0]) == std::vector<std::int32_t>{6, 13});
  CHECK(values<std::int32_t>(out[1]) == std::vector<std::int32_t>{9, 9, 2});
  CHECK(values<std::int32_t>(out[2])[0] == 3 * 2 * 81 * -5);
  CHECK(values<std::int64_t>(out[3])[0] == 3);
  CHECK(values<std::int64_t>(out[4]) == std::vector<std::int64_t>{0, 0, 1});
}

TEST_CASE("Reductions of bools, complex numbers, NaN and nothing") {
  const std::vector<std::uint8_t> bits = {1, 1, 0};
  const std::vector<std::complex<float>> z = {{1, 2}, {3, -1}, {0.5, 0}};
  const std::vector<float> f = {1, NAN, 3};
  const auto out = run(R"(
%0 = source bool [3]
%1 = source complex64 [3]
%2 = source float32 [3]
%3 = source float32 [0]
%4 = reduce bool [] (%0) logical_and over [0]
%5 = reduce bool [] (%0) maximum over [0]
%6 = reduce complex64 [] (%1) add over [0]
%7 = reduce float32 [] (%2) minimum over [0]
%8 = reduce int64 [] (%2) arg minimum over [0]
%9 = reduce float32 [] (%3) add over [0]
%10 = reduce float32 [] (%3) maximum over [0]
return %4, %5, %6, %7, %8, %9, %10
)",
                       {tensor_view(dtype::bool_, {3}, bits.data()), view_of(z, {3}),
                        view_of(f, {3}), tensor_view(dtype::float32, {0}, nullptr)});
  CHECK_FALSE(values<std::uint8_t>(out[0])[0]);
  CHECK(values<std::uint8_t>(out[1])[0]);
  CHECK(values<std::complex<float>>(out[2])[0] == std::complex<float>(4.5f, 1));
  CHECK(std::isnan(values<float>(out[3])[0]));
  CHECK(values<std::int64_t>(out[4])[0] == 1);
  CHECK(values<float>(out[5])[0] == 0);
  CHECK(values<float>(out[6])[0] == -INFINITY);
}

TEST_CASE("Random bits and indices") {
  const auto out = run(R"(
%0 = random uint32 [2, 3] seed 42
%1 = random uint64 [5] seed 42
%2 = iota int64 [2, 2]
return %0, %1, %2
)");
  const auto narrow = values<std::uint32_t>(out[0]);
  const auto wide = values<std::uint64_t>(out[1]);
  for (std::size_t i = 0; i < narrow.size(); ++i) CHECK(narrow[i] == random_uint32(i, 42));
  for (std::size_t i = 0; i < wide.size(); ++i) CHECK(wide[i] == random_uint64(i, 42));
  CHECK(values<std::int64_t>(out[2]) == std::vector<std::int64_t>{0, 1, 2, 3});
}

TEST_CASE("Scatters put and combine, where they are to") {
  const std::vector<std::int64_t> i = {2, 0, 2, 1};
  const std::vector<float> x = {1, 2, 3}, v = {10, 20, 30, 40};
  const std::vector<std::int32_t> n = {1, 2, 3}, m = {10, 20, 30, 40};
  const std::string start = R"(
%0 = source float32 [3]
%1 = source int32 [3]
%2 = source int64 [4]
%3 = source float32 [4]
%4 = source int32 [4]
%5 = scalar bool [] false
%6 = scalar float32 [] 7
%7 = scatter int32 [3] (%1, %2, %4) add strides [0]
%8 = scatter float32 [3] (%0, %2, %3) maximum strides [0]
%9 = scatter float32 [3] (%0, %2, %6) put strides [0]
%10 = scatter float32 [3] (%0, %2, %3, %5) put strides [0]
)";
  const std::vector<tensor_view> all = {view_of(x, {3}), view_of(n, {3}), view_of(i, {4}),
                                        view_of(v, {4}), view_of(m, {4})};
  const auto out = run(start + "return %7, %8, %9, %10\n", all);
  CHECK(values<std::int32_t>(out[0]) == std::vector<std::int32_t>{21, 42, 43});
  CHECK(values<float>(out[1]) == std::vector<float>{20, 40, 30});
  CHECK(values<float>(out[2]) == std::vector<float>{7, 7, 7});
  CHECK(values<float>(out[3]) == x);
  const auto summed = run(start + "%11 = scatter float32 [3] (%0, %2, %3) sums add strides [0]\n" +
                              "return %11\n",
                          all);
  CHECK(values<float>(summed[0]) == std::vector<float>{21, 42, 43});
  const std::string put = start + "%11 = scatter float32 [3] (%0, %2, %3) ";
  CHECK_THROWS_AS(run(put + "put strides [0]\nreturn %11\n", all), std::invalid_argument);
  CHECK_THROWS_AS(run(put + "add strides [0]\nreturn %11\n", all), std::invalid_argument);
  CHECK_THROWS_AS(run(put + "maximum offset 1 strides [0]\nreturn %11\n", all),
                  std::invalid_argument);
}

TEST_CASE("matmul, plain and batched") {
  const std::vector<double> a = {1, 2, 3, 4, 5, 6}, b = {1, 0, 0, 1, 1, 1};
  const auto out = run(R"(
%0 = source float64 [2, 3]
%1 = source float64 [3, 2]
%2 = call float64 [2, 2] (%0, %1) matmul
%3 = view float64 [2, 1, 3] (%0) strides [3, 3, 1]
%4 = view float64 [2, 3, 1] (%1) strides [3, 1, 1]
%5 = call float64 [2, 1, 1] (%3, %4) matmul
return %2, %5
)",
                       {view_of(a, {2, 3}), view_of(b, {3, 2})});
  CHECK(values<double>(out[0]) == std::vector<double>{4, 5, 10, 11});
  CHECK(values<double>(out[1]) == std::vector<double>{1, 15});
}

TEST_CASE("matmul of integers wraps, of halves accumulates in float") {
  const std::vector<std::int8_t> i = {100, 100, 100, 100};
  const std::vector<float16> h(4096, float16(1.0f));
  const auto out = run(R"(
%0 = source int8 [1, 4]
%1 = view int8 [4, 1] (%0) strides [1, 1]
%2 = call int8 [1, 1] (%0, %1) matmul
%3 = source float16 [1, 4096]
%4 = view float16 [4096, 1] (%3) strides [1, 1]
%5 = call float16 [1, 1] (%3, %4) matmul
return %2, %5
)",
                       {view_of(i, {1, 4}), view_of(h, {1, 4096})});
  CHECK(values<std::int8_t>(out[0])[0] == static_cast<std::int8_t>(40000));
  CHECK(static_cast<float>(values<float16>(out[1])[0]) == 4096);
}

TEST_CASE("Sources must fit the graph") {
  const graph g = parse_graph("%0 = source float32 [2]\n%1 = source int8 [1]\nreturn %0\n");
  const std::vector<float> x = {1, 2};
  const std::vector<std::int8_t> y = {1};
  const auto a = view_of(x, {2});
  const auto b = view_of(y, {1});
  CHECK(values<float>(interpret(g, {a, b})[0]) == x);
  CHECK_THROWS_AS(interpret(g, {a}), std::invalid_argument);
  CHECK_THROWS_AS(interpret(g, {a, b, b}), std::invalid_argument);
  CHECK_THROWS_AS(interpret(g, {b, b}), std::invalid_argument);
  CHECK_THROWS_AS(interpret(g, {view_of(x, {2, 1}), b}), std::invalid_argument);
  const graph unknown = parse_graph("%0 = call float32 [2] solve\nreturn %0\n");
  CHECK_THROWS_AS(interpret(unknown, {}), std::invalid_argument);
}

}  // namespace interpreter_test

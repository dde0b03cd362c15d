// run_kernel: addressing, levels, phases, splits, positions, random bits, parts of complex numbers.
#include <cmath>
#include <complex>
#include <numeric>

#include "ir/philox.hpp"
#include "launcher.hpp"
#include "tests/catch.hpp"

namespace kernel_interpreter_test {

using namespace ir_tests;
using ir::parse_kernel;

namespace {

ir::kernel checked(std::string_view text) {
  ir::kernel k = parse_kernel(text);
  ir::verify(k);
  return k;
}

std::vector<float> counting(std::size_t n, float first = 0) {
  std::vector<float> v(n);
  std::iota(v.begin(), v.end(), first);
  return v;
}

}  // namespace

TEST_CASE("A map over strided, broadcast and flipped operands, longer than a strip") {
  const ir::kernel k = checked(R"(
kernel k
target cpu, kept 2, reduced 0
schedule vector 1 unroll 1 lanes kept tile 100 rows 1
in0 = input float32 [any, one]
in1 = input float32 [zero, any]
in2 = input float32 [any, zero]
out0 = output float32 [any, one]
s0 = scalar float32
v0 = load float32 in0
v1 = load float32 in1
v2 = load float32 in2
v3 = scalar float32 s0
v4 = multiply float32 v0 v3
v5 = add float32 v4 v1
v6 = add float32 v5 v2
v7 = store float32 out0 v6
)");
  const std::int64_t rows = 7, columns = 301;
  auto a = counting(rows * 400), b = counting(columns, 1e4f), c = counting(rows, 1e6f);
  std::vector<float> out(rows * columns, -1);
  launch(k, {.extents = {rows, columns},
             .operands = {{a.data(), {400, 1}},
                          {b.data() + columns - 1, {0, -1}},
                          {c.data(), {1, 0}},
                          {out.data(), {columns, 1}}},
             .scalars = {0x40000000}});
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const float want = a.data()[i * 400 + j] * 2 + b.data()[columns - 1 - j] + c.data()[i];
      REQUIRE(out.data()[i * columns + j] == want);
    }
  }
}

TEST_CASE("Unravelled accesses and indices") {
  // The reshape of a transpose: element n of the 6 x 35 result is element n of a 30 x 7 transpose.
  const ir::kernel k = checked(R"(
kernel k
target gpu, kept 2, reduced 0
schedule vector 1 unroll 1 threads 32 lanes kept tile 32 rows 1
in0 = input float32 [any, one] unravel 2
ix0 = index int64 [any, any]
out0 = output float32 [any, one]
out1 = output int64 [any, one]
v0 = load float32 in0
v1 = store float32 out0 v0
v2 = index int64 ix0
v3 = store int64 out1 v2
)");
  auto a = counting(210);
  std::vector<float> out(210);
  std::vector<std::int64_t> numbers(210);
  launch(k, {.extents = {6, 35},
             .operands = {{a.data(), {35, 1}, 0, {30, 7}, {1, 30}},
                          {nullptr, {100, 2}, 5},
                          {out.data(), {35, 1}},
                          {numbers.data(), {35, 1}}}});
  for (std::size_t n = 0; n < 210; ++n) {
    REQUIRE(out[n] == a[n / 7 + n % 7 * 30]);
    REQUIRE(numbers[n] == static_cast<std::int64_t>(n / 35 * 100 + n % 35 * 2 + 5));
  }
}

TEST_CASE("A softmax walks its rows three times") {
  const ir::kernel k = checked(R"(
kernel softmax
target cpu, kept 1, reduced 2
schedule vector 1 unroll 1 lanes reduced rows 2
in0 = input float32 [any, any, one]
out0 = output float32 [any, any, one]
out1 = output float32 [any, zero, zero]
v0 = each load float32 in0
v1 = reduce maximum float32 v0
v2 = each subtract float32 v0 v1
v3 = each exp float32 v2
v4 = reduce add float32 v3
v5 = each divide float32 v3 v4
v6 = each store float32 out0 v5
v7 = store float32 out1 v4
)");
  const std::size_t rows = 5, length = 600;
  std::vector<float> x(rows * length), out(rows * length), sums(rows);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 5 * std::sin(static_cast<float>(i));
  launch(k, {.extents = {5, 20, 30},
             .operands = {{x.data(), {600, 30, 1}},
                          {out.data(), {600, 30, 1}},
                          {sums.data(), {1}}}});
  for (std::size_t r = 0; r < rows; ++r) {
    double top = -INFINITY, sum = 0;
    for (std::size_t i = 0; i < length; ++i) top = std::max<double>(top, x[r * length + i]);
    for (std::size_t i = 0; i < length; ++i) sum += std::exp(x[r * length + i] - top);
    CHECK(sums[r] == Approx(sum).epsilon(1e-6));
    for (std::size_t i = 0; i < length; ++i) {
      REQUIRE(out[r * length + i] == Approx(std::exp(x[r * length + i] - top) / sum).epsilon(1e-5));
    }
  }
}

TEST_CASE("Chunks of a split reduction, and an inner store beside them") {
  const ir::kernel k = checked(R"(
kernel split
target cpu, kept 1, reduced 1
schedule vector 1 unroll 1 lanes reduced split rows 2
in0 = input float32 [any, one]
out0 = output float32 [any, zero]
out1 = output float32 [any, one]
v0 = each load float32 in0
v1 = reduce add float32 v0
v2 = store float32 out0 v1
v3 = each negative float32 v0
v4 = each store float32 out1 v3
)");
  const std::size_t rows = 3, length = 1000;
  auto x = counting(rows * length);
  std::vector<float> partial(rows * 4), y(rows * length);
  launch(k, {.extents = {3, 1000},
             .operands = {{x.data(), {1000, 1}}, {partial.data(), {4, 0}}, {y.data(), {1000, 1}}},
             .scalars = {},
             .splits = 4,
             .chunk = 300});
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < 4; ++c) {
      const auto first = x.begin() + static_cast<std::ptrdiff_t>(r * length + c * 300);
      const auto last = first + (c == 3 ? 100 : 300);
      CHECK(partial[r * 4 + c] == std::accumulate(first, last, 0.0f));
    }
  }
  for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(y[i] == -x[i]);
}

TEST_CASE("Positions are those of the first NaN, else the first extremum") {
  const ir::kernel k = checked(R"(
kernel k
target cpu, kept 1, reduced 1
schedule vector 1 unroll 1 lanes reduced rows 1
in0 = input float32 [any, one]
out0 = output int64 [any, zero]
out1 = output int64 [any, zero]
out2 = output float32 [any, zero]
v0 = each load float32 in0
v1 = reduce arg maximum float32 v0
v2 = reduce arg minimum float32 v0
v3 = reduce maximum float32 v0
v4 = store int64 out0 v1
v5 = store int64 out1 v2
v6 = store float32 out2 v3
)");
  std::vector<float> x = {1, 3, 2, 3, 1, 0, NAN, 7, NAN, -1, -0.0f, 0, 0, -0.0f, 0};
  std::vector<std::int64_t> top(3), bottom(3);
  std::vector<float> value(3);
  launch(k, {.extents = {3, 5},
             .operands = {{x.data(), {5, 1}},
                          {top.data(), {1}},
                          {bottom.data(), {1}},
                          {value.data(), {1}}}});
  CHECK(top == std::vector<std::int64_t>{1, 1, 0});
  CHECK(bottom == std::vector<std::int64_t>{0, 1, 0});
  CHECK(value[0] == 3);
  CHECK(std::isnan(value[1]));
}

TEST_CASE("An empty reduction gives the identity, an outer value counts every point") {
  const ir::kernel k = checked(R"(
kernel k
target cpu, kept 1, reduced 1
schedule vector 1 unroll 1 lanes reduced rows 3
in0 = input float32 [any, zero]
out0 = output float32 [any, zero]
out1 = output float32 [any, zero]
v0 = load float32 in0
v1 = reduce add float32 v0
v2 = store float32 out0 v1
v3 = reduce minimum float32 v0
v4 = store float32 out1 v3
)");
  std::vector<float> x = {1.5f, -2}, sum(2), least(2);
  const std::vector<binding> operands = {{x.data(), {1}}, {sum.data(), {1}}, {least.data(), {1}}};
  launch(k, {.extents = {2, 1000}, .operands = operands});
  CHECK(sum == std::vector<float>{1500, -2000});
  launch(k, {.extents = {2, 0}, .operands = operands});
  CHECK(sum == std::vector<float>{0, 0});
  CHECK(least[0] == INFINITY);
  launch(k, {.extents = {0, 5}, .operands = operands});
}

TEST_CASE("Random bits, casts and parts of complex numbers") {
  const ir::kernel k = checked(R"(
kernel k
target cpu, kept 1, reduced 0
schedule vector 1 unroll 1 lanes kept tile 64 rows 1
ix0 = index int64 [any]
in0 = input complex64 [one]
out0 = output uint32 [one]
out1 = output uint64 [one]
out2 = output complex64 [one]
out3 = output float16 [one]
s0 = scalar uint64
v0 = index int64 ix0
v1 = scalar uint64 s0
v2 = random uint32 v0 v1
v3 = random uint64 v0 v1
v4 = store uint32 out0 v2
v5 = store uint64 out1 v3
v6 = load float32 in0
v7 = load float32 in0 im
v8 = store float32 out2 v7
v9 = store float32 out2 im v6
v10 = cast float32 -> float16 v6
v11 = store float16 out3 v10
)");
  const std::size_t n = 300;
  std::vector<std::complex<float>> z(n), swapped(n);
  std::vector<std::uint32_t> narrow(n);
  std::vector<std::uint64_t> wide(n);
  std::vector<float16> half(n);
  for (std::size_t i = 0; i < n; ++i) z[i] = {static_cast<float>(i) * 1.1f, -static_cast<float>(i)};
  const std::uint64_t key = 0xfeedface12345678;
  launch(k, {.extents = {static_cast<std::int64_t>(n)},
             .operands = {{nullptr, {3}, 11},
                          {z.data()},
                          {narrow.data()},
                          {wide.data()},
                          {swapped.data()},
                          {half.data()}},
             .scalars = {key}});
  for (std::size_t i = 0; i < n; ++i) {
    REQUIRE(narrow[i] == ir::random_uint32(3 * i + 11, key));
    REQUIRE(wide[i] == ir::random_uint64(3 * i + 11, key));
    REQUIRE(swapped[i] == std::complex<float>(z[i].imag(), z[i].real()));
    REQUIRE(half[i].bits == float16(z[i].real()).bits);
  }
}

TEST_CASE("A map may write over its input") {
  const ir::kernel k = checked(R"(
kernel k
target cpu, kept 1, reduced 0
schedule vector 1 unroll 1 lanes kept tile 64 rows 1
in0 = input float32 [one]
out0 = output float32 [one]
v0 = load float32 in0
v1 = add float32 v0 v0
v2 = store float32 out0 v1
)");
  auto x = counting(1000);
  launch(k, {.extents = {1000}, .operands = {{x.data()}, {x.data()}}});
  for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(x[i] == 2 * static_cast<float>(i));
}

TEST_CASE("Sums are accurate however long they are") {
  const ir::kernel k = checked(R"(
kernel k
target cpu, kept 1, reduced 1
schedule vector 1 unroll 1 lanes reduced rows 1
in0 = input float32 [any, one]
in1 = input float64 [any, one]
out0 = output float32 [any, zero]
out1 = output float64 [any, zero]
v0 = each load float32 in0
v1 = reduce add float32 v0
v2 = store float32 out0 v1
v3 = each load float64 in1
v4 = reduce add float64 v3
v5 = store float64 out1 v4
)");
  const std::size_t n = 100001;
  std::vector<float> x(n, 0.1f);
  std::vector<double> y(n, 1e-8);
  x[0] = 1e6f;
  y[0] = 1e16;
  y[n - 1] = -1e16;
  float sum = 0;
  double wide = 0;
  launch(k, {.extents = {1, static_cast<std::int64_t>(n)},
             .operands = {{x.data(), {0, 1}}, {y.data(), {0, 1}}, {&sum, {0}}, {&wide, {0}}}});
  CHECK(sum == static_cast<float>(1e6 + 1e5 * static_cast<double>(0.1f)));
  CHECK(wide == Approx(1e-8 * static_cast<double>(n - 2)).epsilon(1e-9));
}

}  // namespace kernel_interpreter_test

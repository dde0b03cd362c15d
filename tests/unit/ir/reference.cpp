// Conversions and edge cases of integer arithmetic.
#include "ir/reference.hpp"

#include <cmath>
#include <stdexcept>

#include "tests/catch.hpp"
#include "values.hpp"

namespace reference_test {

using namespace ir_tests;
using ir::op;

namespace {

template <class To, class From>
To converted(From a) {
  return value_of<To>(ir::convert(scalar_of(a), dtype_of<From>, dtype_of<To>));
}

template <class T>
T call(op code, T a, T b) {
  const scalar_value args[] = {scalar_of(a), scalar_of(b)};
  return value_of<T>(ir::apply(code, dtype_of<T>, args));
}

/// The half nearest to a double, ties to even, by searching all halves.
template <class Half>
Half nearest(double x) {
  Half best;
  double error = INFINITY;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    Half h;
    h.bits = static_cast<std::uint16_t>(bits);
    const double value = static_cast<float>(h);
    if (!std::isfinite(value) || std::signbit(value) != std::signbit(x)) continue;
    const double e = std::abs(value - x);
    if (e < error || (e == error && (bits & 1) == 0)) {
      best = h;
      error = e;
    }
  }
  return best;
}

}  // namespace

TEST_CASE("Floats become integers by truncation, saturating, NaN is 0") {
  CHECK(converted<std::int32_t>(-1.9) == -1);
  CHECK(converted<std::int32_t>(1e10) == INT32_MAX);
  CHECK(converted<std::int32_t>(-1e10f) == INT32_MIN);
  CHECK(converted<std::int32_t>(2147483647.5) == INT32_MAX);
  CHECK(converted<std::int32_t>(-2147483648.9) == INT32_MIN);
  CHECK(converted<std::int64_t>(9.3e18) == INT64_MAX);
  CHECK(converted<std::int64_t>(-INFINITY) == INT64_MIN);
  CHECK(converted<std::uint64_t>(1.9e19f) == UINT64_MAX);
  CHECK(converted<std::uint64_t>(0x1p63) == std::uint64_t{1} << 63);
  CHECK(converted<std::uint8_t>(-0.5) == 0);
  CHECK(converted<std::uint8_t>(-3.0) == 0);
  CHECK(converted<std::uint8_t>(255.9) == 255);
  CHECK(converted<std::int8_t>(float16(300.0f)) == 127);
  CHECK(converted<std::int16_t>(NAN) == 0);
  CHECK(converted<std::uint32_t>(static_cast<double>(NAN)) == 0);
}

TEST_CASE("Integers become integers by wrapping, bools by comparison with 0") {
  CHECK(converted<std::int8_t>(std::int32_t{300}) == 44);
  CHECK(converted<std::uint32_t>(std::int8_t{-1}) == UINT32_MAX);
  CHECK(converted<std::int64_t>(std::uint32_t{UINT32_MAX}) == UINT32_MAX);
  CHECK(converted<bool>(std::int32_t{256}));
  CHECK(converted<bool>(0.25f));
  CHECK(converted<bool>(NAN));
  CHECK(converted<bool>(std::complex<float>(0, 1)));
  CHECK_FALSE(converted<bool>(-0.0));
  CHECK(converted<float>(true) == 1);
}

TEST_CASE("Complex numbers lose and gain an imaginary part") {
  CHECK(converted<float>(std::complex<double>(2.5, 7)) == 2.5f);
  CHECK(converted<std::int32_t>(std::complex<float>(-2.5, 7)) == -2);
  CHECK(converted<std::complex<double>>(std::complex<float>(1, 2)) == std::complex<double>(1, 2));
  CHECK(converted<std::complex<float>>(std::int16_t{3}) == std::complex<float>(3, 0));
}

TEST_CASE("Conversion to half types rounds once") {
  const double halfway = 1 + 0x1p-11;
  std::vector<double> values = {1.0, halfway, halfway + 0x1p-40, halfway - 0x1p-40, 65503.0, 1e-7,
                                0x1p-25, 0x1p-25 + 0x1p-60, 3 * 0x1p-25, 6.1e-5, -0.1, 1e-30};
  std::mt19937_64 random(3);
  for (int i = 0; i < 100; ++i) {
    values.push_back(std::ldexp(1.0 + static_cast<double>(random() >> 11) * 0x1p-53,
                                static_cast<int>(random() % 44) - 28));
  }
  for (double x : values) {
    INFO(x);
    if (std::abs(x) < 65520) {
      CHECK(converted<float16>(x).bits == nearest<float16>(x).bits);
      const auto f = static_cast<float>(x);
      CHECK(converted<float16>(f).bits == nearest<float16>(f).bits);
    }
    CHECK(converted<bfloat16>(x).bits == nearest<bfloat16>(x).bits);
  }
  CHECK(std::isinf(static_cast<float>(converted<float16>(65520.0))));
  CHECK(std::isinf(static_cast<float>(converted<bfloat16>(3.4e38))));
  CHECK(std::isnan(static_cast<float>(converted<float16>(NAN))));
}

TEST_CASE("Half types survive a trip through float") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    float16 h;
    bfloat16 b;
    h.bits = b.bits = static_cast<std::uint16_t>(bits);
    if ((bits & 0x7c00u) != 0x7c00u) REQUIRE(converted<float16>(converted<float>(h)).bits == bits);
    if ((bits & 0x7f80u) == 0x7f80u) continue;
    REQUIRE(converted<bfloat16>(converted<double>(b)).bits == bits);
  }
}

TEST_CASE("Integer division has a value for every pair") {
  CHECK(call<std::int32_t>(op::quotient, 7, -2) == -3);
  CHECK(call<std::int32_t>(op::quotient, 7, 0) == 0);
  CHECK(call<std::int32_t>(op::quotient, INT32_MIN, -1) == INT32_MIN);
  CHECK(call<std::int64_t>(op::fmod, INT64_MIN, -1) == 0);
  CHECK(call<std::int8_t>(op::floor_divide, -128, -1) == -128);
  CHECK(call<std::int32_t>(op::floor_divide, -7, 2) == -4);
  CHECK(call<std::int32_t>(op::remainder, -7, 2) == 1);
  CHECK(call<std::int32_t>(op::remainder, 7, -2) == -1);
  CHECK(call<std::int32_t>(op::remainder, 7, 0) == 0);
  CHECK(call<std::uint8_t>(op::floor_divide, 200, 7) == 28);
}

TEST_CASE("Integer powers wrap, negative exponents give the integer part") {
  CHECK(call<std::int32_t>(op::pow, 3, 4) == 81);
  CHECK(call<std::int32_t>(op::pow, -2, 31) == INT32_MIN);
  CHECK(call<std::int32_t>(op::pow, 0, 0) == 1);
  CHECK(call<std::int32_t>(op::pow, 5, -1) == 0);
  CHECK(call<std::int32_t>(op::pow, 1, -7) == 1);
  CHECK(call<std::int32_t>(op::pow, -1, -7) == -1);
  CHECK(call<std::int32_t>(op::pow, 0, -1) == 0);
  CHECK(call<std::uint8_t>(op::pow, 3, 200) == 161);
}

TEST_CASE("Shifts past the width") {
  CHECK(call<std::int8_t>(op::bitwise_left_shift, 1, 7) == -128);
  CHECK(call<std::int8_t>(op::bitwise_left_shift, 1, 8) == 0);
  CHECK(call<std::int8_t>(op::bitwise_left_shift, 1, -1) == 0);
  CHECK(call<std::int8_t>(op::bitwise_right_shift, -5, 100) == -1);
  CHECK(call<std::uint8_t>(op::bitwise_right_shift, 200, 8) == 0);
}

TEST_CASE("floor_divide and remainder of floats are NumPy 1.24's") {
  const double inf = INFINITY, nan = NAN;
  const struct {
    double a, b, quotient, rest;
  } table[] = {
      {7, 2, 3, 1},       {-7, 2, -4, 1},         {7, -2, -4, -1},   {-7, -2, 3, -1},
      {1, 0.1, 9, 0.1 - 5.5511151231257827e-17},  {6, -0.0, -inf, nan}, {0, 0, nan, nan},
      {1, inf, 0, 1},     {-1, inf, -1, inf},     {inf, 2, inf, nan},
      {-0.0, 3, -0.0, 0}, {1e10, 3, 3333333333, 1}, {5e-324, 2, 0, 5e-324},
  };
  for (const auto& row : table) {
    INFO(row.a << " " << row.b);
    const double q = call(op::floor_divide, row.a, row.b), r = call(op::remainder, row.a, row.b);
    CHECK(same(dtype::float64, scalar_of(q), scalar_of(row.quotient)));
    CHECK(same(dtype::float64, scalar_of(r), scalar_of(row.rest)));
  }
}

TEST_CASE("Identities of reductions") {
  CHECK(value_of<float>(ir::identity_of(op::maximum, dtype::float32)) == -INFINITY);
  CHECK(value_of<std::int8_t>(ir::identity_of(op::maximum, dtype::int8)) == -128);
  CHECK(value_of<std::uint16_t>(ir::identity_of(op::minimum, dtype::uint16)) == 65535);
  CHECK(value_of<bool>(ir::identity_of(op::minimum, dtype::bool_)));
  CHECK_FALSE(value_of<bool>(ir::identity_of(op::maximum, dtype::bool_)));
  CHECK(value_of<std::int32_t>(ir::identity_of(op::bitwise_and, dtype::int32)) == -1);
  CHECK(value_of<std::complex<float>>(ir::identity_of(op::multiply, dtype::complex64)) == 1.0f);
}

TEST_CASE("What has no meaning is refused by name") {
  const scalar_value args[3] = {};
  CHECK_THROWS_AS(ir::apply(op::sin, dtype::int32, args), std::invalid_argument);
  CHECK_THROWS_AS(ir::apply(op::less, dtype::complex64, args), std::invalid_argument);
  CHECK_THROWS_AS(ir::apply(op::add, dtype::float16, args), std::invalid_argument);
  CHECK_THROWS_AS(ir::identity_of(op::subtract, dtype::int32), std::invalid_argument);
  CHECK(ir::strip_of(op::cast, dtype::int32) == nullptr);
}

}  // namespace reference_test

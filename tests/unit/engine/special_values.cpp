// Special cases of the elementwise functions on real numbers, as listed by the Python array API
// standard 2024.12: signed zeros, infinities, NaN; float32 and float64, on the tests' device. For
// complex ones see tests/unit/ir/complex_values.cpp.

#include <cmath>
#include <limits>

#include <sinter/sinter.hpp>

#include "engine/nodes/term.hpp"
#include "tests/catch.hpp"

namespace special_values_test {

namespace sn = sinter;
using sn::ir::op;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = 3.141592653589793;

struct unary_row {
  op code;
  double a, result;
};
struct binary_row {
  op code;
  double a, b, result;
};

const unary_row unary_table[] = {
    {op::abs, -0.0, 0}, {op::abs, inf, inf}, {op::abs, -inf, inf}, {op::abs, none, none},
    {op::acos, 1.5, none}, {op::acos, -1.5, none}, {op::acos, 1, 0}, {op::acos, none, none},
    {op::acosh, 0.5, none}, {op::acosh, 1, 0}, {op::acosh, inf, inf}, {op::acosh, none, none},
    {op::asin, 1.5, none}, {op::asin, -1.5, none}, {op::asin, 0, 0}, {op::asin, -0.0, -0.0},
    {op::asinh, 0, 0}, {op::asinh, -0.0, -0.0}, {op::asinh, inf, inf}, {op::asinh, -inf, -inf},
    {op::atan, 0, 0}, {op::atan, -0.0, -0.0}, {op::atan, inf, pi / 2}, {op::atan, -inf, -pi / 2},
    {op::atanh, -1.5, none}, {op::atanh, 1.5, none}, {op::atanh, -1, -inf}, {op::atanh, 1, inf},
    {op::atanh, 0, 0}, {op::atanh, -0.0, -0.0}, {op::atanh, none, none},
    {op::ceil, inf, inf}, {op::ceil, -inf, -inf}, {op::ceil, 0, 0}, {op::ceil, -0.0, -0.0},
    {op::ceil, -0.5, -0.0}, {op::ceil, none, none}, {op::ceil, 2, 2},
    {op::cos, 0, 1}, {op::cos, -0.0, 1}, {op::cos, inf, none}, {op::cos, -inf, none},
    {op::cosh, 0, 1}, {op::cosh, -0.0, 1}, {op::cosh, inf, inf}, {op::cosh, -inf, inf},
    {op::exp, 0, 1}, {op::exp, -0.0, 1}, {op::exp, inf, inf}, {op::exp, -inf, 0},
    {op::exp, none, none},
    {op::expm1, 0, 0}, {op::expm1, -0.0, -0.0}, {op::expm1, inf, inf}, {op::expm1, -inf, -1},
    {op::floor, inf, inf}, {op::floor, -inf, -inf}, {op::floor, 0, 0}, {op::floor, -0.0, -0.0},
    {op::floor, none, none},
    {op::log, none, none}, {op::log, -1, none}, {op::log, 0, -inf}, {op::log, -0.0, -inf},
    {op::log, 1, 0}, {op::log, inf, inf},
    {op::log1p, -2, none}, {op::log1p, -1, -inf}, {op::log1p, 0, 0}, {op::log1p, -0.0, -0.0},
    {op::log1p, inf, inf}, {op::log1p, none, none},
    {op::log2, -1, none}, {op::log2, 0, -inf}, {op::log2, -0.0, -inf}, {op::log2, 1, 0},
    {op::log2, inf, inf}, {op::log10, -1, none}, {op::log10, 0, -inf}, {op::log10, -0.0, -inf},
    {op::log10, 1, 0}, {op::log10, inf, inf},
    {op::reciprocal, 0, inf}, {op::reciprocal, -0.0, -inf}, {op::reciprocal, inf, 0},
    {op::reciprocal, -inf, -0.0}, {op::reciprocal, none, none},
    {op::round, 0.5, 0}, {op::round, 1.5, 2}, {op::round, -0.5, -0.0}, {op::round, -2.5, -2},
    {op::round, inf, inf}, {op::round, -inf, -inf}, {op::round, -0.0, -0.0},
    {op::round, none, none},
    {op::sign, 0, 0}, {op::sign, -0.0, 0}, {op::sign, -3, -1}, {op::sign, inf, 1},
    {op::sign, -inf, -1}, {op::sign, none, none},
    {op::signbit, 0, 0}, {op::signbit, -0.0, 1}, {op::signbit, inf, 0}, {op::signbit, -inf, 1},
    {op::signbit, 2, 0}, {op::signbit, -2, 1},
    {op::sin, 0, 0}, {op::sin, -0.0, -0.0}, {op::sin, inf, none}, {op::sin, -inf, none},
    {op::sinh, 0, 0}, {op::sinh, -0.0, -0.0}, {op::sinh, inf, inf}, {op::sinh, -inf, -inf},
    {op::sqrt, -1, none}, {op::sqrt, 0, 0}, {op::sqrt, -0.0, -0.0}, {op::sqrt, inf, inf},
    {op::square, -inf, inf}, {op::square, none, none}, {op::square, -0.0, 0},
    {op::tan, 0, 0}, {op::tan, -0.0, -0.0}, {op::tan, inf, none}, {op::tan, -inf, none},
    {op::tanh, 0, 0}, {op::tanh, -0.0, -0.0}, {op::tanh, inf, 1}, {op::tanh, -inf, -1},
    {op::trunc, inf, inf}, {op::trunc, -inf, -inf}, {op::trunc, 0, 0}, {op::trunc, -0.0, -0.0},
    {op::trunc, -0.5, -0.0}, {op::trunc, none, none},
    {op::isfinite, inf, 0}, {op::isfinite, none, 0}, {op::isfinite, 1, 1}, {op::isinf, -inf, 1},
    {op::isinf, none, 0}, {op::isnan, none, 1}, {op::isnan, inf, 0},
    {op::negative, 0, -0.0}, {op::negative, inf, -inf}, {op::positive, -0.0, -0.0},
};

const binary_row binary_table[] = {
    {op::add, inf, -inf, none}, {op::add, -inf, inf, none}, {op::add, inf, inf, inf},
    {op::add, -inf, -inf, -inf}, {op::add, inf, 1, inf}, {op::add, 1, -inf, -inf},
    {op::add, -0.0, -0.0, -0.0}, {op::add, -0.0, 0, 0}, {op::add, 0, -0.0, 0},
    {op::add, -0.0, 2, 2}, {op::add, 3, -3, 0}, {op::add, none, 1, none},
    {op::subtract, inf, inf, none}, {op::subtract, 0, 0, 0}, {op::subtract, -0.0, 0, -0.0},
    {op::multiply, inf, 0, none}, {op::multiply, -0.0, inf, none}, {op::multiply, -2, inf, -inf},
    {op::multiply, -0.0, 3, -0.0}, {op::multiply, -0.0, -3, 0},
    {op::atan2, 2, 0, pi / 2}, {op::atan2, 2, -0.0, pi / 2}, {op::atan2, 0, 2, 0},
    {op::atan2, 0, 0, 0}, {op::atan2, 0, -0.0, pi}, {op::atan2, 0, -2, pi},
    {op::atan2, -0.0, 2, -0.0}, {op::atan2, -0.0, 0, -0.0}, {op::atan2, -0.0, -0.0, -pi},
    {op::atan2, -0.0, -2, -pi}, {op::atan2, -2, 0, -pi / 2}, {op::atan2, -2, -0.0, -pi / 2},
    {op::atan2, 2, inf, 0}, {op::atan2, 2, -inf, pi}, {op::atan2, -2, inf, -0.0},
    {op::atan2, -2, -inf, -pi}, {op::atan2, inf, 2, pi / 2}, {op::atan2, -inf, 2, -pi / 2},
    {op::atan2, inf, inf, pi / 4}, {op::atan2, inf, -inf, 3 * pi / 4},
    {op::atan2, -inf, inf, -pi / 4}, {op::atan2, -inf, -inf, -3 * pi / 4},
    {op::atan2, none, 1, none}, {op::atan2, 1, none, none},
    {op::copysign, 3, -0.0, -3}, {op::copysign, -3, 0, 3}, {op::copysign, none, 1, none},
    {op::divide, inf, inf, none}, {op::divide, 0, 0, none}, {op::divide, 0, 2, 0},
    {op::divide, -0.0, 2, -0.0}, {op::divide, 0, -2, -0.0}, {op::divide, -0.0, -2, 0},
    {op::divide, 2, 0, inf}, {op::divide, 2, -0.0, -inf}, {op::divide, -2, 0, -inf},
    {op::divide, -2, -0.0, inf}, {op::divide, inf, 2, inf}, {op::divide, inf, -2, -inf},
    {op::divide, 2, inf, 0}, {op::divide, 2, -inf, -0.0}, {op::divide, -2, inf, -0.0},
    {op::divide, -2, -inf, 0},
    {op::floor_divide, inf, inf, none}, {op::floor_divide, -inf, inf, none},
    {op::floor_divide, 0, 0, none}, {op::floor_divide, 0, 2, 0}, {op::floor_divide, -0.0, 2, -0.0},
    {op::floor_divide, 0, -2, -0.0}, {op::floor_divide, -0.0, -2, 0},
    {op::floor_divide, 2, 0, inf}, {op::floor_divide, 2, -0.0, -inf},
    {op::floor_divide, -2, 0, -inf}, {op::floor_divide, -2, -0.0, inf},
    {op::floor_divide, inf, 2, inf}, {op::floor_divide, inf, -2, -inf},
    {op::floor_divide, -inf, 2, -inf}, {op::floor_divide, -inf, -2, inf},
    {op::floor_divide, 2, inf, 0}, {op::floor_divide, 2, -inf, -1},
    {op::floor_divide, -2, inf, -1}, {op::floor_divide, -2, -inf, 0},
    {op::floor_divide, 7, -2, -4}, {op::floor_divide, none, 2, none},
    {op::remainder, inf, 2, none}, {op::remainder, -inf, 2, none}, {op::remainder, 2, 0, none},
    {op::remainder, 2, -0.0, none}, {op::remainder, 0, 2, 0}, {op::remainder, -0.0, 2, 0},
    {op::remainder, 0, -2, -0.0}, {op::remainder, -0.0, -2, -0.0}, {op::remainder, 2, inf, 2},
    {op::remainder, 2, -inf, -inf}, {op::remainder, -2, inf, inf}, {op::remainder, -2, -inf, -2},
    {op::remainder, -7, 3, 2}, {op::remainder, 7, -3, -2}, {op::remainder, none, 2, none},
    {op::hypot, inf, none, inf}, {op::hypot, none, -inf, inf}, {op::hypot, 0, -3, 3},
    {op::hypot, none, 1, none}, {op::hypot, -0.0, -0.0, 0},
    {op::logaddexp, none, 1, none}, {op::logaddexp, inf, 1, inf}, {op::logaddexp, 1, inf, inf},
    {op::logaddexp, -inf, -inf, -inf}, {op::logaddexp, -inf, 2, 2},
    {op::maximum, none, 1, none}, {op::maximum, 1, none, none}, {op::maximum, -inf, 1, 1},
    {op::minimum, none, 1, none}, {op::minimum, 1, none, none}, {op::minimum, inf, 1, 1},
    {op::nextafter, none, 1, none}, {op::nextafter, 1, none, none}, {op::nextafter, 0, -0.0, -0.0},
    {op::nextafter, inf, inf, inf},
    {op::pow, none, 0, 1}, {op::pow, none, -0.0, 1}, {op::pow, 2, none, none},
    {op::pow, none, 2, none},
    {op::pow, 2, inf, inf}, {op::pow, -2, -inf, 0}, {op::pow, 1, inf, 1}, {op::pow, -1, -inf, 1},
    {op::pow, 0.5, inf, 0}, {op::pow, -0.5, -inf, inf}, {op::pow, inf, 2, inf},
    {op::pow, inf, -2, 0}, {op::pow, -inf, 3, -inf}, {op::pow, -inf, 2, inf},
    {op::pow, -inf, 2.5, inf}, {op::pow, -inf, -3, -0.0}, {op::pow, -inf, -2, 0},
    {op::pow, 0, 2, 0}, {op::pow, 0, -2, inf}, {op::pow, -0.0, 3, -0.0}, {op::pow, -0.0, 2, 0},
    {op::pow, -0.0, -3, -inf}, {op::pow, -0.0, -2, inf}, {op::pow, -2, 0.5, none},
    {op::equal, none, none, 0}, {op::not_equal, none, none, 1}, {op::equal, -0.0, 0, 1},
    {op::less, none, 1, 0}, {op::greater_equal, none, none, 0}, {op::less, -0.0, 0, 0},
};

bool matches(double got, double want, sn::dtype type) {
  if (std::isnan(want)) return std::isnan(got);
  if (want == 0 || std::isinf(want)) return got == want && std::signbit(got) == std::signbit(want);
  const double epsilon = type == sn::dtype::float32 ? 4e-7 : 1e-15;
  return std::abs(got - want) <= epsilon * std::abs(want);
}

template <class Row, class Run>
void check(std::span<const Row> rows, sn::dtype type, const Run& run) {
  for (const Row& r : rows) {
    const double got = sn::array<double>(sn::astype(run(r), sn::dtype::float64)).item();
    INFO(sn::ir::name(r.code) << " on " << sn::name(type) << " gives " << got << ", not "
                              << r.result);
    CHECK(matches(got, r.result, type));
  }
}

/// A value in memory, unknown before the kernel runs.
sn::detail::term stored(double value, sn::dtype type) {
  const sn::array<double> x({value});
  const sn::any_array cast = sn::astype(x, type);
  sn::detail::evaluate_all(&cast, 1, {});
  return {cast, {}};
}

}  // namespace

TEST_CASE("elementwise functions have the standard's special values") {
  for (sn::dtype type : {sn::dtype::float32, sn::dtype::float64}) {
    check<unary_row>(unary_table, type, [&](const unary_row& r) {
      return sn::detail::apply(r.code, {stored(r.a, type)}).x;
    });
    check<binary_row>(binary_table, type, [&](const binary_row& r) {
      INFO(r.a << ", " << r.b);
      return sn::detail::apply(r.code, {stored(r.a, type), stored(r.b, type)}).x;
    });
  }
}

TEST_CASE("a constant exponent has the special values of one that is not known") {
  for (sn::dtype type : {sn::dtype::float32, sn::dtype::float64}) {
    std::vector<binary_row> powers;
    for (const binary_row& r : binary_table) {
      if (r.code == op::pow) powers.push_back(r);
    }
    for (double b : {0.5, -1.0, 1.0, 2.0, 3.0, 4.0, 5.0, -2.0, -0.5, 1.5}) {
      for (double a : {-inf, -4.0, -0.0, 0.0, 4.0, inf, none}) {
        powers.push_back({op::pow, a, b, std::pow(a, b)});
      }
    }
    check<binary_row>(powers, type, [&](const binary_row& r) {
      return sn::detail::apply(r.code, {stored(r.a, type), sn::detail::number(r.b, type, {})}).x;
    });
  }
}

TEST_CASE("a scalar's node decides what a power is, as the statement's own scalar does") {
  const sn::array<float> x = {2, 3};
  const sn::array<float> cube = sn::pow(x, sn::asarray(3.f));
  const sn::array<float> root = sn::pow(x * x, sn::asarray(0.5f));
  CHECK(cube.to_host() == std::vector<float>{8, 27});
  CHECK(root.to_host() == std::vector<float>{2, 3});
  CHECK(sn::pow(x, sn::asarray(0.5f)).to_host()[0] == std::sqrt(2.f));
}

TEST_CASE("a divisor that is a power of two gives what one gives that is not known") {
  const auto same = [](auto of) {
    using T = decltype(of);
    std::vector<T> all;
    for (int k = -40; k <= 40; ++k) all.push_back(static_cast<T>(k));
    all.push_back(std::numeric_limits<T>::min());
    all.push_back(std::numeric_limits<T>::max());
    const sn::array<T> a = sn::asarray(all);
    for (const T b : {T(1), T(2), T(8), T(64)}) {
      const sn::array<T> unknown = sn::full<T>({a.size()}, b);
      sn::eval(unknown);
      CHECK(sn::array<T>(a % b).to_host() == sn::array<T>(a % unknown).to_host());
      CHECK(sn::array<T>(sn::floor_divide(a, b)).to_host() ==
            sn::array<T>(sn::floor_divide(a, unknown)).to_host());
    }
  };
  same(std::int8_t{}), same(std::int16_t{}), same(std::int32_t{}), same(std::int64_t{});
  same(std::uint8_t{}), same(std::uint16_t{}), same(std::uint32_t{}), same(std::uint64_t{});
}

TEST_CASE("a shift by a number gives what one gives that is not known") {
  const auto same = [](auto of) {
    using T = decltype(of);
    const sn::array<T> a = {T(0), T(1), T(-1), T(77), std::numeric_limits<T>::min(),
                            std::numeric_limits<T>::max()};
    for (const int amount : {0, 3, 7, 8, 15, 31, 32, 63, 64, 100, -1}) {
      const T b = static_cast<T>(amount);
      const sn::array<T> unknown = sn::full<T>({a.size()}, b);
      sn::eval(unknown);
      INFO(amount);
      CHECK(sn::array<T>(a << b).to_host() == sn::array<T>(a << unknown).to_host());
      CHECK(sn::array<T>(a >> b).to_host() == sn::array<T>(a >> unknown).to_host());
    }
  };
  same(std::int8_t{}), same(std::int16_t{}), same(std::int32_t{}), same(std::int64_t{});
  same(std::uint8_t{}), same(std::uint16_t{}), same(std::uint32_t{}), same(std::uint64_t{});
}

TEST_CASE("integer division and remainder follow Python's signs; by zero they are 0") {
  const sn::array<int> a = {7, -7, 7, -7, 5}, b = {3, 3, -3, -3, 0};
  CHECK(sn::floor_divide(a, b).to_host() == std::vector<int>{2, -3, -3, 2, 0});
  CHECK((a % b).to_host() == std::vector<int>{1, 2, -2, -1, 0});
}

}  // namespace special_values_test

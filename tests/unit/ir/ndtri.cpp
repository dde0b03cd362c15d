// The inverse normal distribution against values computed with 240 bits (mpmath).
#include <cmath>
#include <limits>

#include "ir/reference.hpp"
#include "tests/catch.hpp"

namespace ndtri_test {

using namespace sinter;
using namespace sinter::ir;

namespace {

struct point {
  double p, x;
};

constexpr point table[] = {
    {5e-324, -38.467405617144346251},
    {1e-300, -37.047096299361199237},
    {1e-100, -21.273453560965324294},
    {1e-20, -9.2623400897984075796},
    {1e-10, -6.3613409024040561991},
    {1e-05, -4.2648907939228246102},
    {0.001, -3.0902323061678135354},
    {0.01, -2.3263478740408410931},
    {0.05, -1.644853626951472688},
    {0.075, -1.4395314709384559349},
    {0.1, -1.2815515655446004353},
    {0.25, -0.6744897501960817432},
    {0.4, -0.25334710313579974132},
    {0.49, -0.025068908258711058033},
    {0.499999, -2.5066282745665593779e-6},
    {0.5, 0},
    {0.6, 0.25334710313579974132},
    {0.75, 0.6744897501960817432},
    {0.9, 1.2815515655446005935},
    {0.925, 1.4395314709384562291},
    {0.95, 1.6448536269514722843},
    {0.975, 1.9599639845400538556},
    {0.99, 2.3263478740408407676},
    {0.999, 3.0902323061678132778},
    {0.9999999, 5.1993375822906610937},
    {0.9999999999999999, 8.2095361516013868556},
};

template <class T>
T call(op code, T a) {
  const scalar_value v = scalar_of(a);
  return value_of<T>(apply(code, dtype_of<T>, &v));
}

}  // namespace

TEST_CASE("ndtri of doubles is right to a few ulp") {
  for (const point& p : table) {
    INFO(p.p);
    CHECK(std::abs(call(op::ndtri, p.p) - p.x) <= 1e-15 * std::abs(p.x));
  }
}

TEST_CASE("ndtri of floats is right to a few ulp") {
  for (const point& p : table) {
    // Only where a float represents the probability much more accurately than the bound.
    const auto f = static_cast<float>(p.p);
    if (f == 0 || f == 1 || std::abs(f - p.p) > 1e-9 * std::min(p.p, 1 - p.p)) continue;
    INFO(p.p);
    CHECK(std::abs(call(op::ndtri, f) - p.x) <= 6e-7 * std::abs(p.x));
  }
  CHECK(call(op::ndtri, 0x1p-149f) == Approx(-14.1212).epsilon(1e-4));
}

TEST_CASE("ndtri is odd around one half, infinite at the ends, NaN outside") {
  for (double p : {0.0625, 0.25, 0.125, 0.4375}) {
    CHECK(call(op::ndtri, p) == -call(op::ndtri, 1 - p));
    CHECK(call(op::ndtri, static_cast<float>(p)) == -call(op::ndtri, static_cast<float>(1 - p)));
  }
  CHECK(call(op::ndtri, 0.0) == -INFINITY);
  CHECK(call(op::ndtri, 1.0) == INFINITY);
  CHECK(call(op::ndtri, 0.0f) == -INFINITY);
  CHECK(call(op::ndtri, 1.0f) == INFINITY);
  for (double p : {-0.1, 1.1, double(INFINITY), -double(INFINITY), double(NAN)}) {
    CHECK(std::isnan(call(op::ndtri, p)));
    CHECK(std::isnan(call(op::ndtri, static_cast<float>(p))));
  }
}

TEST_CASE("erfinv and erfcinv are the inverses of erf and erfc to a few ulp") {
  // The effect of an error of y on erf(y), whose slope is 2 / sqrt(pi) exp(-y^2).
  const auto check = [](op code, auto x, long double relative) {
    const long double y = call(code, x), slope = 1.12837916709551257390L * std::exp(-y * y);
    const long double back = code == op::erfinv ? std::erf(y) : std::erfc(y);
    INFO(name(code) << " " << double(x));
    CHECK(std::abs(back - x) <= relative * std::abs(y) * slope);
  };
  for (double x = 1e-300; x < 1; x = x < 0.01 ? x * 37 : x + 0.0139) {
    for (double signed_x : {x, -x}) {
      check(op::erfinv, signed_x, 2e-15L);
      if (x > 1e-30) check(op::erfinv, static_cast<float>(signed_x), 6e-7L);
    }
    check(op::erfcinv, x, 2e-15L);
    check(op::erfcinv, 2 - std::max(x, 0.01), 2e-15L);
    if (x > 1e-30) check(op::erfcinv, static_cast<float>(x), 6e-7L);
  }
  check(op::erfinv, 1 - 0x1p-53, 2e-15L);
  check(op::erfinv, 1 - 0x1p-24f, 6e-7L);
}

TEST_CASE("erfinv and erfcinv are infinite at the ends, NaN outside, and zero in the middle") {
  CHECK(call(op::erfinv, 1.0) == INFINITY);
  CHECK(call(op::erfinv, -1.0f) == -INFINITY);
  CHECK(call(op::erfcinv, 0.0f) == INFINITY);
  CHECK(call(op::erfcinv, 2.0) == -INFINITY);
  CHECK(call(op::erfinv, 0.0) == 0);
  CHECK(std::signbit(call(op::erfinv, -0.0f)));
  CHECK(call(op::erfcinv, 1.0) == 0);
  for (double x : {-1.1, 1.1, double(INFINITY), double(NAN)}) {
    CHECK(std::isnan(call(op::erfinv, x)));
    CHECK(std::isnan(call(op::erfcinv, static_cast<float>(x + 1))));
  }
}

TEST_CASE("The portable logarithm is right to an ulp") {
  const auto check = [](double x) {
    const long double want = std::log(static_cast<long double>(x));
    const double got = call(op::portable_log, x);
    const long double ulp = std::abs(std::nextafter(got, INFINITY) - got);
    INFO(x);
    CHECK(std::abs(got - want) <= 1.1L * ulp);
    const auto f = static_cast<float>(x);
    if (f == 0 || std::isinf(f)) return;
    const float got_f = call(op::portable_log, f);
    const double ulp_f = std::abs(std::nextafter(got_f, INFINITY) - got_f);
    CHECK(std::abs(got_f - std::log(static_cast<double>(f))) <= 1.1 * ulp_f);
  };
  double x = 5e-324;
  while (x < 1e-300) check(x *= 3);
  for (x = 1e-300; x < 1e300; x *= 1.7) check(x);
  for (x = 0.5; x < 2; x += 0.001) check(x);
  CHECK(call(op::portable_log, 0.0) == -INFINITY);
  CHECK(call(op::portable_log, double(INFINITY)) == INFINITY);
  CHECK(std::isnan(call(op::portable_log, -1.0)));
  CHECK(std::isnan(call(op::portable_log, double(NAN))));
}

TEST_CASE("The portable exponential is right to an ulp") {
  const auto check = [](double x) {
    const long double want = std::exp(static_cast<long double>(x));
    const double got = call(op::portable_exp, x);
    const long double ulp = std::abs(std::nextafter(got, INFINITY) - got);
    INFO(x);
    CHECK(std::abs(got - want) <= 1.1L * ulp);
    const auto f = static_cast<float>(x);
    if (f > 88 || f < -103) return;
    const float got_f = call(op::portable_exp, f);
    const double ulp_f = std::abs(std::nextafter(got_f, INFINITY) - got_f);
    CHECK(std::abs(got_f - std::exp(static_cast<double>(f))) <= 1.1 * ulp_f);
  };
  for (double x = -745; x < 709.7; x += 0.37) check(x);
  for (double x = -1.5; x < 1.5; x += 0.0007) check(x);
  CHECK(call(op::portable_exp, 0.0) == 1);
  CHECK(call(op::portable_exp, 0.0f) == 1);
  for (double x : {710.0, 2000.0, double(INFINITY)}) {
    CHECK(call(op::portable_exp, x) == INFINITY);
    CHECK(call(op::portable_exp, static_cast<float>(x)) == INFINITY);
    CHECK(call(op::portable_exp, -1.2 * x) == 0);
    CHECK(call(op::portable_exp, static_cast<float>(-x)) == 0);
  }
  CHECK(std::isnan(call(op::portable_exp, double(NAN))));
  CHECK(std::isnan(call(op::portable_exp, NAN)));
}

TEST_CASE("ndtr is right to a few ulp, in the lower tail too") {
  for (double x = -38.4; x < 9; x += 0.0137) {
    const long double want = std::erfc(-static_cast<long double>(x) / std::sqrt(2.0L)) / 2;
    INFO(x);
    CHECK(std::abs(call(op::ndtr, x) - want) <= 4e-15L * want + 0x1p-1074L);
    const auto f = static_cast<float>(x);
    const long double want_f = std::erfc(-static_cast<long double>(f) / std::sqrt(2.0L)) / 2;
    CHECK(std::abs(call(op::ndtr, f) - want_f) <= 2e-6L * want_f + 0x1p-149L);
  }
  CHECK(call(op::ndtr, 0.0) == 0.5);
  CHECK(call(op::ndtr, double(INFINITY)) == 1);
  CHECK(call(op::ndtr, -double(INFINITY)) == 0);
  CHECK(call(op::ndtr, float(INFINITY)) == 1);
  CHECK(std::isnan(call(op::ndtr, double(NAN))));
}

}  // namespace ndtri_test

// Special values of complex functions, as listed by the Python array API standard (2024.12).
#include <cmath>
#include <complex>

#include "ir/formula.hpp"
#include "ir/reference.hpp"
#include "tests/catch.hpp"
#include "values.hpp"

namespace complex_values_test {

using namespace ir_tests;
using ir::op;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = 3.141592653589793, half_pi = 1.5707963267948966;

struct complex_pair {
  double re, im;
};

/// `any_sign`: the standard leaves the signs of zeros and infinities of that part unspecified.
struct special {
  op code;
  complex_pair argument, result;
  bool any_re = false, any_im = false;
};

const special table[] = {
    {op::exp, {0, 0}, {1, 0}},
    {op::exp, {3, inf}, {none, none}},
    {op::exp, {3, none}, {none, none}},
    {op::exp, {inf, 0}, {inf, 0}},
    {op::exp, {-inf, 1}, {0, 0}},
    {op::exp, {inf, 1}, {inf, inf}},
    {op::exp, {-inf, inf}, {0, 0}, true, true},
    {op::exp, {inf, inf}, {inf, none}, true},
    {op::exp, {-inf, none}, {0, 0}, true, true},
    {op::exp, {inf, none}, {inf, none}, true},
    {op::exp, {none, 0}, {none, 0}},
    {op::exp, {none, 1}, {none, none}},
    {op::exp, {none, none}, {none, none}},
    {op::log, {-0.0, 0}, {-inf, 3.141592653589793}},
    {op::log, {0, 0}, {-inf, 0}},
    {op::log, {2, inf}, {inf, 1.5707963267948966}},
    {op::log, {2, none}, {none, none}},
    {op::log, {-inf, 1}, {inf, 3.141592653589793}},
    {op::log, {inf, 1}, {inf, 0}},
    {op::log, {-inf, inf}, {inf, 2.356194490192345}},
    {op::log, {inf, inf}, {inf, 0.7853981633974483}},
    {op::log, {inf, none}, {inf, none}},
    {op::log, {none, 1}, {none, none}},
    {op::log, {none, inf}, {inf, none}},
    {op::log, {none, none}, {none, none}},
    {op::sqrt, {0, 0}, {0, 0}},
    {op::sqrt, {-0.0, 0}, {0, 0}},
    {op::sqrt, {-0.0, -0.0}, {0, -0.0}},
    {op::sqrt, {5, inf}, {inf, inf}},
    {op::sqrt, {none, inf}, {inf, inf}},
    {op::sqrt, {5, none}, {none, none}},
    {op::sqrt, {-inf, 1}, {0, inf}},
    {op::sqrt, {inf, 1}, {inf, 0}},
    {op::sqrt, {-inf, none}, {none, inf}, false, true},
    {op::sqrt, {inf, none}, {inf, none}},
    {op::sqrt, {none, 1}, {none, none}},
    {op::sinh, {0, 0}, {0, 0}},
    {op::sinh, {0, inf}, {0, none}, true},
    {op::sinh, {0, none}, {0, none}, true},
    {op::sinh, {2, inf}, {none, none}},
    {op::sinh, {2, none}, {none, none}},
    {op::sinh, {inf, 0}, {inf, 0}},
    {op::sinh, {inf, 1}, {inf, inf}},
    {op::sinh, {inf, inf}, {inf, none}, true},
    {op::sinh, {inf, none}, {inf, none}, true},
    {op::sinh, {none, 0}, {none, 0}},
    {op::sinh, {none, 1}, {none, none}},
    {op::cosh, {0, 0}, {1, 0}},
    {op::cosh, {0, inf}, {none, 0}, false, true},
    {op::cosh, {0, none}, {none, 0}, false, true},
    {op::cosh, {2, inf}, {none, none}},
    {op::cosh, {inf, 0}, {inf, 0}},
    {op::cosh, {inf, 1}, {inf, inf}},
    {op::cosh, {inf, inf}, {inf, none}},
    {op::cosh, {inf, none}, {inf, none}},
    {op::cosh, {none, 0}, {none, 0}, false, true},
    {op::cosh, {none, 1}, {none, none}},
    {op::tanh, {0, 0}, {0, 0}},
    {op::tanh, {2, inf}, {none, none}},
    {op::tanh, {0, inf}, {0, none}},
    {op::tanh, {0, none}, {0, none}},
    {op::tanh, {30, none}, {none, none}},
    {op::tanh, {inf, 1}, {1, 0}},
    {op::tanh, {inf, inf}, {1, 0}, false, true},
    {op::tanh, {inf, none}, {1, 0}, false, true},
    {op::tanh, {none, 0}, {none, 0}},
    {op::tanh, {none, 1}, {none, none}},
    {op::acos, {0, 0}, {half_pi, -0.0}},
    {op::acos, {-0.0, 0}, {half_pi, -0.0}},
    {op::acos, {0, none}, {half_pi, none}},
    {op::acos, {2, inf}, {half_pi, -inf}},
    {op::acos, {2, none}, {none, none}},
    {op::acos, {-inf, 1}, {pi, -inf}},
    {op::acos, {inf, 1}, {0, -inf}},
    {op::acos, {-inf, inf}, {3 * pi / 4, -inf}},
    {op::acos, {inf, inf}, {pi / 4, -inf}},
    {op::acos, {inf, none}, {none, inf}, false, true},
    {op::acos, {-inf, none}, {none, inf}, false, true},
    {op::acos, {none, 1}, {none, none}},
    {op::acos, {none, inf}, {none, -inf}},
    {op::acos, {none, none}, {none, none}},
    {op::acos, {1, 0}, {0, -0.0}},
    {op::acosh, {0, 0}, {0, half_pi}},
    {op::acosh, {-0.0, 0}, {0, half_pi}},
    {op::acosh, {2, inf}, {inf, half_pi}},
    {op::acosh, {2, none}, {none, none}},
    {op::acosh, {0, none}, {none, half_pi}, false, true},
    {op::acosh, {-inf, 1}, {inf, pi}},
    {op::acosh, {inf, 1}, {inf, 0}},
    {op::acosh, {-inf, inf}, {inf, 3 * pi / 4}},
    {op::acosh, {inf, inf}, {inf, pi / 4}},
    {op::acosh, {inf, none}, {inf, none}},
    {op::acosh, {-inf, none}, {inf, none}},
    {op::acosh, {none, 1}, {none, none}},
    {op::acosh, {none, inf}, {inf, none}},
    {op::acosh, {none, none}, {none, none}},
    {op::asinh, {0, 0}, {0, 0}},
    {op::asinh, {2, inf}, {inf, half_pi}},
    {op::asinh, {2, none}, {none, none}},
    {op::asinh, {inf, 1}, {inf, 0}},
    {op::asinh, {inf, inf}, {inf, pi / 4}},
    {op::asinh, {inf, none}, {inf, none}},
    {op::asinh, {none, 0}, {none, 0}},
    {op::asinh, {none, 1}, {none, none}},
    {op::asinh, {none, inf}, {inf, none}, true},
    {op::asinh, {none, none}, {none, none}},
    {op::atanh, {0, 0}, {0, 0}},
    {op::atanh, {0, none}, {0, none}},
    {op::atanh, {1, 0}, {inf, 0}},
    {op::atanh, {2, inf}, {0, half_pi}},
    {op::atanh, {2, none}, {none, none}},
    {op::atanh, {inf, 1}, {0, half_pi}},
    {op::atanh, {inf, inf}, {0, half_pi}},
    {op::atanh, {inf, none}, {0, none}},
    {op::atanh, {none, 1}, {none, none}},
    {op::atanh, {none, inf}, {0, half_pi}, true},
    {op::atanh, {none, none}, {none, none}},
    {op::expm1, {0, 0}, {0, 0}},
    {op::expm1, {-0.0, 0}, {0, 0}, true},
    {op::expm1, {2, inf}, {none, none}},
    {op::expm1, {2, none}, {none, none}},
    {op::expm1, {inf, 0}, {inf, 0}},
    {op::expm1, {-inf, 1}, {-1, 0}},
    {op::expm1, {inf, 1}, {inf, inf}},
    {op::expm1, {-inf, inf}, {-1, 0}, false, true},
    {op::expm1, {inf, inf}, {inf, none}, true},
    {op::expm1, {-inf, none}, {-1, 0}, false, true},
    {op::expm1, {inf, none}, {inf, none}, true},
    {op::expm1, {none, 0}, {none, 0}},
    {op::expm1, {none, 1}, {none, none}},
    {op::expm1, {none, none}, {none, none}},
    {op::log1p, {-1, 0}, {-inf, 0}},
    {op::log1p, {2, inf}, {inf, half_pi}},
    {op::log1p, {2, none}, {none, none}},
    {op::log1p, {-inf, 1}, {inf, pi}},
    {op::log1p, {inf, 1}, {inf, 0}},
    {op::log1p, {-inf, inf}, {inf, 3 * pi / 4}},
    {op::log1p, {inf, inf}, {inf, pi / 4}},
    {op::log1p, {inf, none}, {inf, none}},
    {op::log1p, {-inf, none}, {inf, none}},
    {op::log1p, {none, 1}, {none, none}},
    {op::log1p, {none, inf}, {inf, none}},
    {op::log1p, {none, none}, {none, none}},
};

/// The parts of an op on one or two complex operands, by its formula.
std::complex<double> by_formula(op code, complex_pair z, complex_pair w = {}) {
  std::vector<ir::inst> body;
  std::vector<std::int32_t> parts;
  for (double part : {z.re, z.im, w.re, w.im}) {
    parts.push_back(ir::emit_constant(body, dtype::float64, scalar_of(part).bits[0]));
  }
  const std::int32_t* const args = parts.data();
  const auto [re, im] = ir::emit_complex(body, code, dtype::complex128, args);
  std::vector<scalar_value> values(body.size());
  for (std::size_t k = 0; k < body.size(); ++k) {
    const ir::inst& i = body[k];
    scalar_value in[3];
    for (int a = 0; a < 3; ++a) {
      if (i.args[a] >= 0) in[a] = values[static_cast<std::size_t>(i.args[a])];
    }
    if (i.kind == ir::inst_kind::constant) values[k].bits[0] = i.bits;
    else if (i.code == op::bitcast) values[k] = in[0];
    else values[k] = ir::apply(i.code, i.type, in);
  }
  return {value_of<double>(values[static_cast<std::size_t>(re)]),
          value_of<double>(values[static_cast<std::size_t>(im)])};
}

bool matches(double got, double want, bool any_sign) {
  if (std::isnan(want)) return std::isnan(got);
  if (any_sign) return std::abs(got) == std::abs(want);
  if (want == 0 || std::isinf(want)) return got == want && std::signbit(got) == std::signbit(want);
  return std::abs(got - want) <= 1e-15 * std::abs(want);
}

}  // namespace

TEST_CASE("Complex functions have the standard's special values, conjugates included") {
  for (const special& s : table) {
    for (double sign : {1.0, -1.0}) {
      const std::complex<double> got = by_formula(s.code, {s.argument.re, sign * s.argument.im});
      const double im = sign * s.argument.im;
      INFO(ir::name(s.code) << " of " << s.argument.re << " " << im << ": " << got);
      CHECK(matches(got.real(), s.result.re, s.any_re));
      CHECK(matches(got.imag(), sign * s.result.im, s.any_im));
    }
  }
}

TEST_CASE("sin, cos and tan follow sinh, cosh and tanh of the rotated argument") {
  for (double re : {0.0, -0.0, 0.5, -2.0, inf, -inf, none}) {
    for (double im : {0.0, -0.0, 0.5, -2.0, 30.0, inf, -inf, none}) {
      INFO(re << " " << im);
      const auto s = by_formula(op::sin, {re, im}), sh = by_formula(op::sinh, {-im, re});
      CHECK(matches(s.real(), sh.imag(), true));
      CHECK(matches(s.imag(), -sh.real(), true));
      const auto c = by_formula(op::cos, {re, im}), ch = by_formula(op::cosh, {-im, re});
      CHECK(matches(c.real(), ch.real(), true));
      CHECK(matches(c.imag(), ch.imag(), true));
      const auto t = by_formula(op::tan, {re, im}), th = by_formula(op::tanh, {-im, re});
      CHECK(matches(t.real(), th.imag(), true));
      CHECK(matches(t.imag(), -th.real(), true));
    }
  }
}

TEST_CASE("Complex roots, logarithms and exponentials survive huge and tiny parts") {
  const double big = std::numeric_limits<double>::max(), tiny = 5e-324;
  const complex_pair extremes[] = {{big, big},         {big, 1},  {-big, big},      {tiny, tiny},
                                   {-tiny, 3 * tiny}, {tiny, 0}, {1e-310, -1e-311}};
  for (complex_pair z : extremes) {
    const std::complex<double> x(z.re, z.im);
    INFO(x);
    const auto root = by_formula(op::sqrt, z);
    CHECK(std::abs(root - std::sqrt(x)) <= 1e-15 * std::abs(std::sqrt(x)));
    const auto log = by_formula(op::log, z);
    CHECK(std::abs(log - std::log(x)) <= 1e-15 * std::abs(std::log(x)));
  }
  for (double im : {tiny, -3 * tiny, 1e-310, 1e-200, 1e-20, 1e-18}) {
    const double got = by_formula(op::log1p, {-1, im}).real(), exact = std::log(std::abs(im));
    INFO("log1p of -1 + " << im << " i");
    CHECK(std::abs(got - exact) <= 1e-15 * std::abs(exact));
  }
  const auto e = by_formula(op::exp, {710, 1.570796});
  CHECK(std::abs(e.real() - 7.3e301) < 1e300);
  CHECK(std::isinf(e.imag()));
}

TEST_CASE("A complex power is right where the modulus of its base overflows or is subnormal") {
  const double big = std::numeric_limits<double>::max(), tiny = 5e-324;
  for (complex_pair z : {complex_pair{-big, big}, complex_pair{-big, -1}, complex_pair{1, big},
                         complex_pair{tiny, -tiny}, complex_pair{-1e-310, 1e-320}}) {
    for (complex_pair w : {complex_pair{1, 1}, complex_pair{0.5, 2}, complex_pair{-1, 0.25}}) {
      const std::complex<long double> base(z.re, z.im), exponent(w.re, w.im);
      const auto exact = std::pow(base, exponent);
      const auto got = by_formula(op::pow, z, w);
      INFO(base << " to the power " << exponent << ": " << got << " not " << exact);
      if (std::abs(exact) > big) continue;
      CHECK(std::abs(std::complex<long double>(got) - exact) <= 1e-12L * std::abs(exact) + tiny);
    }
  }
}

TEST_CASE("asin and atan follow asinh and atanh of the rotated argument") {
  for (double re : {0.0, -0.0, 0.5, 1.0, -2.0, inf, -inf, none}) {
    for (double im : {0.0, -0.0, 0.5, -1.0, -2.0, 30.0, inf, -inf, none}) {
      INFO(re << " " << im);
      const auto s = by_formula(op::asin, {re, im}), sh = by_formula(op::asinh, {-im, re});
      CHECK(matches(s.real(), sh.imag(), true));
      CHECK(matches(s.imag(), -sh.real(), true));
      const auto t = by_formula(op::atan, {re, im}), th = by_formula(op::atanh, {-im, re});
      CHECK(matches(t.real(), th.imag(), true));
      CHECK(matches(t.imag(), -th.real(), true));
    }
  }
}

TEST_CASE("Inverse functions are accurate near their branch points, near 0 and near overflow") {
  using wide = std::complex<long double>;
  struct function {
    op code;
    wide (*exact)(const wide&);
  };
  const function functions[] = {
      {op::asin, [](const wide& z) { return std::asin(z); }},
      {op::acos, [](const wide& z) { return std::acos(z); }},
      {op::atan, [](const wide& z) { return std::atan(z); }},
      {op::asinh, [](const wide& z) { return std::asinh(z); }},
      {op::acosh, [](const wide& z) { return std::acosh(z); }},
      {op::atanh, [](const wide& z) { return std::atanh(z); }},
  };
  const double values[] = {0,     -0.0, 1e-300, -1e-200, 1e-16, 0.3, 1 - 1e-15, 1,    1 + 1e-15,
                           -1, 1.5,  -7,     1e8,     1e-8,  1e20, -1e200,    1e307, 1.7e308};
  for (const function& f : functions) {
    for (double re : values) {
      for (double im : values) {
        const wide exact = f.exact({re, im});
        const auto got = by_formula(f.code, {re, im});
        INFO(ir::name(f.code) << " of " << re << " " << im << ": " << got << " not " << exact);
        for (auto [g, e] : {std::pair(got.real(), exact.real()), {got.imag(), exact.imag()}}) {
          if (std::isinf(e)) CHECK(std::isinf(g));
          else CHECK(std::abs(g - e) <= 4e-15L * std::abs(e) + 1e-320L);
          if (e == 0) CHECK(std::signbit(g) == std::signbit(e));
        }
      }
    }
  }
}

TEST_CASE("log1p is accurate on the circle where the logarithm is 0") {
  for (double angle : {1e-9, 0.1, 1.0, 2.0, 3.0, 3.1415}) {
    const std::complex<double> z(std::cos(angle) - 1, std::sin(angle));
    const std::complex<long double> w(1.0L + z.real(), z.imag());
    const long double exact = 0.5L * std::log1p(std::norm(w) - 1.0L);
    const auto got = by_formula(op::log1p, {z.real(), z.imag()});
    INFO(angle << ": " << got);
    CHECK(std::abs(got.real() - exact) <= 1e-18L + 1e-15L * std::abs(exact));
  }
}

TEST_CASE("Complex division by zero is NumPy's") {
  const auto divide = [](std::complex<double> a, std::complex<double> b) {
    const scalar_value args[] = {scalar_of(a), scalar_of(b)};
    return value_of<std::complex<double>>(ir::apply(op::divide, dtype::complex128, args));
  };
  const std::complex<double> z = divide({1, 0}, {-0.0, 0});
  CHECK(z.real() == inf);
  CHECK(std::isnan(z.imag()));
}

}  // namespace complex_values_test

// The cost per element of mathematical functions: arrays of 100,000 (in cache), one statement each.
// Set SINTER_THREADS=1 and pin a processor (taskset) to compare generated code.
//
//   functions [--device cpu|cuda] [--json FILE] [--quick]
//
// functions_peers.py measures the same for NumPy and JAX.

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "bench/support/bench.hpp"

namespace sn = sinter;

namespace {

constexpr std::int64_t length = 100000;

struct named {
  std::string name;
  std::function<void()> call;
};

/// Numbers around 0, above 1, over several turns, and in (0, 1).
template <class T> struct operands {
  sn::array<T> normal, above, angle, part;

  operands()
      : normal(sn::random::normal<T>({length}, {.seed = 1})),
        above(sn::abs(normal) + T(1.01)),
        angle(normal * T(10)),
        part(sn::random::uniform<T>({length}, {.seed = 2}) * T(0.9) + T(0.05)) {
    sn::eval(normal, above, angle, part);
  }
};

template <class T, class F> named one(const char* name, const sn::array<T>& x, F f) {
  return {name, [=] { sn::eval(sn::array<T>(f(x))); }};
}

template <class T> std::vector<named> all() {
  const operands<T> o;
  const sn::array<T> x = o.normal, y = o.above;
  return {
      one("exp", o.normal, [](const auto& a) { return sn::exp(a); }),
      one("exp2", o.normal, [](const auto& a) { return sn::exp2(a); }),
      one("expm1", o.normal, [](const auto& a) { return sn::expm1(a); }),
      one("sinh", o.normal, [](const auto& a) { return sn::sinh(a); }),
      one("cosh", o.normal, [](const auto& a) { return sn::cosh(a); }),
      one("tanh", o.normal, [](const auto& a) { return sn::tanh(a); }),
      one("arcsinh", o.normal, [](const auto& a) { return sn::arcsinh(a); }),
      one("cbrt", o.normal, [](const auto& a) { return sn::cbrt(a); }),
      one("erf", o.normal, [](const auto& a) { return sn::erf(a); }),
      one("erfc", o.normal, [](const auto& a) { return sn::erfc(a); }),
      one("log", o.above, [](const auto& a) { return sn::log(a); }),
      one("log2", o.above, [](const auto& a) { return sn::log2(a); }),
      one("log10", o.above, [](const auto& a) { return sn::log10(a); }),
      one("log1p", o.above, [](const auto& a) { return sn::log1p(a); }),
      one("arccosh", o.above, [](const auto& a) { return sn::arccosh(a); }),
      one("sqrt", o.above, [](const auto& a) { return sn::sqrt(a); }),
      one("lgamma", o.above, [](const auto& a) { return sn::lgamma(a); }),
      one("sin", o.angle, [](const auto& a) { return sn::sin(a); }),
      one("cos", o.angle, [](const auto& a) { return sn::cos(a); }),
      one("tan", o.angle, [](const auto& a) { return sn::tan(a); }),
      one("arctan", o.angle, [](const auto& a) { return sn::arctan(a); }),
      one("arcsin", o.part, [](const auto& a) { return sn::arcsin(a); }),
      one("arccos", o.part, [](const auto& a) { return sn::arccos(a); }),
      one("arctanh", o.part, [](const auto& a) { return sn::arctanh(a); }),
      one("power", y, [=](const auto& a) { return sn::pow(a, x); }),
      one("arctan2", x, [=](const auto& a) { return sn::arctan2(a, y); }),
      one("hypot", x, [=](const auto& a) { return sn::hypot(a, y); }),
      one("logaddexp", x, [=](const auto& a) { return sn::logaddexp(a, y); }),
  };
}

template <class T>
void measure(const bench::options& o, bench::report& report, const std::string& type) {
  for (const named& f : all<T>()) {
    const double seconds = bench::seconds_of({f.call}, o.quick ? 0.01 : 0.2)[0];
    const double each = seconds / static_cast<double>(length) * 1e9;
    std::printf("| %s | %s | %.2f |\n", f.name.c_str(), type.c_str(), each);
    report.add(bench::record("functions")
                   .text("name", f.name).text("type", type).number("nanoseconds", each));
  }
}

int run(const bench::options& o) {
  bench::report report(o);
  std::printf("| function | type | ns an element |\n|---|---|---:|\n");
  measure<float>(o, report, "float32");
  measure<double>(o, report, "float64");
  return 0;
}

}  // namespace

int main(int count, char** arguments) { return bench::program(run, count, arguments); }

// Mathematical functions: within 2 ulp of long double (gamma and lgamma 4) on samples and where
// their ranges change; and exact special values.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "../../catch.hpp"
#include "harness.hpp"

namespace math_test {

using namespace llvm_tests;

namespace {

using wide = long double;

struct function {
  ir::op code;
  int arity;
  wide (*exact)(wide, wide);
};

#define UNARY(row, name)                                      \
  {                                                           \
    ir::op::row, 1, [](wide a, wide) { return std::name(a); } \
  }
#define BINARY(row, name)                                          \
  {                                                                \
    ir::op::row, 2, [](wide a, wide b) { return std::name(a, b); } \
  }

constexpr function functions[] = {
    UNARY(cbrt, cbrt),  UNARY(exp, exp),     UNARY(exp2, exp2),    UNARY(expm1, expm1),
    UNARY(log, log),    UNARY(log2, log2),   UNARY(log10, log10),  UNARY(log1p, log1p),
    UNARY(sin, sin),    UNARY(cos, cos),     UNARY(tan, tan),      UNARY(asin, asin),
    UNARY(acos, acos),  UNARY(atan, atan),   UNARY(sinh, sinh),    UNARY(cosh, cosh),
    UNARY(tanh, tanh),  UNARY(asinh, asinh), UNARY(acosh, acosh),  UNARY(atanh, atanh),
    UNARY(erf, erf),    UNARY(erfc, erfc),   UNARY(gamma, tgamma), UNARY(lgamma, lgamma),
    UNARY(sqrt, sqrt),  BINARY(pow, pow),    BINARY(atan2, atan2), BINARY(hypot, hypot),
    BINARY(fmod, fmod),
};

template <class T> using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

double bound(ir::op code) {
  if (code == ir::op::fmod || code == ir::op::sqrt) return 0.5;
  return code == ir::op::gamma || code == ir::op::lgamma ? 4 : 2;
}

template <class T> std::vector<T> arguments(std::mt19937_64& random, bool edges) {
  using limits = std::numeric_limits<T>;
  std::vector<T> special = {
      T(0), T(1), T(2), T(3), T(0.5), T(1.5), T(10), T(34), T(88.72283), T(89.4), T(104), T(170.5),
      T(171), T(172), T(709.78271289338397), T(710.4), T(745.13), limits::max(), limits::min(),
      limits::denorm_min(), limits::infinity(), limits::quiet_NaN(), limits::epsilon(), T(1e15),
      T(1e22), T(3.141592653589793), T(1.5707963267948966), T(2.4570247), T(38.5), T(1e30),
      T(185.5)};
  if (edges) {
    const std::size_t n = special.size();
    for (std::size_t i = 0; i < n; ++i) special.push_back(-special[i]);
    return special;
  }
  std::vector<T> values;
  for (int i = 0; i < 20000; ++i) {
    const T unit = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-52 - 1);
    const T scales[] = {T(1), T(8), T(200), T(1000)};
    values.push_back(random() % 2 ? std::bit_cast<T>(static_cast<bits_of<T>>(random()))
                                  : unit * scales[random() % 4]);
  }
  return values;
}

template <class T>
std::vector<T> evaluate(const codegen::compiler& compiler, const function& f,
                        const std::vector<T>& a, const std::vector<T>& b) {
  const dtype t = sizeof(T) == 4 ? dtype::float32 : dtype::float64;
  builder w(1);
  w.k.schedule.tile = 1 << 20;
  const auto x = w.load(w.input(t, {one}));
  const auto y = f.arity == 2 ? w.load(w.input(t, {one})) : -1;
  w.store(w.output(t, {one}), w.op(f.code, t, x, y));
  const codegen::compiled c = compiler.compile(w.k, {});
  const auto code = doors()->loader->load(c.image, c.entry);
  std::vector<T> out(a.size());
  std::vector<std::uint64_t> slots = {a.size(), reinterpret_cast<std::uint64_t>(a.data())};
  if (f.arity == 2) slots.push_back(reinterpret_cast<std::uint64_t>(b.data()));
  slots.push_back(reinterpret_cast<std::uint64_t>(out.data()));
  code->entry()(slots.data(), 0, 1);
  return out;
}

/// The error in units in the last place; infinite for a wrong special value.
template <class T> double error(T got, wide exact) {
  using limits = std::numeric_limits<T>;
  const T near = static_cast<T>(exact);
  if (std::isnan(near) || std::isnan(got))
    return std::isnan(near) && std::isnan(got) ? 0 : INFINITY;
  if (got == near && std::signbit(got) == std::signbit(near) && !std::isfinite(got)) return 0;
  if (exact == 0) return got == 0 && std::signbit(got) == std::signbit(near) ? 0 : INFINITY;
  int exponent = 0;
  std::frexp(std::min(std::abs(exact), wide(limits::max())), &exponent);
  exponent = std::max(exponent, limits::min_exponent);
  const wide unit = std::ldexp(wide(1), exponent - limits::digits);
  const wide value =
      std::isinf(got) ? std::copysign(wide(limits::max()) + unit, wide(got)) : wide(got);
  return static_cast<double>(std::abs(value - exact) / unit);
}

template <class T> void judge(const codegen::compiler& compiler, const function& f, bool edges) {
  std::mt19937_64 random(3);
  std::vector<T> a = arguments<T>(random, edges), b = arguments<T>(random, edges);
  if (edges && f.arity == 2) {
    const std::vector<T> each = a;
    a.clear(), b.clear();
    for (T x : each) {
      for (T y : each) a.push_back(x), b.push_back(y);
    }
  }
  const std::vector<T> got = evaluate(compiler, f, a, b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double e = error(got[i], f.exact(a[i], b[i]));
    if (e <= bound(f.code)) continue;
    FAIL(ir::name(f.code) << " of " << sizeof(T) << " bytes at " << std::hexfloat << a[i] << ", "
                          << b[i] << ": " << got[i] << ", " << e << " ulp off");
  }
  SUCCEED();
}

}  // namespace

TEST_CASE("Mathematical functions are within their bounds") {
  if (!doors()) return;
  std::vector<const codegen::compiler*> compilers = {doors()->compiler.get()};
  for (const auto& c : doors()->others) compilers.push_back(c.get());
  for (const codegen::compiler* c : compilers) {
    for (const function& f : functions) {
      for (const bool edges : {true, false}) {
        judge<float>(*c, f, edges);
        judge<double>(*c, f, edges);
      }
    }
  }
}

namespace {

/// An element's bits must not depend on its position.
template <class T> void shuffle(const codegen::compiler& compiler, const function& f) {
  std::mt19937_64 random(5);
  std::vector<T> a = arguments<T>(random, false), b = arguments<T>(random, false);
  const std::vector<T> special = arguments<T>(random, true);
  for (std::size_t i = 0; i < a.size(); i += 3) a[i] = special[random() % special.size()];
  const std::vector<T> first = evaluate(compiler, f, a, b);
  std::vector<std::size_t> order(a.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (int round = 0; round < 3; ++round) {
    if (round == 0) {
      // By bits, which order NaN after infinity.
      const auto size = [&](std::size_t i) { return std::bit_cast<bits_of<T>>(std::abs(a[i])); };
      std::sort(order.begin(), order.end(),
                [&](std::size_t i, std::size_t j) { return size(i) < size(j); });
    } else {
      std::shuffle(order.begin(), order.end(), random);
    }
    std::vector<T> x, y;
    for (std::size_t i : order) x.push_back(a[i]), y.push_back(b[i]);
    const std::vector<T> got = evaluate(compiler, f, x, y);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const T one = got[i], other = first[order[i]];
      if (std::memcmp(&one, &other, sizeof(T)) == 0 || (one != one && other != other)) continue;
      FAIL(ir::name(f.code) << " of " << sizeof(T) << " bytes at " << std::hexfloat << x[i] << ", "
                            << y[i] << ": " << one << " or " << other);
    }
  }
  SUCCEED();
}

}  // namespace

TEST_CASE("What stands beside a number does not show in its function") {
  if (!doors()) return;
  for (const function& f : functions) {
    shuffle<float>(*doors()->compiler, f);
    shuffle<double>(*doors()->compiler, f);
    for (const auto& c : doors()->others) {
      shuffle<float>(*c, f);
      shuffle<double>(*c, f);
    }
  }
}

TEST_CASE("The number of lanes does not show in mathematical functions") {
  for (const ir::op code : {ir::op::exp, ir::op::sinh, ir::op::gamma, ir::op::lgamma}) {
    if (!doors()) return;
    std::vector<std::byte> first;
    for (const int vector : {1, 2, 4, 16, 32}) {
      builder w(1);
      w.k.schedule.vector = vector;
      w.k.schedule.tile = 1 << 20;
      w.store(w.output(dtype::float32, {one}),
              w.op(code, dtype::float32, w.load(w.input(dtype::float32, {one}))));
      const codegen::compiled c = doors()->compiler->compile(w.k, {});
      const auto kernel = doors()->loader->load(c.image, c.entry);
      std::mt19937_64 random(9);
      std::vector<std::byte> in(4 * 331), out(in.size());
      fill_elements(in, dtype::float32, fill::edges, random);
      const std::uint64_t slots[] = {331, reinterpret_cast<std::uint64_t>(in.data()),
                                     reinterpret_cast<std::uint64_t>(out.data())};
      kernel->entry()(slots, 0, 1);
      if (first.empty()) first = out;
      CHECK(std::memcmp(first.data(), out.data(), out.size()) == 0);
    }
  }
}

}  // namespace math_test

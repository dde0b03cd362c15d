// Measures the errors of mathematical functions in units in the last place, prints a markdown table
// and fails if a documented bound is exceeded: CUDA's on a GPU (support/cuda_bounds.hpp), sinter's
// on a CPU, 2 and for gamma and lgamma 4.
//
//   ulp [--device cpu|cuda] [--reference host|device] [--every N] [--samples N] [--json FILE]
//       [function...]
//
// float32 is compared with double precision: with the host's libm, or (--reference device, a GPU's
// default) with the same function in double on the device. --every N tests every Nth float, 1 being
// a GPU's default; otherwise samples are tested. Functions of two arguments, and float64, use
// samples; float64 is always compared with the host's long double, which has 11 more bits on x86
// and more elsewhere.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <sinter/sinter.hpp>

#include "bench/support/bench.hpp"
#include "bench/support/cuda_bounds.hpp"
#include "bench/support/device_ulp.hpp"

namespace {

namespace sn = sinter;
namespace ir = sinter::ir;
using wide = long double;
using floats = sn::array<float>;
using doubles = sn::array<double>;

struct function {
  ir::op code;
  int arity;
  double (*single)(double, double);
  wide (*twice)(wide, wide);
  bench::function_of<float> of_floats;
  bench::function_of<double> of_doubles;
};

#define UNARY(row, name)                                                       \
  {                                                                            \
    ir::op::row, 1, [](double a, double) { return std::name(a); },             \
        [](wide a, wide) { return std::name(a); },                             \
        [](const floats& a, const floats&) -> floats { return sn::row(a); },   \
        [](const doubles& a, const doubles&) -> doubles { return sn::row(a); } \
  }
#define BINARY(row, name)                                                           \
  {                                                                                 \
    ir::op::row, 2, [](double a, double b) { return std::name(a, b); },             \
        [](wide a, wide b) { return std::name(a, b); },                             \
        [](const floats& a, const floats& b) -> floats { return sn::row(a, b); },   \
        [](const doubles& a, const doubles& b) -> doubles { return sn::row(a, b); } \
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

struct settings {
  bench::options bench;
  bool gpu = false;
  bool device_reference = false;
  std::int64_t every = 0, samples = 1 << 22;
  std::vector<std::string> names;

  bool wants(const std::string& name) const {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  }
};

/// The documented bound of a function on one type.
struct promise {
  double ulps = 2;
  double slack = 0;  // difference of "correctly rounded" to "exact", and the reference's error
  bench::hole hole = {};
};

template <class T> promise promise_of(const function& f, bool gpu) {
  const bool loose = f.code == ir::op::gamma || f.code == ir::op::lgamma;
  if (!gpu) return {loose ? 4.0 : 2.0, 0, {}};
  for (const bench::cuda_bound& b : bench::cuda_bounds) {
    if (b.code != f.code) continue;
    if (sizeof(T) == 4) return {b.of_float, 0.5 + 1e-6, b.hole_of_float};
    return {b.of_double, 0.5 + 1e-2, b.hole_of_double};
  }
  std::fprintf(stderr, "ulp: no bound for %s\n", std::string(ir::name(f.code)).c_str());
  std::exit(1);
}

/// The worst error of a function on one type.
struct worst {
  double ulps = 0;
  double a = 0, b = 0, got = 0;
  std::int64_t wrong = 0;  // NaN, infinity or sign of zero differs from the reference
  double wrong_a = 0, wrong_b = 0, wrong_got = 0;

  void merge(const worst& o) {
    if (wrong == 0) wrong_a = o.wrong_a, wrong_b = o.wrong_b, wrong_got = o.wrong_got;
    wrong += o.wrong;
    if (o.ulps > ulps) ulps = o.ulps, a = o.a, b = o.b, got = o.got;
  }
};

/// The unit in the last place of T at an exact value.
template <class T, class W> W unit(W exact) {
  using limits = std::numeric_limits<T>;
  int exponent = 0;
  std::frexp(std::abs(exact), &exponent);
  exponent = std::clamp(exponent, limits::min_exponent, limits::max_exponent);
  return std::ldexp(W(1), exponent - limits::digits);
}

template <class T, class W> void judge(worst& w, T a, T b, T got, W exact) {
  const T near = static_cast<T>(exact);
  if (std::bit_cast<std::array<char, sizeof(T)>>(got) ==
      std::bit_cast<std::array<char, sizeof(T)>>(near)) {
    if (std::isfinite(got)) {
      const double u = static_cast<double>(std::abs(W(got) - exact) / unit<T>(exact));
      if (u > w.ulps) w = {u, a, b, got, w.wrong, w.wrong_a, w.wrong_b, w.wrong_got};
    }
    return;
  }
  if (std::isnan(got) && std::isnan(near)) return;
  const bool zero_sign = exact == 0 && got == 0;
  if (std::isfinite(got) && std::isfinite(exact) && !zero_sign) {
    const double u = static_cast<double>(std::abs(W(got) - exact) / unit<T>(exact));
    if (u > w.ulps) w = {u, a, b, got, w.wrong, w.wrong_a, w.wrong_b, w.wrong_got};
    return;
  }
  // An overflow of at most a unit beyond the largest number is no wrong special value.
  const W most = std::numeric_limits<T>::max();
  if (std::isinf(got) && std::isfinite(exact) && std::abs(exact) >= most - unit<T>(most)) return;
  if (++w.wrong == 1) w.wrong_a = a, w.wrong_b = b, w.wrong_got = got;
}

template <class T> using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// Arguments: special values, random bit patterns, and the ranges where functions change.
template <class T> T sample(std::mt19937_64& random) {
  using limits = std::numeric_limits<T>;
  constexpr T edges[] = {T(0),
                         T(1),
                         T(2),
                         T(3),
                         T(0.5),
                         T(1.5),
                         T(10),
                         T(171),
                         T(34),
                         T(88.72283),
                         T(89.4),
                         T(709.78271289338397),
                         T(710.4),
                         T(745.13),
                         T(104),
                         limits::max(),
                         limits::min(),
                         limits::denorm_min(),
                         limits::infinity(),
                         limits::quiet_NaN(),
                         limits::epsilon(),
                         T(1e15),
                         T(1e22),
                         T(3.141592653589793),
                         T(1.5707963267948966)};
  const T unit = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53);
  const T sign = random() % 2 ? T(1) : T(-1);
  switch (random() % 8) {
    case 0:
      return sign * edges[random() % std::size(edges)];
    case 1:
      return sign * unit;
    case 2:
      return sign * unit * T(100);
    case 3:
      return sign * unit * T(1000);
    case 4:
      return sign * (T(1) + unit * T(0.01) * sign);
    case 5:
      return sign * std::floor(unit * T(200)) / T(2);
    default:
      return std::bit_cast<T>(static_cast<bits_of<T>>(random()));
  }
}

template <class T> struct arguments { std::vector<T> a, b; };

/// `count` arguments: every Nth bit pattern from `first` on, or samples.
template <class T>
arguments<T> make_arguments(std::int64_t first, std::int64_t count, std::int64_t every) {
  std::mt19937_64 random(static_cast<std::uint64_t>(first) + 1);
  arguments<T> x;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto bits = static_cast<bits_of<T>>((first + i) * every);
    x.a.push_back(every > 0 ? std::bit_cast<T>(bits) : sample<T>(random));
    x.b.push_back(sample<T>(random));
  }
  return x;
}

template <class T> std::vector<T> computed(const function& f, const arguments<T>& x) {
  const sn::array<T> a(x.a), b(x.b);
  if constexpr (sizeof(T) == 4)
    return f.of_floats(a, b).to_host();
  else
    return f.of_doubles(a, b).to_host();
}

template <class T>
worst judge_all(const function& f, const arguments<T>& x, const std::vector<T>& got,
                const bench::hole& left_out) {
  const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<worst> results(threads);
  const auto work = [&](std::size_t id) {
    for (std::size_t i = id; i < got.size(); i += threads) {
      const T a = x.a[i], b = x.b[i];
      if (left_out.holds(a)) continue;
      if constexpr (sizeof(T) == 4)
        judge(results[id], a, b, got[i], f.single(a, b));
      else
        judge(results[id], a, b, got[i], f.twice(a, b));
    }
  };
  std::vector<std::thread> pool;
  for (std::size_t id = 0; id < threads; ++id) pool.emplace_back(work, id);
  for (std::thread& t : pool) t.join();
  worst w;
  for (const worst& r : results) w.merge(r);
  return w;
}

template <class T>
worst by_host(const function& f, const settings& s, const bench::hole& left_out) {
  constexpr std::int64_t part = 1 << 20;
  const std::int64_t every = sizeof(T) == 4 && f.arity == 1 ? s.every : 0;
  const std::int64_t count = every > 0 ? (std::int64_t{1} << 32) / every : s.samples;
  worst w;
  for (std::int64_t first = 0; first < count; first += part) {
    const auto x = make_arguments<T>(first, std::min(part, count - first), every);
    w.merge(judge_all(f, x, computed(f, x), left_out));
  }
  return w;
}

/// The host still checks special values: nothing else defines the expected ones.
worst by_device(const function& f, const settings& s, const bench::hole& left_out) {
  settings few = s;
  few.every = 0;
  few.samples = 1 << 16;
  worst w = by_host<float>(f, few, left_out);
  bench::device_worst d;
  if (f.arity == 1) {
    d = bench::worst_of_every(f.of_floats, f.of_doubles, std::max<std::int64_t>(s.every, 1),
                              left_out);
  } else {
    const auto x = make_arguments<float>(0, s.samples, 0);
    d = bench::worst_of_pairs(f.of_floats, f.of_doubles, x.a, x.b);
  }
  w.merge({d.ulps, d.a, d.b, d.got, d.wrong, d.a, d.b, d.got});
  return w;
}

/// Prints and records the result; returns whether the bound holds.
bool report(const function& f, const char* type, const worst& w, const promise& p,
            const settings& s, bench::report& out) {
  const bool kept = w.ulps <= p.ulps + p.slack && w.wrong == 0;
  char at[64], wrong[160] = "";
  if (f.arity == 2)
    std::snprintf(at, sizeof(at), "%a, %a", w.a, w.b);
  else
    std::snprintf(at, sizeof(at), "%a", w.a);
  if (w.wrong) {
    std::snprintf(wrong, sizeof(wrong), "%lld, first at %a, %a: %a",
                  static_cast<long long>(w.wrong), w.wrong_a, f.arity == 2 ? w.wrong_b : 0.0,
                  w.wrong_got);
  }
  const std::string name(ir::name(f.code));
  std::printf("| %s | %s | %.3f | %g | %s | %s |%s\n", name.c_str(), type, w.ulps, p.ulps, at,
              wrong, kept ? "" : " BROKEN");
  std::fflush(stdout);
  bench::record r("ulp");
  out.add(r.text("device", s.bench.device)
              .text("function", name)
              .text("dtype", type)
              .number("ulps", w.ulps)
              .number("bound", p.ulps)
              .text("at", at)
              .number("wrong", static_cast<double>(w.wrong))
              .text("kept", kept ? "yes" : "no"));
  return kept;
}

[[noreturn]] void usage() {
  std::fprintf(stderr,
               "usage: ulp [--device cpu|cuda] [--reference host|device] [--every N] [--samples N] "
               "[--json FILE] [function...]\n");
  std::exit(2);
}

settings parse(int count, char** arguments) {
  settings s;
  std::string reference;
  bool chosen = false;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    if (!word.starts_with("--")) {
      s.names.push_back(word);
      continue;
    }
    if (i + 1 == count) usage();
    const std::string value = arguments[++i];
    if (word == "--device")
      s.bench.device = value;
    else if (word == "--json")
      s.bench.json = value;
    else if (word == "--reference" && (value == "host" || value == "device"))
      reference = value;
    else if (word == "--every")
      s.every = std::atoll(value.c_str()), chosen = true;
    else if (word == "--samples")
      s.samples = std::atoll(value.c_str()), chosen = true;
    else
      usage();
  }
  if (s.bench.device.empty()) s.bench.device = sn::to_string(sn::current_device());
  s.gpu = sn::device(s.bench.device).what == sn::device::kind::cuda;
  s.device_reference = reference.empty() ? s.gpu : reference == "device";
  if (s.device_reference && !chosen) s.every = 1;
  return s;
}

}  // namespace

int main(int count, char** arguments) try {
  const settings s = parse(count, arguments);
  const auto scope = sn::use(sn::device(s.bench.device));
  bench::report out(s.bench);
  bool kept = true;
  std::printf(
      "| function | type | worst ulp | bound | at | wrong special values |\n"
      "|---|---|---|---|---|---|\n");
  for (const function& f : functions) {
    if (!s.wants(std::string(ir::name(f.code)))) continue;
    const promise single = promise_of<float>(f, s.gpu), twice = promise_of<double>(f, s.gpu);
    const worst w =
        s.device_reference ? by_device(f, s, single.hole) : by_host<float>(f, s, single.hole);
    kept &= report(f, "float32", w, single, s, out);
    kept &= report(f, "float64", by_host<double>(f, s, twice.hole), twice, s, out);
  }
  return kept ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}

// Measures the error of mathematical functions on the CPU, in units in the last place, and prints a
// markdown table.
//
//   ulp [--every N] [--samples N] [function...]
//
// float32 is compared with double-precision libm: over every float with --every 1 (about a minute a
// function and core), every Nth with another number, else over samples. float64 is compared over
// samples with long double, which has 11 more bits on x86 and more elsewhere.

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "codegen/compiler.hpp"
#include "ir/formula.hpp"
#include "ir/kernel.hpp"
#include "runtime/object_loader.hpp"

namespace {

using namespace sinter;
using wide = long double;

struct function {
  ir::op code;
  int arity;
  double (*single)(double, double);
  wide (*twice)(wide, wide);
};

#define UNARY(row, name)                                           \
  {                                                                \
    ir::op::row, 1, [](double a, double) { return std::name(a); }, \
        [](wide a, wide) { return std::name(a); }                  \
  }
#define BINARY(row, name)                                               \
  {                                                                     \
    ir::op::row, 2, [](double a, double b) { return std::name(a, b); }, \
        [](wide a, wide b) { return std::name(a, b); }                  \
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

/// The worst of a function on one type.
struct worst {
  double ulps = 0;
  double a = 0, b = 0, got = 0;
  std::int64_t wrong = 0;  // NaN, infinity or sign of zero where the reference has another
  double wrong_a = 0, wrong_b = 0, wrong_got = 0;

  void merge(const worst& o) {
    if (wrong == 0) wrong_a = o.wrong_a, wrong_b = o.wrong_b, wrong_got = o.wrong_got;
    wrong += o.wrong;
    if (o.ulps > ulps) ulps = o.ulps, a = o.a, b = o.b, got = o.got;
  }
};

/// The size of a unit in the last place of T at an exact value.
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
  // An overflow that is off by less than the bound is an error like any other.
  const W most = std::numeric_limits<T>::max();
  if (std::isinf(got) && std::isfinite(exact) && std::abs(exact) >= most - unit<T>(most)) return;
  if (++w.wrong == 1) w.wrong_a = a, w.wrong_b = b, w.wrong_got = got;
}

template <class F> F* door(const char* name) {
  void* const module = dlopen("libsinter_llvm.so", RTLD_NOW | RTLD_LOCAL);
  void* const f = module ? dlsym(module, name) : dlsym(RTLD_DEFAULT, name);
  if (!f) {
    std::fprintf(stderr, "ulp: no LLVM module: %s\n", dlerror());
    std::exit(1);
  }
  return reinterpret_cast<F*>(f);
}

std::shared_ptr<runtime::loaded_code> build(const function& f, dtype t) {
  static const std::unique_ptr<codegen::compiler> compiler(
      door<codegen::compiler*()>("sinter_llvm_compiler")());
  static const std::unique_ptr<runtime::object_loader> loader(
      door<runtime::object_loader*()>("sinter_llvm_loader")());
  ir::kernel k;
  k.name = "ulp";
  k.schedule.vector = 16;
  k.schedule.unroll = 2;
  k.schedule.tile = 1 << 16;
  std::int32_t args[3] = {-1, -1, -1};
  const auto add = [&](ir::inst_kind kind, std::int32_t value) {
    ir::inst i;
    i.kind = kind;
    i.type = i.result = t;
    i.which = static_cast<int>(k.operands.size());
    i.args[0] = value;
    const auto role = value < 0 ? ir::operand_role::input : ir::operand_role::output;
    k.operands.push_back({role, t, {{ir::step::one}, 0}});
    k.body.push_back(i);
    return static_cast<std::int32_t>(k.body.size()) - 1;
  };
  for (int i = 0; i < f.arity; ++i) args[i] = add(ir::inst_kind::load, -1);
  const std::int32_t value = ir::emit(k.body, f.code, t, args);
  add(ir::inst_kind::store, value);
  const codegen::compiled c = compiler->compile(k, {});
  return loader->load(c.image, c.entry);
}

template <class T> using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// Arguments: special ones, any bit pattern, and the ranges where functions change.
template <class T> T sample(std::mt19937_64& random) {
  using limits = std::numeric_limits<T>;
  constexpr T edges[] = {
      T(0), T(1), T(2), T(3), T(0.5), T(1.5), T(10), T(171), T(34), T(88.72283), T(89.4),
      T(709.78271289338397), T(710.4), T(745.13), T(104), limits::max(), limits::min(),
      limits::denorm_min(), limits::infinity(), limits::quiet_NaN(), limits::epsilon(), T(1e15),
      T(1e22), T(3.141592653589793), T(1.5707963267948966)};
  const T unit = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53);
  const T sign = random() % 2 ? T(1) : T(-1);
  switch (random() % 8) {
    case 0: return sign * edges[random() % std::size(edges)];
    case 1: return sign * unit;
    case 2: return sign * unit * T(100);
    case 3: return sign * unit * T(1000);
    case 4: return sign * (T(1) + unit * T(0.01) * sign);
    case 5: return sign * std::floor(unit * T(200)) / T(2);
    default: return std::bit_cast<T>(static_cast<bits_of<T>>(random()));
  }
}

template <class T>
void run(const function& f, const runtime::loaded_code& code, const std::vector<T>& a,
         const std::vector<T>& b, worst& w) {
  std::vector<T> out(a.size());
  std::vector<std::uint64_t> slots = {a.size(), reinterpret_cast<std::uint64_t>(a.data())};
  if (f.arity == 2) slots.push_back(reinterpret_cast<std::uint64_t>(b.data()));
  slots.push_back(reinterpret_cast<std::uint64_t>(out.data()));
  code.entry()(slots.data(), 0, static_cast<std::int64_t>((a.size() + 65535) >> 16));
  for (std::size_t i = 0; i < a.size(); ++i) {
    if constexpr (sizeof(T) == 4) judge(w, a[i], b[i], out[i], f.single(a[i], b[i]));
    else judge(w, a[i], b[i], out[i], f.twice(a[i], b[i]));
  }
}

template <class T> worst measure(const function& f, std::uint64_t samples, std::uint64_t every) {
  const auto code = build(f, sizeof(T) == 4 ? dtype::float32 : dtype::float64);
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<worst> results(threads);
  const auto work = [&](unsigned id) {
    std::mt19937_64 random(id + 1);
    constexpr std::size_t batch = 1 << 16;
    std::vector<T> a(batch), b(batch);
    const bool all = every > 0 && sizeof(T) == 4 && f.arity == 1;
    const std::uint64_t count = all ? (std::uint64_t{1} << 32) / every : samples;
    for (std::uint64_t first = id * batch; first < count; first += threads * batch) {
      for (std::size_t i = 0; i < batch; ++i) {
        const auto bits = static_cast<bits_of<T>>((first + i) * every);
        a[i] = all ? std::bit_cast<T>(bits) : sample<T>(random);
        b[i] = sample<T>(random);
      }
      run(f, *code, a, b, results[id]);
    }
  };
  std::vector<std::thread> pool;
  for (unsigned id = 0; id < threads; ++id) pool.emplace_back(work, id);
  for (std::thread& t : pool) t.join();
  worst w;
  for (const worst& r : results) w.merge(r);
  return w;
}

void print(const function& f, const char* type, const worst& w) {
  char at[64], wrong[160] = "";
  if (f.arity == 2) std::snprintf(at, sizeof(at), "%a, %a", w.a, w.b);
  else std::snprintf(at, sizeof(at), "%a", w.a);
  if (w.wrong) {
    std::snprintf(wrong, sizeof(wrong), "%lld, first at %a, %a: %a",
                  static_cast<long long>(w.wrong), w.wrong_a, f.arity == 2 ? w.wrong_b : 0.0,
                  w.wrong_got);
  }
  std::printf("| %s | %s | %.3f | %s | %s |\n", std::string(ir::name(f.code)).c_str(), type, w.ulps,
              at, wrong);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t every = 0, samples = 1 << 22;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool number = i + 1 < argc;
    if (argument == "--every" && number) every = std::strtoull(argv[++i], nullptr, 10);
    else if (argument == "--samples" && number) samples = std::strtoull(argv[++i], nullptr, 10);
    else names.push_back(argument);
  }
  std::printf(
      "| function | type | worst ulp | at | wrong special values |\n|---|---|---|---|---|\n");
  for (const function& f : functions) {
    const std::string name(ir::name(f.code));
    if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
    print(f, "float32", measure<float>(f, samples, every));
    print(f, "float64", measure<double>(f, samples, every));
  }
}

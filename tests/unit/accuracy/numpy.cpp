// NumPy's accuracy tables: difficult arguments of mathematical functions, with the correctly
// rounded results. The bounds are those that docs/accuracy.md documents for the device.

#include <algorithm>
#include <bit>
#include <cmath>
#include <sstream>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/numpy_oracle.hpp"

namespace numpy_test {

namespace sn = sinter;
using namespace sinter::test;

namespace {

struct bounds {
  double of_float = 2, of_double = 2;  // the CPU's, relative to the exact result
};

/// The GPU's bounds: the rows with five cells in docs/accuracy.md.
std::map<std::string, bounds> gpu_bounds() {
  std::map<std::string, bounds> table;
  std::istringstream in(read_text(SINTER_SOURCE_DIR "/docs/accuracy.md"));
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells(line);
    std::string bar, name;
    double measured = 0, of_float = 0, of_double = 0;
    cells >> bar >> name >> bar >> measured >> bar >> of_float >> bar >> measured >> bar >>
        of_double;
    if (cells) table[name] = {of_float, of_double};
  }
  return table;
}

/// The distance between two numbers in representable numbers; NaN matches only NaN.
template <class T, class Word> double distance(T got, T expected) {
  if (std::isnan(got) || std::isnan(expected)) {
    return std::isnan(got) && std::isnan(expected) ? 0 : INFINITY;
  }
  const Word a = std::bit_cast<Word>(std::abs(got)), b = std::bit_cast<Word>(std::abs(expected));
  if (std::signbit(got) != std::signbit(expected)) return static_cast<double>(a + b);
  return static_cast<double>(std::max(a, b) - std::min(a, b));
}

template <class T, class Word, class F>
void judge(const std::string& name, const std::string& files, double bound, F f) {
  const auto in = sn::load_npy<T>(files + "_in.npy");
  const auto got = sn::array<T>(f(in)).to_host(),
             expected = sn::load_npy<T>(files + "_out.npy").to_host();
  const auto given = in.to_host();
  REQUIRE(got.size() > 100);
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (distance<T, Word>(got[i], expected[i]) <= bound) continue;
    FAIL_CHECK(name << " of " << std::hexfloat << given[i] << " is " << got[i] << ", not "
                    << expected[i]);
  }
}

/// f(name) for each function that may have a table.
template <class X> sn::any_array applied(const std::string& name, const X& x) {
  const auto made = [](auto&& e) -> sn::any_array { return e.to_array(); };
  if (name == "acos") return made(sn::acos(x));
  if (name == "acosh") return made(sn::acosh(x));
  if (name == "asin") return made(sn::asin(x));
  if (name == "asinh") return made(sn::asinh(x));
  if (name == "atan") return made(sn::atan(x));
  if (name == "atanh") return made(sn::atanh(x));
  if (name == "cbrt") return made(sn::cbrt(x));
  if (name == "cos") return made(sn::cos(x));
  if (name == "cosh") return made(sn::cosh(x));
  if (name == "exp") return made(sn::exp(x));
  if (name == "exp2") return made(sn::exp2(x));
  if (name == "expm1") return made(sn::expm1(x));
  if (name == "log") return made(sn::log(x));
  if (name == "log10") return made(sn::log10(x));
  if (name == "log1p") return made(sn::log1p(x));
  if (name == "log2") return made(sn::log2(x));
  if (name == "sin") return made(sn::sin(x));
  if (name == "sinh") return made(sn::sinh(x));
  if (name == "tan") return made(sn::tan(x));
  REQUIRE(name == "tanh");
  return made(sn::tanh(x));
}

}  // namespace

TEST_CASE("elementwise functions keep their bounds on NumPy's validation sets") {
  const auto folder = oracle_folder("validation.py");
  if (folder.empty()) return;
  const auto gpu = gpu_bounds();
  REQUIRE(gpu.size() >= 20);
  const bool on_gpu = sn::current_device().what == sn::device::kind::cuda;
  int tables = 0;
  std::istringstream calls(read_text(folder / "calls.txt"));
  for (std::string name, type; calls >> name >> type; ++tables) {
    const bounds b = on_gpu ? gpu.at(name) : bounds{};
    const std::string files = (folder / (name + "_" + type)).string();
    if (type == "float32") {
      judge<float, std::uint32_t>(name, files, b.of_float,
                                  [&](const auto& x) { return applied(name, x); });
    } else {
      judge<double, std::uint64_t>(name, files, b.of_double,
                                   [&](const auto& x) { return applied(name, x); });
    }
  }
  CHECK(tables >= 38);
}

}  // namespace numpy_test

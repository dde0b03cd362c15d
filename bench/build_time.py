#!/usr/bin/env python3
"""What sinter costs a user's build: seconds and peak memory of `g++ -O2 -c`.

    build_time.py [--cxx g++] [--json FILE] [--quick]
"""

import argparse
import json
import os
import pathlib
import statistics
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

STANDARD = """
#include <complex>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>
"""

TRIVIAL = """
#include <sinter/sinter.hpp>
namespace sn = sinter;
sn::array<float> f(const sn::array<float>& a, const sn::array<float>& b) {
  sn::array<float> c = a * b + sn::sin(a);
  return c;
}
"""

TEN = """
#include <sinter/sinter.hpp>
namespace sn = sinter;
using floats = sn::array<float>;
floats f0(const floats& a, const floats& b) { return a * b + sn::sin(a); }
floats f1(const floats& a, const floats& b) { return sn::exp(-a) / (1 + sn::exp(-b)); }
floats f2(const floats& a, const floats& b) { return sn::where(a > b, a - b, b * 2); }
floats f3(const floats& a) { return sn::maximum(a, 0) + sn::log1p(sn::exp(-sn::abs(a))); }
floats f4(const floats& a) { return (a - sn::mean(a)) / sn::stddev(a); }
floats f5(const floats& a) { return sn::sum(a * a, {.axis = 1}); }
floats f6(const floats& a, const floats& b) { return sn::sqrt(a * a + b * b); }
floats f7(const floats& a) { return a(sn::slice(1, -1)) - a(sn::slice(0, -2)); }
floats f8(const floats& a) { return sn::clip(sn::floor(a * 255), 0, 255); }
floats f9(const floats& a, const floats& b) { return sn::pow(a, 2.5) * sn::tanh(b) - sn::cos(a); }
"""

CHAIN = """
#include <sinter/sinter.hpp>
namespace sn = sinter;
sn::array<float> f(const sn::array<float>& x) {
  auto a = x * x + x;
  auto b = a * a + a;
  auto c = b * b + b;
  auto d = c * c + c;
  auto e = d * d + d;
  return e * e + e;
}
"""

MANY = """
#include <sinter/sinter.hpp>
namespace sn = sinter;
using floats = sn::array<float>;
floats f(const floats& x, const floats& y) {
  const auto parts = sn::split(x, 2, 1);
  const auto [u, v] = sn::meshgrid(x(0), y(0));
  floats a = sn::softmax(x, {.axis = 1}) + sn::log_softmax(y, {.axis = 1});
  a += sn::logsumexp(x, {.axis = 1, .keepdims = true}) + sn::norm(x, {.axis = 0});
  a += sn::nansum(x, {.axis = 0}) + sn::nanmean(x, {.axis = 0}) + sn::nanvar(y, {.axis = 0});
  a += sn::nanmax(x, {.axis = 0}) - sn::nanmin(x, {.axis = 0}) + sn::ptp(y, {.axis = 0});
  a += sn::sum(x) + sn::prod(x) + sn::mean(x) + sn::var(x) + sn::stddev(x) + sn::max(x) + sn::min(x);
  a += sn::average(x, y, {.axis = 1}) + sn::trapezoid(x, {.axis = 0});
  a += sn::tril(x) + sn::triu(y, {.k = 1}) + sn::rot90(x, {.k = 2}) + sn::fliplr(x) + sn::flipud(y);
  a += sn::tile(x(0), {4, 1}) + sn::diag(sn::diagonal(x)) + sn::trace(x);
  a += sn::einsum("ij,kj->ik", x, y) + sn::tensordot(x, y, 1) + sn::outer(x(0), y(0));
  a += sn::dot(x, y) + sn::kron(x(0), y(0)).reshape({4, -1}) + sn::matvec(x, y(0));
  a += sn::where(sn::isclose(x, y), sn::nan_to_num(x), sn::clip(y, 0, 1)) + parts[0] + u * v;
  if (sn::allclose(x, y)) return sn::exp(a) * sn::sin(a) + sn::sqrt(sn::abs(a));
  return sn::concatenate({a, sn::roll(a, 1), sn::take(a, {1, 2, 0, 3}, {.axis = 0})});
}
"""

UNITS = [
    ("standard headers alone", STANDARD),
    ("c = a * b + sin(a)", TRIVIAL),
    ("x = x * x + x, six times", CHAIN),
    ("ten different statements", TEN),
    ("48 functions", MANY),
]


def compile_once(cxx, source, folder):
    """Seconds and peak MB of one compilation, the driver's children included."""
    command = [cxx, "-std=c++20", "-O2", "-c", source, "-o", os.path.join(folder, "unit.o"),
               f"-I{ROOT}/engine/include", f"-I{ROOT}/ir/include"]
    start = time.monotonic()
    process = os.posix_spawnp(cxx, command, os.environ)
    _, status, usage = os.wait4(process, 0)
    if status != 0:
        raise SystemExit(f"failed: {' '.join(command)}")
    return time.monotonic() - start, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cxx", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--json")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in UNITS:
            source = os.path.join(folder, "unit.cpp")
            pathlib.Path(source).write_text(text, encoding="utf-8")
            count = 2 if options.quick else 7
            runs = [compile_once(options.cxx, source, folder) for _ in range(count)]
            seconds = statistics.median(r[0] for r in runs)
            megabytes = max(r[1] for r in runs)
            print(f"{name:26} {seconds:6.2f} s {megabytes:6.0f} MB")
            results.append({"benchmark": "build_time", "compiler": options.cxx, "name": name,
                            "seconds": round(seconds, 3), "peak_megabytes": round(megabytes)})
    if options.json:
        with open(options.json, "a", encoding="utf-8") as out:
            out.writelines(json.dumps(r) + "\n" for r in results)


if __name__ == "__main__":
    main()

// Every schedule of the code generators against the memory bandwidth of hand-written kernels in the
// same run: transposes, views, odd rows, reductions and scans along every axis, normalisations of
// every length.
//
//   schedules [--device cpu|cuda] [--json FILE] [--quick]

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "bench/support/bench.hpp"
#include "bench/support/ceilings.hpp"

namespace sn = sinter;

namespace {

using floats = sn::array<float>;
using index = std::int64_t;

/// `prepare` allocates inputs and returns a function that records the statement anew for each run.
struct statement {
  std::string name, ceiling;
  double bytes;
  std::function<std::function<void()>()> prepare;
};

template <class T> sn::array<T> filled(const sn::int_list& shape) {
  sn::array<T> x =
      sn::astype<T>(sn::random::uniform<float>(shape, {.seed = 7, .low = 0, .high = 3}));
  sn::eval(x);
  return x;
}

double product(const std::vector<index>& shape) {
  double n = 1;
  for (index d : shape) n *= static_cast<double>(d);
  return n;
}

std::string by(const std::vector<index>& shape) {
  std::string text;
  for (index d : shape) text += (text.empty() ? "" : "x") + std::to_string(d);
  return text;
}

/// A statement over one input: its bytes are `moved` per element, `read` plus `written`.
template <class T, class F>
statement of(const std::string& name, const std::string& ceiling, const std::vector<index>& shape,
             double moved, F f) {
  const std::string full = name + " " + std::string(sn::name(sn::dtype_of<T>)) + " " + by(shape);
  return {full, ceiling, moved * static_cast<double>(sizeof(T)) * product(shape), [=] {
            const auto x = filled<T>(shape);
            return [=] { sn::eval(f(x)); };
          }};
}

template <class T> statement transpose(const std::vector<index>& shape, std::vector<index> axes) {
  std::string name = "transpose";
  for (index a : axes) name += " " + std::to_string(a);
  return of<T>(name, "copy", shape, 2, [=](const sn::array<T>& x) -> sn::array<T> {
    return sn::where(sn::transpose(x, axes) == T(), T(), sn::transpose(x, axes));
  });
}

void add_transposes(std::vector<statement>& all, index side) {
  all.push_back(transpose<float>({side, side}, {1, 0}));
  all.push_back(transpose<float>({side - 1, side - 3}, {1, 0}));
  all.push_back(transpose<double>({side, side / 2}, {1, 0}));
  all.push_back(transpose<sn::float16>({side, side * 2}, {1, 0}));
  all.push_back(transpose<std::int8_t>({side * 2, side * 2}, {1, 0}));
  all.push_back(transpose<float>({side / 8, 256, side / 32}, {0, 2, 1}));
  all.push_back(transpose<float>({side / 8, 256, side / 32}, {2, 1, 0}));
  all.push_back(transpose<float>({side / 8, 256, side / 32}, {1, 0, 2}));
  all.push_back(transpose<float>({side * side / 4, 3}, {1, 0}));
  all.push_back(transpose<float>({3, side * side / 4}, {1, 0}));
  all.push_back(of<float>("x + x.T", "triad", {side, side}, 3,
                          [](const floats& x) -> floats { return x * 2 + sn::transpose(x); }));
}

void add_views(std::vector<statement>& all, index side) {
  const index n = side * side;
  all.push_back(of<float>("stencil of 3", "copy", {n}, 2, [=](const floats& a) -> floats {
    return a(sn::slice(1, n - 1)) + a(sn::slice(0, n - 2)) + a(sn::slice(2, n));
  }));
  const auto five = [](const floats& a) -> floats {
    const index r = a.shape(0), c = a.shape(1);
    const auto at = [&](index y, index x) {
      return a(sn::slice(y, r - 2 + y), sn::slice(x, c - 2 + x));
    };
    return 0.2f * (at(1, 1) + at(1, 0) + at(1, 2) + at(0, 1) + at(2, 1));
  };
  all.push_back(of<float>("jacobi", "copy", {side, side}, 2, five));
  all.push_back(of<float>("jacobi, in place", "copy", {side, side}, 2, [=](const floats& a) {
    floats b = a;
    b(sn::slice(1, a.shape(0) - 1), sn::slice(1, a.shape(1) - 1)) = five(a);
    return b;
  }));
  const index odd = side - 1;
  all.push_back(of<float>("odd rows + row", "copy", {side, odd}, 2,
                          [=](const floats& x) -> floats { return x + x(sn::slice(0, 1)); }));
  all.push_back(
      of<float>("odd rows + column", "copy", {side, odd}, 2,
                [=](const floats& x) -> floats { return x + x(sn::slice(), sn::slice(0, 1)); }));
  all.push_back(of<float>("short odd rows + row", "copy", {n / 33, 33}, 2,
                          [=](const floats& x) -> floats { return x + x(sn::slice(0, 1)); }));
  all.push_back(of<float>("rows + row", "copy", {side, side}, 2,
                          [=](const floats& x) -> floats { return x + x(sn::slice(0, 1)); }));
  all.push_back(of<float>("five axes", "copy", {16, 16, side / 16, 16, side / 16}, 2,
                          [=](const floats& x) -> floats {
                            return x + x(sn::slice(0, 1), sn::slice(), sn::slice(0, 1));
                          }));
}

void add_reductions(std::vector<statement>& all, index side) {
  const index n = side * side;
  const auto rows = [](const floats& x) { return sn::sum(x, {.axis = 1}); };
  const auto columns = [](const floats& x) { return sn::sum(x, {.axis = 0}); };
  all.push_back(of<float>("sum", "sum", {n}, 1, [](const floats& x) { return sn::sum(x); }));
  for (index length : {index(33), index(256), side - 1, side}) {
    all.push_back(of<float>("sums of rows", "sum", {n / length, length}, 1, rows));
  }
  all.push_back(of<float>("sums of columns", "sum", {side, side}, 1, columns));
  all.push_back(of<float>("sums of columns", "sum", {n / 128, 128}, 1, columns));
  all.push_back(
      of<float>("sums and deviations", "sum", {n / 128, 128}, 1, [](const floats& x) -> floats {
        return sn::sum(x, {.axis = 0}) + sn::stddev(x, {.axis = 0});
      }));
  all.push_back(of<double>("products of slices", "sum", {side / 8, 256, side / 32}, 1,
                           [](const sn::array<double>& x) { return sn::prod(x, {.axis = 0}); }));
  all.push_back(of<float>("argmax", "sum", {n}, 1, [](const floats& x) { return sn::argmax(x); }));
  all.push_back(of<float>("argmax of rows", "sum", {side, side}, 1,
                          [](const floats& x) { return sn::argmax(x, {.axis = 1}); }));
  all.push_back(of<float>("argmax of columns", "sum", {side, side}, 1,
                          [](const floats& x) { return sn::argmax(x, {.axis = 0}); }));
}

void add_scans(std::vector<statement>& all, index side) {
  const index n = side * side;
  const auto sum = [](const floats& x) -> floats { return sn::cumsum(x); };
  all.push_back(of<float>("cumsum", "copy", {n}, 2, sum));
  all.push_back(of<float>("cumsum", "copy", {100000000}, 2, sum));
  all.push_back(of<float>("cumsum(x * 2) + 1", "copy", {n}, 2, [](const floats& x) -> floats {
    return sn::cumsum(x * 2) + 1;
  }));
  all.push_back(of<double>("cumsum", "copy", {n / 2}, 2,
                           [](const sn::array<double>& x) { return sn::cumsum(x); }));
  all.push_back(of<sn::bfloat16>("cumsum", "copy", {n}, 2,
                                 [](const sn::array<sn::bfloat16>& x) { return sn::cumsum(x); }));
  for (index length : {index(33), index(256), index(1024), side - 1, side, 16 * side}) {
    all.push_back(of<float>("cumsum of rows", "copy", {n / length, length}, 2,
                            [](const floats& x) { return sn::cumsum(x, {.axis = 1}); }));
  }
  const auto columns = [](const floats& x) { return sn::cumsum(x, {.axis = 0}); };
  all.push_back(of<float>("cumsum of columns", "copy", {side, side}, 2, columns));
  all.push_back(of<float>("cumsum of columns", "copy", {n / 1024, 1024}, 2, columns));
  all.push_back(of<float>("cumsum of columns", "copy", {n / 4, 4}, 2, columns));
}

template <class T> void add_normalisations(std::vector<statement>& all, index n) {
  const sn::reduction_options rows{.axis = 1, .keepdims = true};
  const auto softmax = [=](const sn::array<T>& x) -> sn::array<T> {
    const floats v = sn::astype<float>(x);
    const floats e = sn::exp(v - sn::max(v, rows));
    return sn::astype<T>(e / sn::sum(e, rows));
  };
  const auto layernorm = [=](const sn::array<T>& x) -> sn::array<T> {
    const floats v = sn::astype<float>(x);
    const floats d = v - sn::mean(v, rows);
    return sn::astype<T>(d / sn::sqrt(sn::mean(d * d, rows) + 1e-5f));
  };
  for (index length : {100, 256, 1000, 1024, 4096, 8192, 10000, 12288, 16384, 32768, 131072}) {
    all.push_back(of<T>("softmax", "copy", {n / length, length}, 2, softmax));
    all.push_back(of<T>("layernorm", "copy", {n / length, length}, 2, layernorm));
  }
}

int run(const bench::options& o) {
  const auto scope = sn::use(sn::device(o.device));
  const bool gpu = sn::current_device().what == sn::device::kind::cuda;
  bench::report out(o);
  const index side = o.quick ? 2048 : gpu ? 16384 : 4096;
  const double budget = o.quick ? 0.02 : gpu ? 0.1 : 0.15;
  std::vector<statement> all;
  add_transposes(all, side);
  add_views(all, side);
  add_reductions(all, side);
  add_scans(all, side);
  add_normalisations<float>(all, side * side);
  add_normalisations<sn::bfloat16>(all, side * side);
  const auto ceilings = bench::make_ceilings(side * side);
  std::printf("%-44s %10s %10s\n", "", "ms", "GB/s");
  for (const statement& s : all) {
    const bench::ceiling& ceiling = ceilings.at(s.ceiling);
    std::vector<std::function<void()>> turns = {s.prepare()};
    turns.insert(turns.end(), ceiling.ways.begin(), ceiling.ways.end());
    const auto seconds = bench::seconds_of(turns, budget);
    const double speed = s.bytes / seconds[0];
    const double most = ceiling.bytes / *std::min_element(seconds.begin() + 1, seconds.end());
    std::printf("%-44s %10.3f %10.1f   %5.1f%% of %s's %.1f\n", s.name.c_str(), seconds[0] * 1e3,
                speed * 1e-9, 100 * speed / most, s.ceiling.c_str(), most * 1e-9);
    std::fflush(stdout);
    bench::record r("schedules");
    out.add(r.text("device", o.device)
                .text("name", s.name)
                .number("bytes", s.bytes)
                .number("seconds", seconds[0])
                .number("bytes_per_second", speed)
                .text("ceiling", s.ceiling)
                .number("ceiling_bytes_per_second", most)
                .number("of_ceiling", speed / most));
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) { return bench::program(run, count, arguments); }

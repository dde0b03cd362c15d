// The cost of rows relative to a flat map of as many bytes: short rows, and rows along which a
// condition on coordinates changes (rolls, pads, joins, triangles).
//
//   rows [--device cpu|cuda] [--json FILE] [--quick]

#include <algorithm>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "bench/support/bench.hpp"

namespace sn = sinter;

namespace {

using floats = sn::array<float>;

struct program {
  std::string name;
  std::function<floats()> make;
  double bytes;  // at least: each array once
};

double bytes_of(const floats& x) { return 4.0 * static_cast<double>(x.size()); }

std::vector<program> short_rows(const floats& x, std::uint64_t seed) {
  const std::int64_t rows = x.shape(0), n = x.shape(1);
  const floats row = sn::random::uniform<float>({n}, {.seed = seed});
  const floats column = sn::random::uniform<float>({rows, 1}, {.seed = seed + 1});
  sn::eval(row, column);
  const double all = bytes_of(x), one = bytes_of(column);
  const auto along = sn::reduction_options{.axis = 1};
  const auto kept = sn::reduction_options{.axis = 1, .keepdims = true};
  const std::string of = " of " + std::to_string(n);
  return {
      {"row times" + of, [=] { return floats(x * row); }, 2 * all},
      {"less row over row" + of, [=] { return floats((x - row) / (row + 1.0f)); }, 2 * all},
      {"column times" + of, [=] { return floats(x * column); }, 2 * all + one},
      {"sum" + of, [=] { return floats(sn::sum(x, along)); }, all + one},
      {"unit" + of, [=] { return floats(x / sn::sqrt(sn::sum(x * x, kept))); }, 2 * all},
      {"cumsum" + of, [=] { return floats(sn::cumsum(x, {.axis = 1})); }, 2 * all},
  };
}

std::vector<program> places(const floats& x) {
  const double all = bytes_of(x);
  const auto roll = [=](int axis) { return floats(sn::roll(x, 1, axis) * 2.0f); };
  return {
      {"roll along", [=] { return roll(1); }, 2 * all},
      {"roll across", [=] { return roll(0); }, 2 * all},
      {"roll both", [=] { return floats(sn::roll(sn::roll(x, 1, 0), 1, 1) * 2.0f); }, 2 * all},
      {"pad", [=] { return floats(sn::pad(x, 1)); }, 2 * all},
      {"concatenate 0", [=] { return sn::concatenate({x, x}, {.axis = 0}); }, 3 * all},
      {"concatenate 1", [=] { return sn::concatenate({x, x}, {.axis = 1}); }, 3 * all},
      {"tril", [=] { return floats(sn::tril(x)); }, 2 * all},
      {"arange times", [=] { return floats(x * sn::arange<float>(x.shape(1))); }, 2 * all},
  };
}

/// Times a flat map and the programs alternately.
void compare(const floats& x, const std::vector<program>& programs, const bench::options& o,
             bench::report& out) {
  std::vector<std::function<void()>> turns = {[&] { sn::eval(floats(x * 2.0f)); }};
  for (const program& p : programs) turns.push_back([&p] { sn::eval(p.make()); });
  const std::vector<double> seconds = bench::seconds_of(turns, o.quick ? 0.1 : 0.5);
  const double flat = 2 * bytes_of(x) / seconds[0];
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const double speed = programs[i].bytes / seconds[i + 1];
    std::printf("%-20s %10.1f us  %6.2f of the flat map's speed\n", programs[i].name.c_str(),
                seconds[i + 1] * 1e6, speed / flat);
    bench::record r("rows");
    out.add(r.text("device", o.device)
                .text("name", programs[i].name)
                .number("seconds", seconds[i + 1])
                .number("of_flat", speed / flat));
  }
  std::fflush(stdout);
}

int run(const bench::options& o) {
  const auto scope = sn::use(sn::device(o.device));
  bench::report out(o);
  std::random_device seed;
  const std::int64_t count = o.device == "cpu" ? 3 << 20 : 3 << 25, side = o.quick ? 1024 : 2048;
  for (const std::int64_t n :
       {2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 16, 20, 24, 32, 33, 101, 257, 1001}) {
    const floats x = sn::random::uniform<float>({count / n, n}, {.seed = seed()});
    sn::eval(x);
    compare(x, short_rows(x, seed()), o, out);
  }
  const floats x = sn::random::uniform<float>({side, side}, {.seed = seed()});
  sn::eval(x);
  compare(x, places(x), o, out);
  return 0;
}

}  // namespace

int main(int count, char** arguments) { return bench::program(run, count, arguments); }

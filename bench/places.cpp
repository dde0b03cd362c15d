// The cost of scatters relative to a copy: one value to each of n places, in random order (and
// sorted, where neighbours collide), and what bincount, histograms and segment sums consist of.
//
//   places [--device cpu|cuda] [--json FILE] [--quick]

#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "bench/support/bench.hpp"

namespace sn = sinter;

namespace {

using indices = sn::array<std::int64_t>;

struct program {
  std::string name;
  std::function<void()> run;
};

/// Elements per row of the rows that are added.
constexpr std::int64_t row = 64;

template <class T> void evaluate(const sn::array<T>& x) { sn::eval(x); }

/// x with a value per index, added at its place.
template <class T> program add_of(const std::string& name, const indices& at, std::int64_t places,
                                  std::uint64_t seed) {
  const auto x = sn::zeros<T>({places});
  const auto u = sn::random::uniform<float>(at.shape(), {.seed = seed});
  const sn::array<T> v = sn::astype<T>(u * 100.0f);
  sn::eval(x, v);
  return {name, [=] { evaluate(x.at(at).add(v)); }};
}

/// As many values, in rows.
program add_rows(const indices& at, std::int64_t places, std::uint64_t seed) {
  const std::int64_t rows = at.size() / row;
  const auto x = sn::zeros<float>({places / row + 1, row});
  const indices mine = sn::floor_divide(at(sn::slice(0, rows)), row);
  const sn::array<float> v = sn::random::uniform<float>({rows, row}, {.seed = seed});
  sn::eval(x, mine, v);
  return {"add float32, rows of 64", [=] { evaluate(x.at(mine).add(v)); }};
}

std::vector<program> programs_of(const indices& at, std::int64_t places, std::uint64_t seed) {
  const auto ordered = indices(sn::sort(at));
  const auto x = sn::random::uniform<double>(at.shape(), {.seed = seed});
  sn::eval(ordered, x);
  return {
      add_of<int>("add int32", at, places, seed),
      add_of<std::int64_t>("add int64", at, places, seed),
      add_of<float>("add float32", at, places, seed),
      add_of<double>("add float64", at, places, seed),
      add_of<float>("add float32, in order", ordered, places, seed),
      add_rows(at, places, seed),
      {"bincount", [=] { evaluate(sn::bincount(at)); }},
      {"bincount, weights", [=] { evaluate(sn::bincount(at, x)); }},
      {"histogram",
       [=] { evaluate(sn::histogram(x, {.bins = places}).hist); }},
  };
}

void compare(std::int64_t n, std::int64_t places, const bench::options& o, bench::report& out) {
  std::random_device seed;
  const indices at = sn::random::integers<std::int64_t>({n}, {.seed = seed(), .high = places});
  sn::eval(at);
  const std::vector<program> all = programs_of(at, places, seed());
  std::vector<std::function<void()>> turns = {[&] { sn::eval(indices(at + 1)); }};
  for (const program& p : all) turns.push_back(p.run);
  const std::vector<double> seconds = bench::seconds_of(turns, o.quick ? 0.1 : 0.5);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::printf("%9lld places  %-24s %10.1f us  %7.2f of a copy of the indices\n",
                static_cast<long long>(places), all[i].name.c_str(), seconds[i + 1] * 1e6,
                seconds[i + 1] / seconds[0]);
    bench::record r("places");
    out.add(r.text("device", o.device)
                .text("name", all[i].name)
                .number("places", static_cast<double>(places))
                .number("values", static_cast<double>(n))
                .number("seconds", seconds[i + 1])
                .number("of_copy", seconds[i + 1] / seconds[0]));
  }
  std::fflush(stdout);
}

int run(const bench::options& o) {
  const auto scope = sn::use(sn::device(o.device));
  bench::report out(o);
  const std::int64_t n = o.device == "cpu" ? 1'000'000 : 10'000'000;
  for (const std::int64_t places : {16, 256, 4096, 65536, 1'000'000}) compare(n, places, o, out);
  return 0;
}

}  // namespace

int main(int count, char** arguments) { return bench::program(run, count, arguments); }

// Fused against unfused, and against the memory bandwidth of hand-written kernels in the same run.
//
//   fusion [--device cpu|cuda] [--json FILE] [--quick]

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <random>
#include <vector>

#include <sinter/sinter.hpp>

#include "bench/support/bench.hpp"
#include "bench/support/ceilings.hpp"
#include "bench/support/workloads.hpp"

namespace sn = sinter;

namespace {

struct settings {
  bench::sizes sizes;
  double budget;  // seconds per number
};

/// Switching costs nothing: both kinds of plans are cached.
std::function<void()> evaluation(const bench::workload& w, bool fused) {
  return [&w, fused] {
    sn::fusion(fused);
    sn::eval(w.make());
  };
}

void compare(const bench::workload& w, const bench::ceiling& ceiling, const settings& s,
             const bench::options& o, bench::report& out) {
  std::vector<std::function<void()>> turns = {evaluation(w, true), evaluation(w, false)};
  turns.insert(turns.end(), ceiling.ways.begin(), ceiling.ways.end());
  const auto times = bench::timings_of(turns, s.budget);
  sn::fusion(true);
  const double fused = times[0].device, unfused = times[1].device;
  const double speed = static_cast<double>(w.bytes) / fused;
  double by_hand = times[2].device;
  for (std::size_t i = 3; i < times.size(); ++i) by_hand = std::min(by_hand, times[i].device);
  const double most = ceiling.bytes / by_hand;
  std::printf("%-14s %10.3f %10.3f %7.2f %10.1f   %5.1f%% of %s's %.1f\n", w.name.c_str(),
              fused * 1e3, unfused * 1e3, unfused / fused, speed * 1e-9, 100 * speed / most,
              w.ceiling.c_str(), most * 1e-9);
  std::fflush(stdout);
  bench::record r("fusion");
  out.add(r.text("device", o.device)
              .text("name", w.name)
              .number("bytes", static_cast<double>(w.bytes))
              .number("fused_seconds", fused)
              .number("unfused_seconds", unfused)
              .number("fused_host_seconds", times[0].host)
              .number("bytes_per_second", speed)
              .text("ceiling", w.ceiling)
              .number("ceiling_bytes_per_second", most)
              .number("of_ceiling", speed / most));
}

int run(const bench::options& o) {
  const auto scope = sn::use(sn::device(o.device));
  bench::report out(o);
  const settings s =
      o.quick ? settings{{10'000'000, 3000}, 0.2} : settings{{100'000'000, 10'000}, 2};
  auto ceilings = bench::make_ceilings(s.sizes.elements);
  std::printf("%s, %lld floats, matrices of %lld x %lld; copy, triad and sum are hand-written\n\n",
              o.device.c_str(), static_cast<long long>(s.sizes.elements),
              static_cast<long long>(s.sizes.side), static_cast<long long>(s.sizes.side));
  std::printf("%-14s %10s %10s %7s %10s\n", "", "fused ms", "unfused ms", "ratio", "fused GB/s");
  const bench::workload_maker makers[] = {
      bench::saxpy,         bench::chain, bench::chain_of_two, bench::long_chain,   bench::softplus,
      bench::black_scholes, bench::sum,   bench::row_softmax,  bench::row_variance, bench::blur};
  std::random_device seed;
  for (const auto& make : makers) {
    const bench::workload w = make(s.sizes, seed());
    compare(w, ceilings.at(w.ceiling), s, o, out);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) { return bench::program(run, count, arguments); }

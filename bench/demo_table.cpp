// The demo's table: fused, unfused and hand-written code for a few computations; then the plan and
// a generated kernel of one of them.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <random>
#include <string>

#include <sinter/sinter.hpp>

#include "bench/support/bench.hpp"
#include "bench/support/hand_written.hpp"
#include "bench/support/workloads.hpp"
#include "runtime/thread_pool.hpp"

namespace sn = sinter;

namespace {

/// Seconds per number; on two cores the whole table then takes half a minute.
constexpr double budget = 0.4;

std::int64_t launches_of(const std::function<void()>& f) {
  const auto before = sn::session_statistics().launches;
  f();
  return sn::session_statistics().launches - before;
}

/// Prints a row; does the fused result match the loops?
bool compare(const bench::workload& w) {
  const auto evaluation = [&](bool fused) {
    return [&w, fused] {
      sn::fusion(fused);
      sn::eval(w.make());
    };
  };
  const auto launches = launches_of(evaluation(true)), alone = launches_of(evaluation(false));
  const auto seconds = bench::seconds_of({evaluation(true), evaluation(false), w.by_hand}, budget);
  sn::fusion(true);
  const double fused = seconds[0], unfused = seconds[1], hand = seconds[2];
  std::printf("%-14s %8.2f %8.2f %8.2f   %6.2f %6.2f   %7.1f   %2lld %3lld\n", w.name.c_str(),
              fused * 1e3, unfused * 1e3, hand * 1e3, unfused / fused, hand / fused,
              static_cast<double>(w.bytes) / fused * 1e-9, static_cast<long long>(launches),
              static_cast<long long>(alone));
  std::fflush(stdout);
  const double wrong = bench::difference(w);
  if (wrong < 1e-4) return true;
  std::printf("%s: differs from the loops by %g\n", w.name.c_str(), wrong);
  return false;
}

bool show_table(const bench::sizes& sizes) {
  std::printf("%-14s %8s %8s %8s   %13s   %7s   %s\n", "", "fused", "unfused", "by hand",
              "times faster", "fused", "launches");
  std::printf("%-14s %8s %8s %8s   %6s %6s   %7s   %s\n", "", "ms", "ms", "ms", "unf.", "hand",
              "GB/s", "fused, unf.");
  const bench::workload_maker makers[] = {
      bench::saxpy,       bench::chain,        bench::softplus, bench::black_scholes,
      bench::row_softmax, bench::row_variance, bench::blur};
  std::random_device seed;
  bool ok = true;
  for (const auto& make : makers) ok = compare(make(sizes, seed())) && ok;
  return ok;
}

/// The interesting part: CUDA text after the prelude, or the loop of the LLVM text.
std::string shortened(const std::string& source) {
  const auto kernel = source.find("extern \"C\" __global__");
  if (kernel != source.npos) return source.substr(kernel);
  const auto loop = source.find("i.stream.loop:");
  if (loop == source.npos) return source;
  const auto end = source.find("\n\n", loop);
  const auto lines = std::count(source.begin(), source.end(), '\n');
  return source.substr(loop, end - loop) + "\n... of " + std::to_string(lines) +
         " lines; SINTER_DUMP=llvm prints them all\n";
}

void show_plan(const bench::workload& w) {
  const auto y = w.make();
  const std::string all = sn::explain(y), summary = sn::explain(y, {.source = false});
  std::printf("\nexplain(%s):\n%s\n%s", w.name.c_str(), summary.c_str(),
              shortened(all.substr(summary.size())).c_str());
}

}  // namespace

int main() {
  const bool gpu = sn::current_device().what == sn::device::kind::cuda;
  const bench::sizes sizes = gpu ? bench::sizes{100'000'000, 10'000} : bench::sizes{1 << 24, 4096};
  std::printf(
      "%lld floats, or a matrix of %lld x %lld. sinter on %s; by hand: C++ loops on %d "
      "threads.\nGB/s counts inputs and results once.\n\n",
      static_cast<long long>(sizes.elements), static_cast<long long>(sizes.side),
      static_cast<long long>(sizes.side), sn::to_string(sn::current_device()).c_str(),
      sinter::runtime::default_threads());
  const bool ok = show_table(sizes);
  show_plan(bench::chain(sizes, 1));
  return ok ? 0 : 1;
}

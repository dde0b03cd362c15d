// The workloads for comparison with other array libraries, fused and unfused.
//
//   suite [--device cpu|cuda] [--quick] [--only NAMES] [--json FILE] [--budget SECONDS]
//         [--exclude NAMES] [--check] [--list]
//
// NAMES are names of workloads, parts of names, or groups (A to D), separated by commas. --check
// compares results without timing; --list prints as JSON what would run. Otherwise --json gets a
// line per workload, size and mode ("sinter", "sinter_unfused"):
//   gpu_us         median microseconds per call, of calls back to back: the device's time, or
//                  the host's if that is longer
//   host_us        to queue a call, without waiting for it
//   first_call_ms  of the first call at that size: planned, compiled, run; no kernel is on disk
//   check_rel_err  the relative error in the 2-norm, against plain loops over doubles
//   peak_over_live the peak memory during a call, relative to that of its inputs and outputs
//   kernels        launches of a call; bytes: what they read and write; plans: made while timing

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>

#include <unistd.h>

#include "bench/suite/data.hpp"
#include "bench/suite/options.hpp"
#include "bench/suite/results.hpp"
#include "bench/support/bench.hpp"
#include "bench/support/ceilings.hpp"

namespace {

using namespace suite;

/// The peak memory during a call, relative to its inputs and results.
double peak_over_live(const program& p) {
  std::int64_t peak = 0;
  const sn::memory_watch watch(
      [&](const sn::memory_event& e) { peak = std::max(peak, e.after.used); });
  const auto results = p.results();
  sn::synchronize();
  const auto live = std::max<std::int64_t>(sn::memory().used, 1);
  return static_cast<double>(std::max(peak, live)) / static_cast<double>(live);
}

/// Runs a workload at a size and fills in its row.
void run_one(const workload& w, const size& at, const settings& s, double share,
             std::mt19937_64& generator, row& r) {
  const data in = make_data(w.inputs(at.d), at.what & checked, generator);
  const program p = w.run(at.d, in.arrays);
  if (p.prepare) p.prepare();
  sn::synchronize();
  auto before = sn::session_statistics();
  const double start = bench::now();
  auto results = p.results();
  sn::synchronize();
  r.first(bench::now() - start, since(before));
  if (at.what & checked) {
    tensors got;
    for (const auto& x : results) got.push_back(to_tensor(x));
    r.judged(w.error(at.d, in.host, got));
  }
  if (p.prepare) p.prepare();
  results.clear();
  r.peaked(peak_over_live(p));
  if (p.prepare) p.prepare();
  before = sn::session_statistics();
  const auto again = p.results();
  r.counted(since(before), plan_of(again.at(0)));
  if (!(at.what & timed) || s.check) return;
  before = sn::session_statistics();
  patience limits = s.gpu ? on_gpu : on_cpu;
  if (s.o.quick) limits.shorten();
  limits.total = std::min(limits.total, share);
  limits.most_runs = w.most_runs;
  const timing t = measure(p, limits);
  r.took(t, since(before));
}

/// Divides the remaining time evenly among the remaining jobs.
class clock {
 public:
  explicit clock(double budget) : end_(budget > 0 ? bench::now() + budget : 1e300) {}
  bool over() const { return bench::now() > end_; }
  double share(std::size_t left) const {
    return std::max(0.0, end_ - bench::now()) / static_cast<double>(std::max<std::size_t>(left, 1));
  }

 private:
  double end_;
};

/// A job in one mode.
struct turn {
  job what;
  const char* peer;
};

/// All fused jobs, then all unfused; those that may take long come last.
std::vector<turn> turns_of(const std::vector<job>& jobs) {
  std::vector<turn> turns;
  for (const bool late : {false, true}) {
    for (const char* const peer : {"sinter", "sinter_unfused"}) {
      for (const job& j : jobs) {
        if (j.w->late == late) turns.push_back({j, peer});
      }
    }
  }
  return turns;
}

/// False if a result is wrong or a job failed.
bool run_all(const std::vector<turn>& turns, const settings& s, const clock& time,
             std::mt19937_64& generator, bench::report& out) {
  bool fine = true;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const auto& [w, at] = turns[i].what;
    if (time.over()) {
      std::printf("no time was left for %zu of %zu rows, from %s %s on\n", turns.size() - i,
                  turns.size(), w->name.c_str(), at->label.c_str());
      break;
    }
    sn::fusion(!std::strcmp(turns[i].peer, "sinter"));
    row r(*w, *at, turns[i].peer);
    try {
      run_one(*w, *at, s, time.share(turns.size() - i) / 2, generator, r);
      r.print();
    } catch (const std::exception& e) {
      r.failed(e.what());
      fine = false;
    }
    out.add(r.record());
    fine = fine && !r.wrong();
    sn::trim();
  }
  sn::fusion(true);
  return fine;
}

void measure_ceilings(const settings& s, bench::report& out) {
  for (const auto& [name, c] :
       bench::make_ceilings(s.gpu && !s.o.quick ? 100'000'000 : 10'000'000)) {
    const auto seconds = bench::seconds_of(c.ways, s.o.quick ? 0.05 : 0.2);
    const double speed = c.bytes / *std::min_element(seconds.begin(), seconds.end()) * 1e-9;
    std::printf("ceiling: %s %.1f GB/s\n", name.c_str(), speed);
    out.add(bench::record("suite")
                .text("workload", "ceiling")
                .text("peer", "hand")
                .text("name", name)
                .number("value", speed)
                .text("unit", "GB/s"));
  }
}

void describe(const settings& s, unsigned seed, bench::report& out) {
  std::string status = sn::status();
  std::replace(status.begin(), status.end(), '\n', ' ');
  std::printf("%s, seed %u\n%s\n", s.o.device.c_str(), seed, status.c_str());
  out.add(bench::record("suite")
              .text("workload", "env")
              .text("peer", "-")
              .text("device", s.o.device)
              .text("status", status)
              .number("seed", seed));
}

/// Compiling one kernel may outlast any budget; the measurements are written before that.
void stop_after(double seconds) {
  if (seconds <= 0) return;
  std::signal(SIGALRM, [](int) {
    constexpr char words[] = "stopped: a row took longer than the budget\n";
    if (write(2, words, sizeof words - 1) < 0) std::_Exit(4);
    std::_Exit(3);
  });
  alarm(static_cast<unsigned>(seconds) + 5);
}

int run(const settings& s) {
  const std::vector<workload> all = chosen(s);
  const std::vector<job> jobs = jobs_of(all, s);
  if (s.list) {
    list(jobs);
    return 0;
  }
  const auto scope = sn::use(sn::device(s.o.device));
  const clock time(s.budget);
  stop_after(s.budget);
  bench::report out(s.o);
  const unsigned seed = std::random_device()();
  describe(s, seed, out);
  std::mt19937_64 generator(seed);
  sn::eval(sn::sum(sn::ones<float>({1000}) * 2));  // creates the context and the compiler
  if (!s.check) measure_ceilings(s, out);
  std::printf("%-18s %-15s %-15s %12s %9s %9s %7s\n", "", "", "", "us", "host us", "first ms",
              "kernels");
  return run_all(turns_of(jobs), s, time, generator, out) ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) try {
  const bench::fresh_cache cache;
  return run(parse(count, arguments));
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}

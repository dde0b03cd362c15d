// The workloads that array libraries are compared by, fused and unfused.
//
//   suite [--device cpu|cuda] [--quick] [--only NAMES] [--json FILE] [--budget SECONDS]
//
// Writes a line of JSON for each workload, size and way ("sinter", "sinter_unfused"):
//   gpu_us         median microseconds of a call, of calls back to back: what the device takes, or
//                  the host where that is slower
//   host_us        to queue a call, without waiting for it
//   first_call_ms  of the first call at that size: planned, compiled, run; no kernel is on disk
//   check_rel_err  the relative error in the 2-norm, against plain loops over doubles
//   kernels        launches of a call; bytes: what they read and write; plans: made while timing

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <random>

#include "bench/suite/data.hpp"
#include "bench/suite/measure.hpp"
#include "bench/suite/workload.hpp"
#include "bench/support/bench.hpp"
#include "bench/support/ceilings.hpp"
#include "bench/support/kernels.hpp"

namespace {

using namespace suite;

struct settings {
  bench::options o;
  std::vector<std::string> only;
  double budget = 0;  // seconds; 0: no limit
  bool gpu = false;
};

[[noreturn]] void usage(const char* program) {
  std::fprintf(stderr,
               "usage: %s [--device cpu|cuda] [--quick] [--only NAMES] [--json FILE] "
               "[--budget SECONDS]\nNAMES: groups (A to D) or parts of names, with commas\n",
               program);
  std::exit(2);
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    if (end > at) words.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

settings parse(int count, char** arguments) {
  settings s;
  std::vector<char*> rest{arguments[0]};
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    const bool ours = word == "--only" || word == "--budget";
    if (!ours) {
      rest.push_back(arguments[i]);
    } else if (i + 1 == count) {
      usage(arguments[0]);
    } else if (word == "--only") {
      s.only = split(arguments[++i]);
    } else {
      s.budget = std::atof(arguments[++i]);
    }
  }
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (!std::strcmp(rest[i], "--help")) usage(arguments[0]);
  }
  s.o = bench::parse(static_cast<int>(rest.size()), rest.data());
  s.gpu = sn::device(s.o.device).what == sn::device::kind::cuda;
  return s;
}

bool wanted(const settings& s, const workload& w) {
  if (s.only.empty()) return true;
  return std::any_of(s.only.begin(), s.only.end(), [&](const std::string& word) {
    return word.size() == 1 ? word[0] == w.group : w.name.find(word) != w.name.npos;
  });
}

bool wanted(const settings& s, const size& at) {
  if (s.o.quick && (at.what & large)) return false;
  return s.gpu ? !(at.what & cpu_only) || s.o.quick : !(at.what & large);
}

/// What the session did between two moments.
sn::statistics since(const sn::statistics& before) {
  sn::statistics s = sn::session_statistics();
  s.plans -= before.plans;
  s.plan_hits -= before.plan_hits;
  s.compiles -= before.compiles;
  s.launches -= before.launches;
  return s;
}

/// Of the plan that computed x, as the planner counts them; none if x has no plan.
std::optional<double> bytes_of(const sn::any_array& x) try {
  double bytes = 0;
  for (const auto& r : bench::plan_of(x)->plan.reports) {
    bytes += static_cast<double>(r.bytes_read + r.bytes_written);
  }
  return bytes;
} catch (const std::exception&) {
  return {};
}

/// A row of the results; prints and writes it.
class row {
 public:
  row(const workload& w, const size& at, const std::string& peer)
      : w_(w), at_(at), peer_(peer), record_("suite") {
    record_.text("workload", w.name)
        .text("group", std::string(1, w.group))
        .text("size", at.label)
        .text("dtype", w.type)
        .text("peer", peer)
        .number("bytes_min", w.bytes(at.d))
        .number("flops", w.flops(at.d));
    if (w.sweeps) record_.number("bytes_sweep", w.sweeps(at.d));
  }

  void first(double seconds, const sn::statistics& s) {
    first_ = 1e3 * seconds;
    record_.number("first_call_ms", first_).number("compiles", static_cast<double>(s.compiles));
  }
  void counted(const sn::statistics& s, std::optional<double> bytes) {
    kernels_ = static_cast<double>(s.launches);
    record_.number("kernels", kernels_);
    if (bytes && s.plans + s.plan_hits <= 1) record_.number("bytes", *bytes);
  }
  void judged(double error) {
    ok_ = error <= w_.tolerance;
    record_.number("check_rel_err", error).flag("check_ok", *ok_);
  }
  void took(const timing& t, const sn::statistics& s) {
    const double moved = w_.sweeps ? w_.sweeps(at_.d) : w_.bytes(at_.d);
    timing_ = t;
    record_.number("gpu_us", t.device)
        .number("min_us", t.least)
        .number("host_us", t.host)
        .number("batches", t.batches)
        .number("calls", t.calls)
        .number("plans", static_cast<double>(s.plans))
        .number("gbps_effective", moved / t.device * 1e-3)
        .number("tflops", w_.flops(at_.d) / t.device * 1e-6);
  }
  void failed(const std::string& why) {
    record_.text("status", "error").text("error", why);
    std::printf("%-18s %-15s %-15s %s\n", w_.name.c_str(), at_.label.c_str(), peer_.c_str(),
                why.c_str());
  }
  void print() const {
    std::printf("%-18s %-15s %-15s %12.2f %9.2f %9.1f %7.0f  %s\n", w_.name.c_str(),
                at_.label.c_str(), peer_.c_str(), timing_.device, timing_.host, first_, kernels_,
                ok_ ? *ok_ ? "ok" : "WRONG" : "");
    std::fflush(stdout);
  }
  const bench::record& record() const { return record_; }
  bool wrong() const { return ok_ && !*ok_; }

 private:
  const workload& w_;
  const size& at_;
  std::string peer_;
  bench::record record_;
  timing timing_;
  double first_ = 0, kernels_ = 0;
  std::optional<bool> ok_;
};

/// Runs a workload at a size and fills its row.
void run_one(const workload& w, const size& at, const settings& s, double share,
             std::mt19937_64& generator, row& r) {
  const data in = make_data(w.inputs(at.d), at.what & checked, generator);
  const program p = w.run(at.d, in.arrays);
  if (p.prepare) p.prepare();
  sn::synchronize();
  auto before = sn::session_statistics();
  const double start = bench::now();
  const auto results = p.results();
  sn::synchronize();
  r.first(bench::now() - start, since(before));
  if (at.what & checked) {
    tensors got;
    for (const auto& x : results) got.push_back(to_tensor(x));
    r.judged(w.error(at.d, in.host, got));
  }
  if (p.prepare) p.prepare();
  before = sn::session_statistics();
  const auto again = p.results();
  r.counted(since(before), bytes_of(again.at(0)));
  if (!(at.what & timed)) return;
  before = sn::session_statistics();
  const patience limits{s.o.quick ? 2e-3 : 4e-3, std::min(s.o.quick ? 0.03 : 0.15, share),
                        w.most_runs};
  const timing t = measure(p, limits);
  r.took(t, since(before));
}

struct job {
  const workload* w;
  const size* at;
};

/// The time that is left for what is left, shared out evenly.
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

/// All jobs in one way; false if a result is wrong.
bool run_all(const std::vector<job>& jobs, const std::string& peer, const settings& s,
             const clock& time, std::mt19937_64& generator, bench::report& out) {
  bool fine = true;
  sn::fusion(peer == "sinter");
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& [w, at] = jobs[i];
    if (time.over()) {
      std::printf("%s: no time was left for %zu of %zu rows, from %s %s on\n", peer.c_str(),
                  jobs.size() - i, jobs.size(), w->name.c_str(), at->label.c_str());
      break;
    }
    row r(*w, *at, peer);
    try {
      run_one(*w, *at, s, time.share(jobs.size() - i) / 2, generator, r);
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

int run(const settings& s) {
  const auto scope = sn::use(sn::device(s.o.device));
  const clock time(s.budget);
  bench::report out(s.o);
  const unsigned seed = std::random_device()();
  describe(s, seed, out);
  std::mt19937_64 generator(seed);
  sn::eval(sn::sum(sn::ones<float>({1000}) * 2));  // the context and the compiler are there now
  measure_ceilings(s, out);
  const std::vector<workload> all = all_workloads();
  std::vector<job> jobs;
  for (const workload& w : all) {
    if (!wanted(s, w)) continue;
    for (const size& at : w.sizes) {
      if (wanted(s, at)) jobs.push_back({&w, &at});
    }
  }
  std::printf("%-18s %-15s %-15s %12s %9s %9s %7s\n", "", "", "", "us", "host us", "first ms",
              "kernels");
  bool fine = true;
  for (const char* const peer : {"sinter", "sinter_unfused"}) {
    fine = run_all(jobs, peer, s, time, generator, out) && fine;
  }
  return fine ? 0 : 1;
}

/// An empty place for compiled kernels, so that every first call is one.
struct fresh_cache {
  std::string folder = (std::filesystem::temp_directory_path() / "sinter_suite_XXXXXX").string();
  fresh_cache() {
    if (!mkdtemp(folder.data())) std::perror(folder.c_str());
    setenv("SINTER_CACHE_DIR", folder.c_str(), 1);
  }
  ~fresh_cache() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
};

}  // namespace

int main(int count, char** arguments) try {
  const fresh_cache cache;
  return run(parse(count, arguments));
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}

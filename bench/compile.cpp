// The cost of a new kernel, part by part, and how few kernels are needed.
//
//   compile [--device cpu|cuda] [--json FILE] [--quick]
//
// Uses a kernel cache of its own, and removes it at the end.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>

#include <sinter/sinter.hpp>

#include "bench/support/bench.hpp"
#include "bench/support/kernels.hpp"
#include "ir/kernel.hpp"

namespace sn = sinter;
using floats = sn::array<float>;

namespace {

struct costs {
  double plan = 0, own = 0, vendor = 0, load = 0, disk = 0;  // seconds
  double image = 0;                                          // bytes
};

/// For the plan's first kernel: medians of repeated compilations and loads.
costs measure(const floats& x, const std::string& folder, int times) {
  const auto plan = bench::plan_of(x);
  const auto& target = sn::detail::the_session().current();
  if (!target.compiler) throw std::runtime_error("there is no compiler: " + sn::status());
  const sn::ir::kernel& kernel = plan->of->plan.kernels.at(0);
  sn::runtime::kernel_cache disk({.folder = folder});
  costs c;
  c.plan = plan->of->seconds;
  std::vector<double> own, vendor, load, hit;
  for (int i = 0; i < times; ++i) {
    const double start = bench::now();
    const auto built = target.compiler->compile(kernel, {});
    const double compiled = bench::now();
    (void)target.device->load(built.image, built.entry);
    const double loaded = bench::now();
    disk.store("kernel", built.image);
    const double stored = bench::now();
    const auto found = disk.find("kernel");
    if (!found) throw std::runtime_error("nothing in the kernel cache: " + disk.status());
    (void)target.device->load(*found, built.entry);
    hit.push_back(bench::now() - stored);
    own.push_back(built.own_seconds);
    vendor.push_back(compiled - start - built.own_seconds);
    load.push_back(loaded - compiled);
    c.image = static_cast<double>(built.image.size());
  }
  c.own = bench::median(own);
  c.vendor = bench::median(vendor);
  c.load = bench::median(load);
  c.disk = bench::median(hit);
  return c;
}

void show(const char* name, const costs& c, const bench::options& o, bench::report& out) {
  std::printf("%-14s %8.3f %8.3f %8.2f %8.3f %8.2f %8.3f %9.0f\n", name, c.plan * 1e3, c.own * 1e3,
              c.vendor * 1e3, c.load * 1e3, (c.own + c.vendor + c.load) * 1e3, c.disk * 1e3,
              c.image);
  bench::record r("compile");
  out.add(r.text("device", o.device)
              .text("name", name)
              .number("plan_seconds", c.plan)
              .number("own_seconds", c.own)
              .number("vendor_seconds", c.vendor)
              .number("load_seconds", c.load)
              .number("disk_hit_seconds", c.disk)
              .number("image_bytes", c.image));
}

void show_kernels(const std::string& folder, const bench::options& o, bench::report& out) {
  const int times = o.quick ? 5 : 31;
  const floats x = sn::random::uniform<float>({1000, 1000}, {.seed = 1});
  const floats y = sn::random::uniform<float>({1000, 1000}, {.seed = 2});
  sn::eval(x, y);
  std::printf("milliseconds   %8s %8s %8s %8s %8s %8s %9s\n", "planning", "our code", "compiler",
              "loading", "cold", "disk hit", "bytes");
  const auto row = [&](const char* name, const floats& z) {
    show(name, measure(z, folder + "/again", times), o, out);
  };
  row("a * b + 1", x * y + 1);
  row("chain of 5", sn::minimum((x * 2 + 1) * x - 0.5, 4));
  row("transposed", x + sn::swapaxes(y, 0, 1));
  row("softplus", sn::maximum(x, 0) + sn::log1p(sn::exp(-sn::abs(x))));
  row("normal", sn::random::normal<float>({1000, 1000}, {.seed = 3}));
  row("sum", sn::sum(x));
  const floats e = sn::exp(x - sn::max(x, {.axis = 1, .keepdims = true}));
  row("row softmax", e / sn::sum(e, {.axis = 1, .keepdims = true}));
}

/// The kernels that the statements of `run` needed.
template <class F> sn::statistics counted(F run) {
  const auto before = sn::session_statistics();
  run();
  auto s = sn::session_statistics();
  s.compiles -= before.compiles;
  s.disk_hits -= before.disk_hits;
  return s;
}

/// One expression at 1,000 lengths and with 100 scalars.
void lengths_and_scalars() {
  const std::vector<float> host(1'000'000, 0.5f);
  for (std::int64_t i = 0; i < 1000; ++i) {
    const std::int64_t n = 1 + i * 997;
    const auto x = sn::asarray(std::span(host).first(static_cast<std::size_t>(n)));
    sn::eval(floats(sn::exp(x * 2 + 1) - x));
  }
  const auto x = sn::asarray(host);
  for (int i = 0; i < 100; ++i) sn::eval(floats(sn::exp(x * (i * 0.01) + 1) - x));
}

/// A softmax along rows of 1,000 lengths that are multiples of a vector.
void lengths_of_rows() {
  const std::vector<float> host(512 * 9000, 0.5f);
  const sn::reduction_options rows{.axis = 1, .keepdims = true};
  for (std::int64_t n = 1000; n < 9000; n += 8) {
    const auto all = sn::asarray(std::span(host).first(static_cast<std::size_t>(512 * n)));
    const floats x = sn::reshape(all, {512, n});
    const floats e = sn::exp(x - sn::max(x, rows));
    sn::eval(floats(e / sn::sum(e, rows)));
  }
}

void show_count(const char* process, const char* of, const sn::statistics& s,
                const bench::options& o) {
  std::printf("%s process: %s: %lld compiled, %lld from disk\n", process, of,
              static_cast<long long>(s.compiles), static_cast<long long>(s.disk_hits));
  std::fflush(stdout);
  bench::record r("compile_count");
  bench::report(o).add(r.text("device", o.device)
                           .text("process", process)
                           .text("of", of)
                           .number("compiles", static_cast<double>(s.compiles))
                           .number("disk_hits", static_cast<double>(s.disk_hits)));
}

void show_counts(const char* process, const bench::options& o) {
  show_count(process, "1,000 lengths and 100 scalars", counted(lengths_and_scalars), o);
  show_count(process, "softmax of 1,000 row lengths", counted(lengths_of_rows), o);
}

/// The same counts in a second process, which finds this one's kernels on disk.
void run_second(const bench::options& o) {
  std::string command =
      "'" + std::filesystem::read_symlink("/proc/self/exe").string() + "' --device " + o.device;
  if (!o.json.empty()) command += " --json '" + o.json + "'";
  setenv("SINTER_BENCH_SECOND", "1", 1);
  if (std::system(command.c_str()) != 0) throw std::runtime_error("the second process failed");
}

int run(int count, char** arguments) {
  if (std::getenv("SINTER_BENCH_SECOND")) {
    const bench::options o = bench::parse(count, arguments);
    const auto scope = sn::use(sn::device(o.device));
    show_counts("second", o);
    return 0;
  }
  const bench::fresh_cache cache;
  const bench::options o = bench::parse(count, arguments);
  {
    const auto scope = sn::use(sn::device(o.device));
    show_counts("first", o);
    run_second(o);
    bench::report out(o);
    show_kernels(cache.folder(), o, out);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) try {
  return run(count, arguments);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}

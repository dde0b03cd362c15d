// Transforms against direct library calls, and convolutions by sums against transforms.
//
//   fft [--device cpu|cuda] [--json FILE] [--quick]
//
// "library" is the same transform of existing arrays through the runtime: one cufftXtExec, or
// FFTW's plan on all threads. "FFTW" and "FFTW measured" (CPU) are FFTW alone with its own threads,
// planned by heuristics and by timing; sinter uses only the former, so that a transform gives the
// same bits in every run.

#include "runtime/fft.hpp"

#include <cmath>
#include <complex>
#include <cstdio>
#include <exception>

#include <sinter/sinter.hpp>

#include "bench/support/bench.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/nodes/node.hpp"
#include "runtime/dynamic_library.hpp"

namespace sn = sinter;
using complexes = sn::array<std::complex<float>>;
using floats = sn::array<float>;

namespace {

struct transform {
  const char* name;
  std::vector<std::int64_t> shape;
  int rank;  // of the last axes; 0: the first axis alone
  bool real;
};

const transform transforms[] = {
    {"1-D, 2^20", {1 << 20}, 1, false},
    {"1-D, 10^6", {1'000'000}, 1, false},
    {"1-D, 1024 x 1024", {1024, 1024}, 1, false},
    {"1-D, 65536 x 64", {65536, 64}, 1, false},
    {"1-D, 100 x 10007", {100, 10007}, 1, false},
    {"columns, 1024 x 1024", {1024, 1024}, 0, false},
    {"2-D, 1024 x 1024", {1024, 1024}, 2, false},
    {"2-D, 64 of 128 x 128", {64, 128, 128}, 2, false},
    {"3-D, 128^3", {128, 128, 128}, 3, false},
    {"real 1-D, 2^20", {1 << 20}, 1, true},
    {"real 1-D, 1024 x 1024", {1024, 1024}, 1, true},
    {"real 2-D, 2048 x 2048", {2048, 2048}, 2, true},
};

sn::axis_list axes_of(const transform& t) {
  if (t.rank == 0) return {0};
  std::vector<std::int64_t> axes;
  for (int i = -t.rank; i < 0; ++i) axes.push_back(i);
  return axes;
}

double points(const transform& t) {
  double n = 1;
  if (t.rank == 0) return static_cast<double>(t.shape[0]);
  for (std::size_t d = t.shape.size() - static_cast<std::size_t>(t.rank); d < t.shape.size(); ++d) {
    n *= static_cast<double>(t.shape[d]);
  }
  return n;
}

double elements(const transform& t) {
  double n = 1;
  for (std::int64_t e : t.shape) n *= static_cast<double>(e);
  return n;
}

/// The runtime's description of the transform.
sn::runtime::fft_call call_of(const transform& t) {
  namespace rt = sn::runtime;
  rt::fft_call c;
  c.kind = t.real ? rt::fft_kind::real_to_complex : rt::fft_kind::complex;
  c.rank = std::max(t.rank, 1);
  std::int64_t size = 1;
  const std::size_t first = t.rank == 0 ? 0 : t.shape.size() - static_cast<std::size_t>(t.rank);
  for (std::size_t d = 0; d < static_cast<std::size_t>(c.rank); ++d) {
    c.length[d] = c.in_layout.embed[d] = c.out_layout.embed[d] = t.shape[first + d];
    size *= c.length[d];
  }
  const std::int64_t last = c.length[static_cast<std::size_t>(c.rank) - 1];
  const std::int64_t half = t.real ? size / last * (last / 2 + 1) : size;
  if (t.real) c.out_layout.embed[static_cast<std::size_t>(c.rank) - 1] = last / 2 + 1;
  c.batch = static_cast<std::int64_t>(elements(t)) / size;
  c.in_layout.distance = size;
  c.out_layout.distance = half;
  if (t.rank == 0) {
    c.batch = t.shape[1];
    c.in_layout.stride = c.out_layout.stride = c.batch;
    c.in_layout.distance = c.out_layout.distance = 1;
  }
  return c;
}

/// FFTW alone, through its own interface and threads.
class fftw_alone {
 public:
  fftw_alone()
      : library_(sn::runtime::dynamic_library::open({"libfftw3f.so.3"})),
        threads_(sn::runtime::dynamic_library::open({"libfftw3f_threads.so.3"})) {
    plan_ = library_.function<void*(int, const int*, int, void*, const int*, int, int, void*,
                                    const int*, int, int, int, unsigned)>("fftwf_plan_many_dft");
    execute_ = library_.function<void(void*)>("fftwf_execute");
    if (auto* start = threads_.function<int()>("fftwf_init_threads")) start();
    set_threads_ = threads_.function<void(int)>("fftwf_plan_with_nthreads");
  }
  explicit operator bool() const { return plan_ && execute_ && set_threads_; }

  std::function<void()> plan(const transform& t, int threads, bool measured) {
    const auto c = call_of(t);
    int n[3];
    for (std::size_t d = 0; d < 3; ++d) n[d] = static_cast<int>(c.length[d]);
    auto in =
        std::make_shared<std::vector<std::complex<float>>>(static_cast<std::size_t>(elements(t)));
    auto out = std::make_shared<std::vector<std::complex<float>>>(in->size());
    set_threads_(threads);
    void* made = plan_(c.rank, n, static_cast<int>(c.batch), in->data(), nullptr,
                       static_cast<int>(c.in_layout.stride), static_cast<int>(c.in_layout.distance),
                       out->data(), nullptr, static_cast<int>(c.out_layout.stride),
                       static_cast<int>(c.out_layout.distance), -1, measured ? 0u : 1u << 6);
    set_threads_(1);
    return [this, made, in, out] { execute_(made); };
  }

 private:
  sn::runtime::dynamic_library library_, threads_;
  void* (*plan_)(int, const int*, int, void*, const int*, int, int, void*, const int*, int, int,
                 int, unsigned) = nullptr;
  void (*execute_)(void*) = nullptr;
  void (*set_threads_)(int) = nullptr;
};

void show(const transform& t, fftw_alone& alone, const bench::options& o, bench::report& out) {
  const floats re = sn::random::normal<float>(t.shape, {.seed = 1});
  const complexes z = sn::astype<std::complex<float>>(re);
  sn::eval(re, z);
  sn::runtime::device& device = sn::detail::current_device();
  auto call = call_of(t);
  const auto source = (t.real ? sn::any_array(re) : sn::any_array(z)).get()->buffer;
  auto target = device.allocate(static_cast<std::size_t>(8 * (elements(t) + 2 * points(t))));
  call.in = source->data();
  call.out = target->data();
  std::vector<std::function<void()>> rivals = {
      [&] {
        if (t.real) {
          sn::eval(sn::fft::rfftn(re, {.axes = axes_of(t)}));
        } else {
          sn::eval(sn::fft::fftn(z, {.axes = axes_of(t)}));
        }
      },
      [&] { device.fourier().transform(call); }};
  const bool cpu = o.device == "cpu" && alone && !t.real;
  const int threads = device.properties().units;
  if (cpu) rivals.push_back(alone.plan(t, threads, false));
  if (cpu && !o.quick) rivals.push_back(alone.plan(t, threads, true));
  const auto s = bench::seconds_of(rivals, o.quick ? 0.1 : 0.5);
  const double work = 5 * elements(t) * std::log2(points(t)) / (t.real ? 2 : 1);
  std::printf("%-22s", t.name);
  for (double seconds : s) std::printf(" %11.4f", seconds * 1e3);
  for (std::size_t i = s.size(); i < 4; ++i) std::printf(" %11s", "");
  std::printf(" %11.1f\n", work / s[0] / 1e9);
  bench::record r("fft");
  r.text("device", o.device).text("name", t.name).number("sinter_seconds", s[0]);
  r.number("library_seconds", s[1]).number("gflops", work / s[0] / 1e9);
  if (s.size() > 2) r.number("fftw_seconds", s[2]);
  if (s.size() > 3) r.number("fftw_measured_seconds", s[3]);
  out.add(r);
}

void show_convolution(std::int64_t n, std::int64_t m, const bench::options& o, bench::report& out) {
  using enum sn::convolve_method;
  const floats a = sn::random::normal<float>({n}, {.seed = 1});
  const floats v = sn::random::normal<float>({m}, {.seed = 2});
  sn::eval(a, v);
  const auto by = [&](sn::convolve_method method) {
    return [&, method] { sn::eval(sn::convolve(a, v, {.method = method})); };
  };
  const std::string text = sn::explain(sn::convolve(a, v));
  const bool chosen_fft = text.find("library call") != std::string::npos;
  const auto s = bench::seconds_of({by(direct), by(fft)}, o.quick ? 0.05 : 0.2);
  const double chosen = s[chosen_fft ? 1 : 0];
  std::printf("%9lld %7lld %11.4f %11.4f   %-10s %6.2f\n", static_cast<long long>(n),
              static_cast<long long>(m), s[0] * 1e3, s[1] * 1e3, chosen_fft ? "transforms" : "sums",
              chosen / std::min(s[0], s[1]));
  bench::record r("convolve");
  out.add(r.text("device", o.device)
              .number("n", static_cast<double>(n))
              .number("m", static_cast<double>(m))
              .number("direct_seconds", s[0])
              .number("fft_seconds", s[1])
              .text("chosen", chosen_fft ? "fft" : "direct"));
}

int run(const bench::options& o) {
  const auto scope = sn::use(sn::device(o.device));
  bench::report out(o);
  fftw_alone alone;
  std::printf("%-22s %11s %11s %11s %11s %11s\n", "milliseconds", "sinter", "library", "FFTW",
              "measured", "GFLOP/s");
  for (const transform& t : transforms) show(t, alone, o, out);
  std::printf("\n%9s %7s %11s %11s   %-10s %6s\n", "n", "m", "sums, ms", "transf., ms", "chosen",
              "of best");
  for (const std::int64_t n : {1000, 30'000, 1'000'000}) {
    for (const std::int64_t m : {3, 10, 30, 100, 300, 1000}) show_convolution(n, m, o, out);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) { return bench::program(run, count, arguments); }

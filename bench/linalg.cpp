// Linear algebra against direct calls of the library's routines, in the same run, on the same
// memory and in the same layout. Also a product with an epilogue against the bare product, x^T x
// against a general product, and TF32 with the digits it loses.
//
//   linalg [--device cpu|cuda] [--json FILE] [--quick]
//
// "By hand" a factorisation is what LAPACK's users write: a copy, since it works in place, and the
// call, with handles and workspaces made beforehand. Where the transpose has other factors (LU, QR,
// eigenvectors, right-hand sides) the library's own transposition precedes or follows it, as in
// LAPACKE; LAPACK's dlaset writes Cholesky's zeros. Ours includes whatever its function promises:
// on a GPU those zeros too, pivots counted from 0.
// "by_hand" in a row says how: the vendor's functions themselves, or for stacks on a GPU our
// runtime's calls of its batched ones, between the vendor's transpositions.

#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "bench/support/bench.hpp"
#include "bench/support/factor_contests.hpp"
#include "bench/support/vendor.hpp"
#include "runtime/solver.hpp"

namespace sn = sinter;
namespace la = sinter::linalg;
namespace rt = sinter::runtime;
using bench::contest, bench::memory_of;

namespace {

using halves = sn::array<sn::bfloat16>;

/// A layer of halves, against the library's bare product.
class layer_case {
 public:
  explicit layer_case(std::int64_t n) : n_(n) {
    a_ = normal({n, n}, 1, 1);
    b_ = normal({n, n}, 2, 1 / std::sqrt(static_cast<double>(n)));
    r_ = normal({n, n}, 3, 1);
    bias_ = normal({n}, 4, 1);
    sn::eval(a_, b_, r_, bias_);
    device_ = a_.get()->device;
    space_ = device_->allocate(memory_of(a_).bytes());
    vendor_ = bench::cuda_vendor(*device_, n);
  }
  bool complete() const { return vendor_ != nullptr; }
  std::string by_hand() const { return vendor_->name(); }

  std::vector<contest> contests() {
    const auto row = [this](const char* name, std::function<halves()> f) {
      return contest{name, n_, 1, [f] { sn::eval(f()); },
                     [this] { vendor_->half_gemm(data(a_), data(b_), space_->data()); }};
    };
    return {row("bf16", [this] { return sn::matmul(a_, b_); }),
            row("bf16_bias", [this]() -> halves { return sn::matmul(a_, b_) + bias_; }),
            row("bf16_bias_relu",
                [this]() -> halves { return sn::maximum(sn::matmul(a_, b_) + bias_, 0); }),
            row("bf16_bias_gelu", [this] { return gelu(false); }),
            row("bf16_residual", [this]() -> halves { return sn::matmul(a_, b_) + r_; }),
            row("bf16_bias_gelu_residual", [this] { return gelu(true); })};
  }

 private:
  static halves normal(std::initializer_list<std::int64_t> shape, std::uint64_t seed,
                       double stddev) {
    return sn::astype<sn::bfloat16>(
        sn::random::normal<float>(shape, {.seed = seed, .stddev = stddev}));
  }
  static const void* data(const halves& x) { return memory_of(x).data(); }

  halves gelu(bool residual) {
    const sn::array<float> h = sn::astype<float>(sn::matmul(a_, b_)) + sn::astype<float>(bias_);
    const auto y = 0.5 * h * (1 + sn::tanh(0.7978845608028654 * (h + 0.044715 * h * h * h)));
    if (!residual) return sn::astype<sn::bfloat16>(y);
    return sn::astype<sn::bfloat16>(y + sn::astype<float>(r_));
  }

  std::int64_t n_;
  halves a_, b_, r_, bias_;
  rt::device* device_ = nullptr;
  std::shared_ptr<rt::buffer> space_;
  std::unique_ptr<bench::vendor> vendor_;
};

/// x^T x against the product with a copy of x.
template <class T>
contest gram(const char* name, std::int64_t n, const sn::array<T>& x, const sn::array<T>& y) {
  return {name, n, 1, [&] { sn::eval(sn::matmul(sn::transpose(x), x)); },
          [&] { sn::eval(sn::matmul(sn::transpose(x), y)); }};
}

void compare(const contest& c, const std::string& by_hand, double budget, const bench::options& o,
             bench::report& out) {
  const auto times = bench::timings_of({c.ours, c.by_hand}, budget);
  const double ratio = times[0].device / times[1].device;
  const double more = (times[0].device - times[1].device) * 1e6,
               host = (times[0].host - times[1].host) * 1e6;
  // The goal: within 3 %, or, for calls shorter than their overhead, within 2 us.
  const bool within = ratio <= 1.03 || more <= 2;
  std::printf("%-24s %6lld x%-6lld %12.4f %12.4f %8.3f %10.2f %10.2f  %s\n", c.name.c_str(),
              static_cast<long long>(c.n), static_cast<long long>(c.batch), times[0].device * 1e3,
              times[1].device * 1e3, ratio, more, host, within ? "" : "*");
  std::fflush(stdout);
  bench::record r("linalg");
  out.add(r.text("device", o.device)
              .text("name", c.name)
              .text("by_hand", by_hand)
              .number("n", static_cast<double>(c.n))
              .number("batch", static_cast<double>(c.batch))
              .number("seconds", times[0].device)
              .number("by_hand_seconds", times[1].device)
              .number("ratio", ratio)
              .number("host_seconds", times[0].host)
              .number("by_hand_host_seconds", times[1].host)
              .number("more_us", more)
              .number("host_more_us", host)
              .flag("within_3_percent_or_2_us", within));
}

template <class T>
void grams(const char* name, double budget, const bench::options& o, bench::report& out) {
  for (const std::int64_t n : {256, 1024, 2048, 2304, 4096}) {
    if (o.quick && n > 256) continue;
    const sn::array<T> x = sn::random::normal<T>({n, n}, {.seed = 1}), y = x + T(0);
    sn::eval(x, y);
    compare(gram(name, n, x, y), "matmul", budget, o, out);
  }
}

/// Determinants of a stack of singular integer matrices: arange(9 n) as n matrices of 3 x 3.
void determinants(std::int64_t n, double budget, const bench::options& o, bench::report& out) {
  const sn::array<std::int64_t> x =
      sn::reshape(sn::arange<std::int64_t>(9 * n), {n, std::int64_t{3}, std::int64_t{3}});
  const sn::array<double> doubles = sn::astype<double>(x);
  sn::eval(x, doubles);
  rt::device& d = *x.get()->device;
  const auto room = d.allocate(memory_of(doubles).bytes());
  const auto words = d.allocate(static_cast<std::size_t>(4 * n) * sizeof(std::int32_t));
  auto* const info = static_cast<std::int32_t*>(words->data());
  const contest c{"det_singular_ints", 3, n, [&] { sn::eval(la::det(x)); },
                  [&] {
                    d.copy(*room, 0, memory_of(doubles), 0, room->bytes());
                    d.factorisations().lu({rt::element::float64, 3, 3, n, room->data()}, info + n,
                                          info);
                  }};
  compare(c, "runtime: lu alone", budget, o, out);
}

/// Times of a product in TF32 and in IEEE precision, and the digits that TF32 loses.
void tf32(std::int64_t n, const bench::options& o, bench::report& out) {
  const sn::array<float> a = sn::random::uniform<float>({n, n}, {.seed = 3}),
                         b = sn::random::uniform<float>({n, n}, {.seed = 4});
  sn::eval(a, b);
  const auto rounded = [&] {
    const sn::precision scope({.matmul = sn::matmul_mode::tf32});
    const sn::array<float> c = sn::matmul(a, b);
    sn::eval(c);
    return c;
  };
  const auto exact = [&] {
    const sn::array<float> c = sn::matmul(a, b);
    sn::eval(c);
    return c;
  };
  const auto times = bench::timings_of({[&] { rounded(); }, [&] { exact(); }}, o.quick ? 0.2 : 2);
  const sn::array<float> wanted = exact();
  const double off = sn::max(sn::abs(rounded() - wanted) / wanted).item();
  std::printf("%-24s %6lld %20.4f %12.4f  agree to %.1f digits\n", "tf32",
              static_cast<long long>(n), times[0].device * 1e3, times[1].device * 1e3,
              -std::log10(off));
  bench::record r("linalg");
  out.add(r.text("device", o.device)
              .text("name", "tf32")
              .number("n", static_cast<double>(n))
              .number("seconds", times[0].device)
              .number("ieee_seconds", times[1].device)
              .number("relative_error", off));
}

void on_gpu(double budget, const bench::options& o, bench::report& out) {
  for (const std::int64_t n : {100, 512, 1024, 2048}) {
    if (o.quick && n > 100) continue;
    bench::factor_contests sample(n, 1);
    if (sample.by_hand() == "runtime") continue;
    compare(sample.ways_to_singular_values(), "gesvd", budget, o, out);
  }
  layer_case layers(o.quick ? 512 : 4096);
  if (layers.complete()) {
    for (const contest& c : layers.contests()) compare(c, layers.by_hand(), budget, o, out);
  }
  tf32(o.quick ? 1000 : 15000, o, out);
}

int run(const bench::options& o) {
  const auto scope = sn::use(sn::device(o.device));
  bench::report out(o);
  const bool gpu = sn::current_device().what == sn::device::kind::cuda;
  const double budget = o.quick ? 0.1 : 0.5;
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {{4, 1}, {100, 1}, {16, 1000}};
  sizes.push_back({o.quick ? 300 : 1000, 1});
  if (gpu && !o.quick) sizes.push_back({4096, 1});
  std::printf("%s, doubles\n%-24s %6s %-7s %12s %12s %8s %10s %10s\n", o.device.c_str(), "", "n",
              "batch", "ms", "by hand ms", "ratio", "+us", "host +us");
  for (const auto& [n, batch] : sizes) {
    bench::factor_contests sample(n, batch);
    for (const contest& c : sample.all()) {
      const bool minutes = n > 1024 && (c.name == "svd" || c.name == "eigh");
      if (!minutes) compare(c, sample.by_hand(), budget, o, out);
    }
  }
  grams<double>("gram_f64", budget, o, out);
  grams<float>("gram_f32", budget, o, out);
  for (const std::int64_t n : {3, 10'000}) determinants(n, budget, o, out);
  if (gpu) on_gpu(budget, o, out);
  return 0;
}

}  // namespace

int main(int count, char** arguments) { return bench::program(run, count, arguments); }

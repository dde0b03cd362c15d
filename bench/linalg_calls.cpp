// Measures sinter as bench/linalg_peers.py measures CuPy, JAX and PyTorch: calls back to back, with
// a wait at the end of a batch, by the host's clock. After a second of products, a GPU at its power
// limit is a tenth slower than in the first, so rows are comparable only after equal warm-up:
// alternate the two programs.
//
//   linalg_calls [--device cpu|cuda] [--json FILE] [--quick]

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "bench/support/bench.hpp"

namespace sn = sinter;

namespace {

using halves = sn::array<sn::bfloat16>;

struct row {
  std::string name;
  std::int64_t n;
  std::function<void()> call;
};

/// As `measure` in linalg_peers.py.
double seconds_of(const std::function<void()>& call, bool quick) {
  for (int i = 0; i < 2; ++i) {
    call();
    sn::synchronize();
  }
  double start = bench::now();
  call();
  sn::synchronize();
  const double once = bench::now() - start;
  const int count = std::clamp(static_cast<int>((quick ? 0.02 : 0.1) / once), 1, 200);
  std::vector<double> times;
  for (int i = 0; i < (once < 0.5 ? 5 : 3); ++i) {
    start = bench::now();
    for (int k = 0; k < count; ++k) call();
    sn::synchronize();
    times.push_back((bench::now() - start) / count);
  }
  return bench::median(std::move(times));
}

halves normal(std::initializer_list<std::int64_t> shape, std::uint64_t seed, double stddev) {
  const halves x =
      sn::astype<sn::bfloat16>(sn::random::normal<float>(shape, {.seed = seed, .stddev = stddev}));
  sn::eval(x);
  return x;
}

/// gelu(a b + bias) + r, rounded where PyTorch rounds: after the product, and at the end.
halves layer(const halves& a, const halves& b, const halves& bias, const halves& r) {
  const halves sum = sn::matmul(a, b) + bias;
  const sn::array<float> h = sn::astype<float>(sum);
  const auto y = 0.5 * h * (1 + sn::tanh(0.7978845608028654 * (h + 0.044715 * h * h * h)));
  return sn::astype<sn::bfloat16>(y + sn::astype<float>(r));
}

void add_layers(std::int64_t n, std::vector<row>& rows) {
  const halves a = normal({n, n}, 1, 1),
               b = normal({n, n}, 2, 1 / std::sqrt(static_cast<double>(n))),
               r = normal({n, n}, 3, 1), bias = normal({n}, 4, 1);
  rows.push_back({"bf16", n, [=] { sn::eval(sn::matmul(a, b)); }});
  rows.push_back({"bf16_bias", n, [=] { sn::eval(halves(sn::matmul(a, b) + bias)); }});
  rows.push_back({"bf16_bias_gelu_residual", n, [=] { sn::eval(layer(a, b, bias, r)); }});
}

/// Uniform numbers, like the peers': the time of a GPU at its power limit depends on the data.
void add_products(std::int64_t n, std::vector<row>& rows) {
  const sn::array<float> a = sn::random::uniform<float>({n, n}, {.seed = 6}),
                         b = sn::random::uniform<float>({n, n}, {.seed = 7});
  sn::eval(a, b);
  const auto product = [=](sn::matmul_mode mode) {
    return [=] {
      const auto scope = sn::precision({.matmul = mode});
      sn::eval(sn::matmul(a, b));
    };
  };
  rows.push_back({"ieee", n, product(sn::matmul_mode::ieee)});
  rows.push_back({"tf32", n, product(sn::matmul_mode::tf32)});
}

void add_inverses(bool quick, std::vector<row>& rows) {
  for (const std::int64_t n : {1, 3, 10, 31, 100, 316, 1000, 3162, 10000}) {
    if (quick && n > 100) continue;
    rows.push_back({"random_inv", n, [n] {
                      sn::eval(sn::linalg::inv(sn::random::uniform<double>({n, n})));
                    }});
  }
}

/// Stacks of matrices, with one right-hand side.
void add_stacks(bool quick, std::vector<row>& rows) {
  constexpr std::pair<std::int64_t, std::int64_t> stacks[] = {{50000, 4}, {10000, 8}, {1000, 16},
                                                              {1000, 32}, {256, 64},  {64, 200}};
  for (const auto& [count, n] : stacks) {
    if (quick && n != 16) continue;
    const sn::array<double> x = sn::random::normal<double>({count, n, n}, {.seed = 5});
    const sn::array<double> positive =
        sn::matmul(x, sn::swapaxes(x, -1, -2)) / static_cast<double>(n) + sn::eye<double>(n);
    const sn::array<double> right = x(sn::ellipsis, sn::slice(0, 1)) + 0.0;
    sn::eval(x, positive, right);
    rows.push_back({"cholesky_stack", n, [=] { sn::eval(sn::linalg::cholesky(positive)); }});
    rows.push_back({"inv_stack", n, [=] { sn::eval(sn::linalg::inv(x)); }});
    rows.push_back({"solve_stack", n, [=] { sn::eval(sn::linalg::solve(x, right)); }});
    rows.push_back({"eigh_stack", n, [=] {
                      const auto r = sn::linalg::eigh(positive);
                      sn::eval(r.eigenvalues, r.eigenvectors);
                    }});
    rows.push_back({"qr_stack", n, [=] {
                      const auto r = sn::linalg::qr(x);
                      sn::eval(r.q, r.r);
                    }});
  }
}

int run(const bench::options& o) {
  const auto scope = sn::use(sn::device(o.device));
  bench::report out(o);
  std::vector<row> rows;
  add_inverses(o.quick, rows);
  add_stacks(o.quick, rows);
  if (sn::current_device().what == sn::device::kind::cuda) {
    add_products(o.quick ? 512 : 15000, rows);
    add_layers(o.quick ? 512 : 4096, rows);
  }
  for (const row& x : rows) {
    const double seconds = seconds_of(x.call, o.quick);
    std::printf("%-24s %6lld %12.4f ms\n", x.name.c_str(), static_cast<long long>(x.n),
                seconds * 1e3);
    std::fflush(stdout);
    bench::record r("linalg");
    out.add(r.text("peer", "sinter")
                .text("name", x.name)
                .number("n", static_cast<double>(x.n))
                .number("seconds", seconds));
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) { return bench::program(run, count, arguments); }

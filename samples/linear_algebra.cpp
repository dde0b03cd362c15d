// Inverses, singular values, determinants and norms; and what TF32 costs in digits.
//
//   linear_algebra [largest side]

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <sinter/sinter.hpp>

namespace sn = sinter;
namespace la = sinter::linalg;

namespace {

template <class Work> double seconds(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  sn::synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void inverses(std::int64_t largest) {
  std::printf("create and invert n x n random doubles\n%8s %12s %14s\n", "n", "ms", "|a a^-1 - 1|");
  for (std::int64_t n : {1, 3, 10, 31, 100, 316, 1000, 3162, 10000}) {
    if (n > largest) break;
    sn::array<double> a, inverse;
    const double time = seconds([&] {
      a = sn::random::uniform<double>({n, n}, {.seed = 1});
      inverse = la::inv(a);
      sn::eval(a, inverse);
    });
    const sn::array<double> off = sn::matmul(a, inverse) - sn::eye<double>(n);
    std::printf("%8lld %12.3f %14.2g\n", static_cast<long long>(n), time * 1e3,
                la::norm(off, {.ord = la::inf, .axis = {0, 1}}).item());
  }
}

void singular_values() {
  for (std::int64_t n : {100, 1000}) {
    const sn::array<double> a = sn::random::normal<double>({n, n}, {.seed = 2});
    sn::eval(a);
    la::svd_result<double> f;
    const double time = seconds([&] {
      f = la::svd(a);
      sn::eval(f.u, f.s, f.vh);
    });
    const sn::array<double> off = sn::matmul(f.u * f.s, f.vh) - a;
    std::printf("svd of %lld x %lld: %.1f ms, largest value %.4f, |u s vh - a| %.2g\n",
                static_cast<long long>(n), static_cast<long long>(n), time * 1e3, f.s(0).item(),
                la::norm(off).item());
  }
}

void determinants() {
  // Rows in arithmetic progression: every matrix of the stack is singular, and exactly so in
  // integers.
  const sn::array<std::int64_t> stack = sn::reshape(sn::arange<std::int64_t>(2 * 3 * 3), {2, 3, 3});
  const auto det = la::det(stack).to_host();
  std::printf("determinants of a singular stack of integers: %g %g\n", det[0], det[1]);
  try {
    la::inv(stack - stack).to_host();
  } catch (const sn::linalg_error& e) {
    std::printf("and an inverse of zeros: %s\n", e.what());
  }
}

void products(std::int64_t n) {
  const auto a = sn::random::uniform<float>({n, n}, {.seed = 3});
  const auto b = sn::random::uniform<float>({n, n}, {.seed = 4});
  const sn::array<float> x = a, y = b;
  sn::eval(x, y);
  sn::array<float> exact, rounded;
  sn::eval(sn::matmul(x, y));  // opens the library
  const double ieee = seconds([&] { sn::eval(exact = sn::matmul(x, y)); });
  double tf32 = 0;
  {
    const sn::precision scope({.matmul = sn::matmul_mode::tf32});
    sn::eval(sn::matmul(x, y));
    tf32 = seconds([&] { sn::eval(rounded = sn::matmul(x, y)); });
  }
  const double off = sn::max(sn::abs(rounded - exact) / exact).item();
  std::printf("float32 product of %lld x %lld: IEEE %.2f ms, TF32 %.2f ms",
              static_cast<long long>(n), static_cast<long long>(n), ieee * 1e3, tf32 * 1e3);
  if (off > 0) {
    std::printf(", which agree to %.1f digits\n", -std::log10(off));
  } else {
    std::printf(", the same bits: this device has no TF32\n");
  }
}

}  // namespace

int main(int count, char** arguments) {
  const bool gpu = sn::current_device().what == sn::device::kind::cuda;
  const std::int64_t largest = count > 1 ? std::atoll(arguments[1]) : gpu ? 10000 : 1000;
  if (largest < 1) {
    std::fprintf(stderr, "usage: linear_algebra [largest side]\n");
    return 2;
  }
  inverses(largest);
  singular_values();
  determinants();
  const sn::array<double> v = sn::random::normal<double>({1000000}, {.seed = 5});
  std::printf("Euclidean norm of a million normal numbers: %.3f\n", la::norm(v).item());
  products(gpu ? 15000 : 1000);
}

// Ten thousand calls of each routine leak nothing, neither in the pool nor in the process.
// SINTER_LEAK_CALLS=N changes the number, and SINTER_LEAK_ROUTINES=TEXT leaves out
// routines whose names do not contain the text, so that the test can run in parts of
// bounded time. Matrices have 3 rows: the test is about leaks, not results. It takes 15 s
// on a CPU.
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>

#include <unistd.h>

#include "samples.hpp"

namespace leaks_test {

using namespace linalg_tests;

namespace {

int calls() {
  const char* text = std::getenv("SINTER_LEAK_CALLS");
  return text ? std::atoi(text) : 10000;
}

bool wanted(const char* name) {
  const char* text = std::getenv("SINTER_LEAK_ROUTINES");
  return !text || std::string(name).find(text) != std::string::npos;
}

/// The process's resident bytes; 0 if the system does not report them.
double resident() {
  std::ifstream from("/proc/self/statm");
  double whole = 0, resident = 0;
  from >> whole >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

struct routine {
  const char* name;
  std::function<void()> call;
};

std::vector<routine> routines() {
  const sn::array<float> a = positive<float>({3, 3}), b = sample<float>({3, 2}),
                         v = sample<float>({3}), stack = positive<float>({2, 3, 3});
  const sn::array<sn::bfloat16> half = sn::astype<sn::bfloat16>(a);
  const sn::array<int> whole = sn::arange(9).reshape({3, 3});
  sn::eval(a, b, v, stack, half, whole);
  return {
      {"matmul", [=] { sn::eval(sn::matmul(a, b), sn::matmul(sn::transpose(b), a)); }},
      {"matmul, in batches", [=] { sn::eval(sn::matmul(stack, stack)); }},
      {"matmul and what follows",
       [=] {
         const sn::array<float> y = sn::maximum(sn::matmul(a, a) + v, 0);
         const sn::array<sn::bfloat16> z = sn::matmul(half, half) + half;
         sn::eval(y, z);
       }},
      {"products",
       [=] {
         sn::eval(sn::dot(v, v), sn::vdot(v, v), sn::outer(v, v), sn::inner(a, v));
         sn::eval(sn::tensordot(a, b, 1), sn::einsum("ij,jk->ki", a, b));
         sn::eval(sn::vecdot(a, v), sn::matvec(a, v), sn::vecmat(v, a), sn::kron(v, v));
         sn::eval(sn::matmul(whole, whole), sn::linalg::outer(v, v));
       }},
      {"cholesky", [=] { sn::eval(la::cholesky(a), la::cholesky(stack)); }},
      {"lu",
       [=] {
         const auto r = la::lu(a);
         sn::eval(r.p, r.l, r.u);
       }},
      {"lu_factor, lu_solve",
       [=] {
         const auto f = la::lu_factor(a);
         sn::eval(la::lu_solve(f.lu, f.pivots, b));
       }},
      {"qr",
       [=] {
         const auto r = la::qr(stack);
         sn::eval(r.q, r.r);
       }},
      {"svd",
       [=] {
         const auto r = la::svd(a);
         sn::eval(r.u, r.s, r.vh, la::svdvals(stack));
       }},
      {"eigh",
       [=] {
         const auto r = la::eigh(a);
         sn::eval(r.eigenvalues, r.eigenvectors, la::eigvalsh(stack));
       }},
      {"eig",
       [=] {
         const auto r = la::eig(a);
         sn::eval(r.eigenvalues, r.eigenvectors, la::eigvals(a));
       }},
      {"solve", [=] { sn::eval(la::solve(a, b), la::solve(stack, b)); }},
      {"tensorsolve, tensorinv",
       [=] { sn::eval(la::tensorsolve(a, v), la::tensorinv(a, 1)); }},
      {"solve_triangular", [=] { sn::eval(la::solve_triangular(a, b)); }},
      {"lstsq", [=] { sn::eval(la::lstsq(a, b).x); }},
      {"inv, pinv", [=] { sn::eval(la::inv(a), la::pinv(b)); }},
      {"det, slogdet", [=] { sn::eval(la::det(a), la::slogdet(a).logabsdet); }},
      {"matrix_rank, cond", [=] { sn::eval(la::matrix_rank(a), la::cond(a)); }},
      {"matrix_power", [=] { sn::eval(la::matrix_power(a, 3), la::matrix_power(a, -2)); }},
      {"norms", [=] { sn::eval(la::norm(a), la::matrix_norm(a), la::vector_norm(v)); }},
      {"trace, cross", [=] { sn::eval(la::trace(a), la::cross(v, v)); }},
      {"expm", [=] { sn::eval(la::expm(a)); }},
      {"null_space", [=] { sn::eval(la::null_space(sn::transpose(b))); }},
      {"multi_dot",
       [=] {
         sn::eval(la::multi_dot({a, a, b}));
       }},
      {"fft",
       [=] { sn::eval(sn::fft::fft(v), sn::fft::irfft(sn::fft::rfft(v)), sn::fft::fftn(a)); }},
      {"fft, other",
       [=] {
         sn::eval(sn::fft::ifft(v), sn::fft::hfft(v), sn::fft::ihfft(v), sn::fft::fft2(a));
         sn::eval(sn::fft::ifft2(a), sn::fft::irfft2(sn::fft::rfft2(a)), sn::fft::ifftn(stack));
         sn::eval(sn::fft::irfftn(sn::fft::rfftn(stack)), sn::fft::fftshift(a));
       }},
      {"convolutions",
       [=] {
         sn::eval(sn::convolve(v, v), sn::correlate(v, v), sn::fftconvolve(a, a));
       }},
      {"errors",
       [=] {
         try {
           la::cholesky(-a).to_host();
         } catch (const sn::linalg_error&) {
         }
       }},
  };
}

}  // namespace

TEST_CASE("nothing is left behind by ten thousand calls of each routine") {
  const auto used = [] { return sn::memory(sn::current_device()).used; };
  const auto all = routines();
  int tried = 0;
  for (const routine& r : all) {
    if (!wanted(r.name)) continue;
    ++tried;
    INFO(r.name);
    for (int i = 0; i < calls() / 10 + 10; ++i) r.call();  // opens libraries, fills caches
    sn::synchronize();
    const auto before = used();
    const double process = resident();
    for (int i = 0; i < calls(); ++i) r.call();
    sn::synchronize();
    CHECK(used() == before);
#if !defined(__SANITIZE_ADDRESS__)  // delays frees and finds leaks itself
    // A leak of 300 bytes per call would show; allocators and drivers may take a page or two.
    CHECK(resident() - process < 3e6);
#endif
  }
  CHECK(tried > 0);
}

}  // namespace leaks_test

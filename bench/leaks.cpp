// Memory in use after 10,000 calls of each routine: in the device's pool, held by the pool, and of
// the process. A routine that leaks grows with every call; what is kept once (a library's handles,
// a plan, a bounded cache) is there after the first thousand.
//
//   leaks [--device cpu|cuda] [--json FILE] [--quick]

#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <unistd.h>

#include <sinter/sinter.hpp>

#include "bench/support/bench.hpp"

namespace sn = sinter;

namespace {

using doubles = sn::array<double>;

struct routine {
  std::string name;
  std::function<void()> call;
};

/// Resident bytes of this process.
double resident() {
  std::ifstream file("/proc/self/statm");
  double all = 0, pages = 0;
  file >> all >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

doubles stored(const doubles& x) {
  sn::eval(x);
  return x;
}

/// Evaluates all results of a routine.
template <class... X> void all_of(const X&... x) { sn::eval(x...); }

void add_solvers(std::vector<routine>& all) {
  namespace la = sn::linalg;
  const doubles drawn = sn::random::normal<double>({8, 8}, {.seed = 1});
  const doubles a = stored(drawn + 4 * sn::eye<double>(8)), p = stored(sn::matmul(a, a.T())),
                b = stored(sn::random::normal<double>({8, 2}));
  all.push_back({"cholesky", [=] { all_of(la::cholesky(p)); }});
  all.push_back({"lu", [=] { const auto [q, l, u] = la::lu(a); all_of(q, l, u); }});
  all.push_back({"lu_solve", [=] {
                   const auto [lu, pivots] = la::lu_factor(a);
                   all_of(la::lu_solve(lu, pivots, b));
                 }});
  all.push_back({"qr", [=] { const auto [q, r] = la::qr(a); all_of(q, r); }});
  all.push_back({"svd", [=] { const auto [u, s, vt] = la::svd(a); all_of(u, s, vt); }});
  all.push_back({"svdvals", [=] { all_of(la::svdvals(a)); }});
  all.push_back({"eigh", [=] { const auto [w, v] = la::eigh(p); all_of(w, v); }});
  all.push_back({"eigvalsh", [=] { all_of(la::eigvalsh(p)); }});
  all.push_back({"eig", [=] { const auto [w, v] = la::eig(a); all_of(w, v); }});
  all.push_back({"eigvals", [=] { all_of(la::eigvals(a)); }});
  all.push_back({"solve", [=] { all_of(la::solve(a, b)); }});
  all.push_back({"solve_triangular", [=] { all_of(la::solve_triangular(a, b)); }});
  all.push_back({"lstsq", [=] { all_of(la::lstsq(a, b).x); }});
  all.push_back({"inv", [=] { all_of(la::inv(a)); }});
  all.push_back({"pinv", [=] { all_of(la::pinv(a)); }});
  all.push_back({"det", [=] { all_of(la::det(a)); }});
  all.push_back({"slogdet", [=] { const auto [s, l] = la::slogdet(a); all_of(s, l); }});
  all.push_back({"matrix_rank", [=] { all_of(la::matrix_rank(a)); }});
  all.push_back({"matrix_power", [=] { all_of(la::matrix_power(a, 3)); }});
  all.push_back({"norm", [=] { all_of(la::norm(a)); }});
  all.push_back({"cond", [=] { all_of(la::cond(a)); }});
  all.push_back({"expm", [=] { all_of(la::expm(a)); }});
}

void add_products(std::vector<routine>& all) {
  const doubles a = stored(sn::random::normal<double>({8, 8}, {.seed = 2})),
                v = stored(sn::random::normal<double>({8}, {.seed = 3}));
  all.push_back({"matmul", [=] { all_of(sn::matmul(a, a)); }});
  all.push_back({"dot", [=] { all_of(sn::dot(v, v)); }});
  all.push_back({"tensordot", [=] { all_of(sn::tensordot(a, a, 1)); }});
  all.push_back({"einsum", [=] { all_of(sn::einsum("ij,jk->ik", a, a)); }});
  all.push_back({"outer", [=] { all_of(sn::outer(v, v)); }});
  all.push_back({"product, bias, relu", [=] {
                   all_of(doubles(sn::maximum(sn::matmul(a, a) + v, 0.0)));
                 }});
}

void add_transforms(std::vector<routine>& all) {
  const doubles x = stored(sn::random::normal<double>({256}, {.seed = 4})),
                m = stored(sn::random::normal<double>({16, 16}, {.seed = 5})),
                k = stored(sn::random::normal<double>({31}, {.seed = 6}));
  all.push_back({"fft", [=] { all_of(sn::fft::fft(x)); }});
  all.push_back({"rfft, irfft", [=] { all_of(sn::fft::irfft(sn::fft::rfft(x))); }});
  all.push_back({"fft2", [=] { all_of(sn::fft::fft2(m)); }});
  all.push_back({"fftn", [=] { all_of(sn::fft::fftn(m)); }});
  all.push_back({"fftconvolve", [=] { all_of(sn::fftconvolve(x, k)); }});
  all.push_back({"convolve", [=] { all_of(sn::convolve(x, k)); }});
  all.push_back({"sort", [=] { all_of(sn::sort(x)); }});
  all.push_back({"a mask's elements", [=] { all_of(doubles(x(x > 0))); }});
  all.push_back({"sums at places", [=] {
                   all_of(k.at(sn::astype<int>(sn::abs(x)) % 31).add(x));
                 }});
}

struct memory {
  double used, reserved, resident;
};

memory now() {
  sn::synchronize();
  const sn::memory_info m = sn::memory();
  return {static_cast<double>(m.used), static_cast<double>(m.reserved), resident()};
}

int run(const bench::options& o) {
  const auto scope = sn::use(sn::device(o.device));
  bench::report out(o);
  std::vector<routine> all;
  add_products(all);
  add_solvers(all);
  add_transforms(all);
  const int first = o.quick ? 100 : 1000, calls = o.quick ? 500 : 10000;
  std::printf("bytes a call that %d calls leave (after %d): in use, the pool's, the process's\n",
              calls, first);
  for (const routine& r : all) {
    for (int i = 0; i < first; ++i) r.call();
    const memory before = now();
    for (int i = 0; i < calls; ++i) r.call();
    const memory after = now();
    const double used = (after.used - before.used) / calls,
                 reserved = (after.reserved - before.reserved) / calls,
                 process = (after.resident - before.resident) / calls;
    std::printf("%-20s %10.1f %10.1f %10.1f\n", r.name.c_str(), used, reserved, process);
    std::fflush(stdout);
    bench::record line("leaks");
    out.add(line.text("routine", r.name)
                .number("calls", calls)
                .number("used", used)
                .number("reserved", reserved)
                .number("process", process));
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) { return bench::program(run, count, arguments); }

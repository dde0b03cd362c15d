// Linear algebra against the library's routine called by hand, in the same run: on the same memory,
// in the same layout, workspaces from the same pool.
//
//   linalg [--device cpu|cuda] [--json FILE] [--quick]
//
// By hand a factorisation is what LAPACK's users write: a copy, since it works in place, and the
// call. Ours has beside it whatever its function promises (zeros beside a triangle, rows where the
// library has columns).

#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "bench/support/bench.hpp"
#include "engine/node.hpp"
#include "runtime/blas.hpp"
#include "runtime/solver.hpp"

namespace sn = sinter;
namespace la = sinter::linalg;
namespace rt = sinter::runtime;

namespace {

/// Device memory of an evaluated array.
rt::buffer& memory_of(const sn::any_array& x) {
  return *x.get()->buffer;
}

struct contest {
  std::string name;
  std::int64_t n = 0, batch = 1;
  std::function<void()> ours, by_hand;
};

/// Matrices, and room for what a routine gives.
class bench_case {
 public:
  bench_case(std::int64_t n, std::int64_t batch) : n_(n), batch_(batch) {
    const sn::array<double> x = sn::random::normal<double>({batch, n, n}, {.seed = 1});
    const sn::array<double> product = sn::matmul(x, sn::swapaxes(x, -1, -2));
    a_ = product / static_cast<double>(n) + sn::eye<double>(n);
    b_ = x + 0.0;
    sn::eval(a_, b_);
    device_ = a_.get()->device;
    for (auto& s : space_) s = device_->allocate(memory_of(a_).bytes());
    info_ = device_->allocate(static_cast<std::size_t>(batch * (n + 1)) * 4);
  }

  std::vector<contest> contests() {
    return {
        {"matmul", n_, batch_, [this] { sn::eval(sn::matmul(a_, b_)); }, [this] { gemm(false); }},
        {"matmul_t", n_, batch_, [this] { sn::eval(sn::matmul(sn::swapaxes(a_, -1, -2), b_)); },
         [this] { gemm(true); }},
        {"cholesky", n_, batch_, [this] { sn::eval(la::cholesky(a_)); },
         [this] { solver().cholesky(copy(), rt::triangle::upper, info()); }},
        {"lu_factor", n_, batch_, [this] { sn::eval(la::lu_factor(b_).lu); },
         [this] { solver().lu(copy(), pivots(), info()); }},
        {"solve", n_, batch_, [this] { sn::eval(la::solve(a_, b_)); }, [this] { solve(); }},
        {"qr", n_, batch_, [this] { qr_ours(); }, [this] { qr(); }},
        {"eigh", n_, batch_,
         [this] {
           const auto r = la::eigh(a_);
           sn::eval(r.eigenvalues, r.eigenvectors);
         },
         [this] { solver().eigh(copy(), space_[2]->data(), true, rt::triangle::upper, info()); }},
        {"svd", n_, batch_,
         [this] {
           const auto r = la::svd(b_, {.full_matrices = false});
           sn::eval(r.u, r.s, r.vh);
         },
         [this] {
           solver().svd(copy(), space_[3]->data(), space_[1]->data(), space_[2]->data(),
                        rt::svd_vectors::thin, info());
         }},
    };
  }

 private:
  rt::solver& solver() { return device_->factorisations(); }
  std::int32_t* info() { return static_cast<std::int32_t*>(info_->data()); }
  std::int32_t* pivots() { return info() + batch_; }

  rt::matrices matrices(std::size_t i) {
    return {rt::element::float64, n_, n_, batch_, space_[i]->data()};
  }
  rt::matrices copy(std::size_t i = 0) {
    device_->copy(*space_[i], 0, memory_of(a_), 0, memory_of(a_).bytes());
    return matrices(i);
  }

  void gemm(bool transpose) {
    rt::gemm_call g;
    g.type = rt::element::float64;
    g.m = g.n = g.k = n_;
    g.batch = batch_;
    g.a = {memory_of(a_).data(), n_, n_ * n_, transpose};
    g.b = {memory_of(b_).data(), n_, n_ * n_};
    g.c = space_[0]->data();
    g.c_leading = n_;
    g.c_batch_stride = n_ * n_;
    device_->linear_algebra().gemm(g);
  }

  void solve() {
    solver().lu(copy(0), pivots(), info());
    solver().lu_solve(matrices(0), pivots(), copy(1), rt::transposition::none);
  }

  void qr_ours() {
    const auto r = la::qr(b_);
    sn::eval(r.q, r.r);
  }
  void qr() {
    solver().qr(copy(0), space_[2]->data(), info());
    device_->copy(*space_[1], 0, *space_[0], 0, space_[0]->bytes());
    solver().form_q(matrices(0), n_, space_[2]->data(), info());
  }

  std::int64_t n_, batch_;
  sn::array<double> a_, b_;
  rt::device* device_ = nullptr;
  std::shared_ptr<rt::buffer> space_[4], info_;
};

void compare(const contest& c, double budget, const bench::options& o, bench::report& out) {
  const auto times = bench::timings_of({c.ours, c.by_hand}, budget);
  const double ratio = times[0].device / times[1].device;
  std::printf("%-10s %6lld x%-6lld %12.4f %12.4f %8.3f %10.2f\n", c.name.c_str(),
              static_cast<long long>(c.n), static_cast<long long>(c.batch), times[0].device * 1e3,
              times[1].device * 1e3, ratio, (times[0].host - times[1].host) * 1e6);
  std::fflush(stdout);
  bench::record r("linalg");
  out.add(r.text("device", o.device)
              .text("name", c.name)
              .number("n", static_cast<double>(c.n))
              .number("batch", static_cast<double>(c.batch))
              .number("seconds", times[0].device)
              .number("by_hand_seconds", times[1].device)
              .number("ratio", ratio)
              .number("host_seconds", times[0].host)
              .number("by_hand_host_seconds", times[1].host));
}

int run(const bench::options& o) {
  const auto scope = sn::use(sn::device(o.device));
  bench::report out(o);
  const bool gpu = sn::current_device().what == sn::device::kind::cuda;
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {{4, 1}, {100, 1}, {16, 1000}};
  sizes.push_back({o.quick ? 300 : 1000, 1});
  if (gpu && !o.quick) sizes.push_back({4096, 1});
  std::printf("%s, doubles\n%-10s %6s %-7s %12s %12s %8s %10s\n", o.device.c_str(), "", "n",
              "batch", "ms", "by hand ms", "ratio", "host +us");
  for (const auto& [n, batch] : sizes) {
    bench_case sample(n, batch);
    for (const contest& c : sample.contests()) compare(c, o.quick ? 0.1 : 1, o, out);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) try {
  return run(bench::parse(count, arguments));
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}

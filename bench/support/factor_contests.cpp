#include "bench/support/factor_contests.hpp"

#include <utility>

#include "runtime/blas.hpp"

namespace bench {

namespace sn = sinter;
namespace la = sinter::linalg;
namespace rt = sinter::runtime;

namespace {

/// The largest matrix whose singular values cuSOLVER finds sooner by rotations.
constexpr std::int64_t jacobi_side = 1024;

}  // namespace

factor_contests::factor_contests(std::int64_t n, std::int64_t batch) : n_(n), batch_(batch) {
  const sn::array<double> x = sn::random::normal<double>({batch, n, n}, {.seed = 1});
  const sn::array<double> product = sn::matmul(x, sn::swapaxes(x, -1, -2));
  a_ = product / static_cast<double>(n) + sn::eye<double>(n);
  b_ = x + 0.0;
  sn::eval(a_, b_);
  device_ = a_.get()->device;
  for (auto& s : space_) s = device_->allocate(memory_of(a_).bytes());
  info_ = device_->allocate(static_cast<std::size_t>(batch * (n + 1)) * 4);
  const bool gpu = device_->id().kind == rt::device_kind::cuda;
  vendor_ = gpu ? cuda_vendor(*device_, n, batch) : cpu_vendor(n, batch);
  calls_vendor_ = vendor_ && (!gpu || batch == 1);
}

std::vector<contest> factor_contests::all() {
  return {product("matmul", false), product("matmul_t", true), cholesky(), lu_factor(), solve(),
          inv(), qr(), eigh(), svd()};
}

std::string factor_contests::by_hand() const {
  if (calls_vendor_) return vendor_->name();
  return vendor_ ? "runtime, " + vendor_->name() + "'s transpositions" : "runtime";
}

double* factor_contests::copied(const sn::array<double>& x, std::size_t i) {
  copy(x, i);
  return area(i);
}

rt::matrices factor_contests::matrices(std::size_t i) {
  return {rt::element::float64, n_, n_, batch_, space_[i]->data()};
}

rt::matrices factor_contests::copy(const sn::array<double>& x, std::size_t i) {
  device_->copy(*space_[i], 0, memory_of(x), 0, memory_of(x).bytes());
  return matrices(i);
}

void factor_contests::turned(const double* from, std::size_t i) {
  if (vendor_) vendor_->transpose(from, area(i));
}

std::function<void()> factor_contests::either(std::function<void()> vendors,
                                              std::function<void()> runtimes) const {
  return calls_vendor_ ? std::move(vendors) : std::move(runtimes);
}

contest factor_contests::product(const char* name, bool transpose) {
  const auto by_runtime = [=, this] {
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
  };
  return {name, n_, batch_,
          [=, this] {
            sn::eval(transpose ? sn::matmul(sn::swapaxes(a_, -1, -2), b_) : sn::matmul(a_, b_));
          },
          either([=, this] { vendor_->gemm(doubles(a_), transpose, doubles(b_), area(0)); },
                 by_runtime)};
}

contest factor_contests::cholesky() {
  return {"cholesky", n_, batch_, [this] { sn::eval(la::cholesky(a_)); },
          either([this] { vendor_->cholesky(copied(a_)); },
                 [this] { solver().cholesky(copy(a_), rt::triangle::upper, info()); })};
}

contest factor_contests::lu_factor() {
  const auto factor = [this](auto&& lu) {
    turned(doubles(b_), 0);
    lu();
    turned(area(0), 1);
  };
  return {"lu_factor", n_, batch_, [this] { sn::eval(la::lu_factor(b_).lu); },
          either([=, this] { factor([this] { vendor_->lu(area(0)); }); },
                 [=, this] { factor([this] { solver().lu(matrices(0), pivots(), info()); }); })};
}

// A copy of b is in column-major order the transpose of the system's matrix.
contest factor_contests::solve() {
  return {"solve", n_, batch_, [this] { sn::eval(la::solve(b_, a_)); },
          either(
              [this] {
                vendor_->lu(copied(b_));
                turned(doubles(a_), 1);
                vendor_->solve(area(0), true, area(1));
                turned(area(1), 2);
              },
              [this] {
                solver().lu(copy(b_), pivots(), info());
                turned(doubles(a_), 1);
                solver().lu_solve(matrices(0), pivots(), matrices(1), rt::transposition::transpose);
                turned(area(1), 2);
              })};
}

contest factor_contests::inv() {
  return {"inv", n_, batch_, [this] { sn::eval(la::inv(b_)); },
          either(
              [this] {
                vendor_->lu(copied(b_));
                vendor_->solve(area(0), false, copied(a_, 1));
              },
              [this] {
                solver().lu(copy(b_), pivots(), info());
                solver().lu_solve(matrices(0), pivots(), copy(a_, 1), rt::transposition::none);
              })};
}

contest factor_contests::qr() {
  return {"qr", n_, batch_,
          [this] {
            const auto r = la::qr(b_);
            sn::eval(r.q, r.r);
          },
          either(
              [this] {
                turned(doubles(b_), 0);
                vendor_->qr(area(0), area(1));
                turned(area(0), 2);
                turned(area(1), 3);
              },
              [this] {
                turned(doubles(b_), 0);
                solver().qr(matrices(0), space_[2]->data(), info());
                turned(area(0), 1);
                solver().form_q(matrices(0), n_, space_[2]->data(), info());
                turned(area(0), 3);
              })};
}

contest factor_contests::eigh() {
  return {"eigh", n_, batch_,
          [this] {
            const auto r = la::eigh(a_);
            sn::eval(r.eigenvalues, r.eigenvectors);
          },
          either(
              [this] {
                vendor_->eigh(copied(a_), area(2));
                turned(area(0), 1);
              },
              [this] {
                solver().eigh(copy(a_), space_[2]->data(), true, rt::triangle::upper, info());
                turned(area(0), 1);
              })};
}

contest factor_contests::svd() {
  return {"svd", n_, batch_,
          [this] {
            const auto r = la::svd(b_, {.full_matrices = false});
            sn::eval(r.u, r.s, r.vh);
          },
          either(
              [this] { vendor_->svd(copied(b_), area(3), area(1), area(2), n_ <= jacobi_side); },
              [this] {
                solver().svd(copy(b_), space_[3]->data(), space_[1]->data(), space_[2]->data(),
                             rt::svd_vectors::thin, info());
              })};
}

contest factor_contests::ways_to_singular_values() {
  return {"gesvdj_gesvd", n_, batch_,
          [this] { vendor_->svd(copied(b_), area(3), area(1), area(2), true); },
          [this] { vendor_->svd(copied(b_), area(3), area(1), area(2), false); }};
}

}  // namespace bench

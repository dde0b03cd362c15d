#include "bench/support/vendor.hpp"

#include <algorithm>
#include <vector>

#include <dlfcn.h>

#include "runtime/cpu/lapack_functions.hpp"
#include "runtime/cpu/openblas_library.hpp"

namespace bench {

namespace {

using gemm_function = void(const char*, const char*, const int*, const int*, const int*,
                           const double*, const double*, const int*, const double*, const int*,
                           const double*, double*, const int*, std::size_t, std::size_t);

using transpose_function = void(const char*, const char*, const int*, const int*, const double*,
                                const double*, const int*, double*, const int*);

using set_function = void(const char*, const int*, const int*, const double*, const double*,
                          double*, const int*, std::size_t);

class openblas final : public vendor {
 public:
  openblas(void* library, std::int64_t n, std::int64_t batch)
      : n_(static_cast<int>(n)), batch_(batch) {
    const auto from = sinter::runtime::open_openblas();
    gemm_ = reinterpret_cast<gemm_function*>(dlsym(library, "dgemm_"));
    transpose_ = reinterpret_cast<transpose_function*>(dlsym(library, "domatcopy_"));
    set_ = reinterpret_cast<set_function*>(dlsym(library, "dlaset_"));
    complete_ = f_.find(from) && gemm_ && transpose_ && set_;
    const auto side = static_cast<std::size_t>(n);
    pivots_.resize(side * static_cast<std::size_t>(batch));
    tau_.resize(side);
    work_.resize(side * (4 * side + 70) + 1000);
    integers_.resize(std::max(8 * side, 3 + 5 * side));
  }

  bool complete() const { return complete_; }
  std::string name() const override { return "OpenBLAS"; }

  void gemm(const double* a, bool transpose, const double* b, double* c) override {
    const double one = 1, zero = 0;
    each([&](std::int64_t, std::int64_t at) {
      gemm_("N", transpose ? "T" : "N", &n_, &n_, &n_, &one, b + at, &n_, a + at, &n_, &zero,
            c + at, &n_, 1, 1);
    });
  }
  void cholesky(double* a) override {
    const double zero = 0;
    const int below = n_ - 1;
    each([&](std::int64_t, std::int64_t at) {
      f_.potrf("U", &n_, a + at, &n_, &info_, 1);
      set_("L", &below, &below, &zero, &zero, a + at + 1, &n_, 1);
    });
  }
  void transpose(const double* from, double* to) override {
    const double one = 1;
    each([&](std::int64_t, std::int64_t at) {
      transpose_("C", "T", &n_, &n_, &one, from + at, &n_, to + at, &n_);
    });
  }
  void lu(double* a) override {
    each([&](std::int64_t i, std::int64_t at) {
      f_.getrf(&n_, &n_, a + at, &n_, pivots(i), &info_);
    });
  }
  void solve(const double* lu, bool transpose, double* b) override {
    each([&](std::int64_t i, std::int64_t at) {
      f_.getrs(transpose ? "T" : "N", &n_, &n_, lu + at, &n_, pivots(i), b + at, &n_, &info_, 1);
    });
  }
  void qr(double* a, double* r) override {
    const int length = this->length();
    each([&](std::int64_t, std::int64_t at) {
      f_.geqrf(&n_, &n_, a + at, &n_, tau_.data(), work_.data(), &length, &info_);
      std::copy_n(a + at, static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_), r + at);
      f_.orgqr(&n_, &n_, &n_, a + at, &n_, tau_.data(), work_.data(), &length, &info_);
    });
  }
  void eigh(double* a, double* w) override {
    const int length = this->length(), integers = static_cast<int>(integers_.size());
    each([&](std::int64_t i, std::int64_t at) {
      f_.syevd("V", "U", &n_, a + at, &n_, w + i * n_, work_.data(), &length, integers_.data(),
               &integers, &info_, 1, 1);
    });
  }
  void svd(double* a, double* s, double* u, double* v, bool) override {
    const int length = this->length();
    each([&](std::int64_t i, std::int64_t at) {
      f_.gesdd("S", &n_, &n_, a + at, &n_, s + i * n_, u + at, &n_, v + at, &n_, work_.data(),
               &length, integers_.data(), &info_, 1);
    });
  }
  bool half_gemm(const void*, const void*, void*) override { return false; }

 private:
  int length() const { return static_cast<int>(work_.size()); }
  int* pivots(std::int64_t i) { return pivots_.data() + i * n_; }
  void each(const auto& call) const {
    for (std::int64_t i = 0; i < batch_; ++i) call(i, i * n_ * n_);
  }

  const int n_;
  const std::int64_t batch_;
  int info_ = 0;
  bool complete_ = false;
  sinter::runtime::lapack_functions<double> f_{};
  gemm_function* gemm_ = nullptr;
  transpose_function* transpose_ = nullptr;
  set_function* set_ = nullptr;
  std::vector<int> pivots_, integers_;
  std::vector<double> tau_, work_;
};

}  // namespace

std::unique_ptr<vendor> cpu_vendor(std::int64_t n, std::int64_t batch) {
  if (!sinter::runtime::open_openblas()) return nullptr;  // first: it selects OpenBLAS's kernels
  void* library = dlopen("libopenblas.so.0", RTLD_NOW);
  if (!library) return nullptr;
  auto made = std::make_unique<openblas>(library, n, batch);
  if (!made->complete()) return nullptr;
  return made;
}

#ifndef SINTER_BENCH_CUDA
std::unique_ptr<vendor> cuda_vendor(sinter::runtime::device&, std::int64_t, std::int64_t) {
  return nullptr;
}
#endif

}  // namespace bench

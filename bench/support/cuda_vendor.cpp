#include <cstdio>
#include <stdexcept>

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cusolverDn.h>
#include <dlfcn.h>

#include "bench/support/vendor.hpp"
#include "runtime/cuda/streams.hpp"

#define BENCH_CUBLAS(X)    \
  X(cublasCreate_v2)       \
  X(cublasDestroy_v2)      \
  X(cublasSetStream_v2)    \
  X(cublasSetWorkspace_v2) \
  X(cublasDgemm_v2)        \
  X(cublasGemmEx_64)       \
  X(cublasDgeam)

#define BENCH_CUBLASLT(X)                    \
  X(cublasLtMatrixTransform)                 \
  X(cublasLtMatrixTransformDescCreate)       \
  X(cublasLtMatrixTransformDescSetAttribute) \
  X(cublasLtMatrixTransformDescDestroy)      \
  X(cublasLtMatrixLayoutCreate)              \
  X(cublasLtMatrixLayoutSetAttribute)        \
  X(cublasLtMatrixLayoutDestroy)

#define BENCH_CUSOLVER(X)         \
  X(cusolverDnCreate)             \
  X(cusolverDnDestroy)            \
  X(cusolverDnSetStream)          \
  X(cusolverDnDpotrf_bufferSize)  \
  X(cusolverDnDpotrf)             \
  X(cusolverDnDgetrf_bufferSize)  \
  X(cusolverDnDgetrf)             \
  X(cusolverDnDgetrs)             \
  X(cusolverDnDgeqrf_bufferSize)  \
  X(cusolverDnDgeqrf)             \
  X(cusolverDnDorgqr_bufferSize)  \
  X(cusolverDnDorgqr)             \
  X(cusolverDnDsyevd_bufferSize)  \
  X(cusolverDnDsyevd)             \
  X(cusolverDnDgesvd_bufferSize)  \
  X(cusolverDnDgesvd)             \
  X(cusolverDnDgesvdj_bufferSize) \
  X(cusolverDnDgesvdj)            \
  X(cusolverDnCreateGesvdjInfo)   \
  X(cusolverDnDestroyGesvdjInfo)

namespace bench {

namespace {

struct functions {
#define BENCH_MEMBER(name) decltype(&::name) name = nullptr;
  BENCH_CUBLAS(BENCH_MEMBER)
  BENCH_CUBLASLT(BENCH_MEMBER)
  BENCH_CUSOLVER(BENCH_MEMBER)
#undef BENCH_MEMBER

  bool find(void* cublas, void* cublaslt, void* cusolver) {
    bool all = cublas && cublaslt && cusolver;
    const auto get = [&](auto& to, void* from, const char* name) {
      to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(all ? dlsym(from, name)
                                                                       : nullptr);
      all = all && to;
    };
#define BENCH_FIND(name) get(name, cublas, #name);
    BENCH_CUBLAS(BENCH_FIND)
#undef BENCH_FIND
#define BENCH_FIND(name) get(name, cublaslt, #name);
    BENCH_CUBLASLT(BENCH_FIND)
#undef BENCH_FIND
#define BENCH_FIND(name) get(name, cusolver, #name);
    BENCH_CUSOLVER(BENCH_FIND)
#undef BENCH_FIND
    return all;
  }
};

void* open(const char* first, const char* second) {
  for (const char* name : {first, second}) {
    for (const std::string folder : {"", SINTER_CUDA_LIBDIR "/", "/usr/local/cuda/lib64/"}) {
      if (void* found = dlopen((folder + name).c_str(), RTLD_NOW)) return found;
    }
  }
  return nullptr;
}

constexpr std::size_t workspace_bytes = 32u << 20;

class cuda final : public vendor {
 public:
  cuda(const functions& f, sinter::runtime::device& d, std::int64_t n, std::int64_t batch)
      : f_(f), n_(static_cast<int>(n)), batch_(static_cast<std::int32_t>(batch)) {
    const auto* stream = static_cast<const sinter::runtime::cuda_stream*>(d.current_stream());
    require(f_.cublasCreate_v2(&blas_) == CUBLAS_STATUS_SUCCESS);
    require(f_.cublasSetStream_v2(blas_, stream->handle()) == CUBLAS_STATUS_SUCCESS);
    stream_ = stream->handle();
    make_turn();
    blas_room_ = d.allocate(workspace_bytes);
    require(f_.cublasSetWorkspace_v2(blas_, blas_room_->data(), workspace_bytes) ==
            CUBLAS_STATUS_SUCCESS);
    require(f_.cusolverDnCreate(&solver_) == CUSOLVER_STATUS_SUCCESS);
    require(f_.cusolverDnSetStream(solver_, stream->handle()) == CUSOLVER_STATUS_SUCCESS);
    require(f_.cusolverDnCreateGesvdjInfo(&jacobi_) == CUSOLVER_STATUS_SUCCESS);
    const std::size_t side = static_cast<std::size_t>(n);
    small_ = d.allocate(side * 16 + 256);
    int sizes[7] = {};
    double* null = nullptr;
    f_.cusolverDnDpotrf_bufferSize(solver_, CUBLAS_FILL_MODE_UPPER, n_, null, n_, &sizes[0]);
    f_.cusolverDnDgetrf_bufferSize(solver_, n_, n_, null, n_, &sizes[1]);
    f_.cusolverDnDgeqrf_bufferSize(solver_, n_, n_, null, n_, &sizes[2]);
    f_.cusolverDnDorgqr_bufferSize(solver_, n_, n_, n_, null, n_, null, &sizes[3]);
    f_.cusolverDnDsyevd_bufferSize(solver_, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n_,
                                   null, n_, null, &sizes[4]);
    f_.cusolverDnDgesvd_bufferSize(solver_, n_, n_, &sizes[5]);
    f_.cusolverDnDgesvdj_bufferSize(solver_, CUSOLVER_EIG_MODE_VECTOR, 1, n_, n_, null, n_, null,
                                    null, n_, null, n_, &sizes[6], jacobi_);
    for (const int s : sizes) length_ = std::max(length_, s);
    work_ = d.allocate(static_cast<std::size_t>(length_) * sizeof(double));
  }

  ~cuda() override {
    f_.cublasLtMatrixTransformDescDestroy(turn_);
    f_.cublasLtMatrixLayoutDestroy(stack_);
    f_.cusolverDnDestroyGesvdjInfo(jacobi_);
    f_.cusolverDnDestroy(solver_);
    f_.cublasDestroy_v2(blas_);
  }

  std::string name() const override { return "cuBLAS, cuSOLVER"; }

  void gemm(const double* a, bool transpose, const double* b, double* c) override {
    const double one = 1, zero = 0;
    require(f_.cublasDgemm_v2(blas_, CUBLAS_OP_N, transpose ? CUBLAS_OP_T : CUBLAS_OP_N, n_, n_, n_,
                              &one, b, n_, a, n_, &zero, c, n_) == CUBLAS_STATUS_SUCCESS);
  }
  void cholesky(double* a) override {
    require(
        f_.cusolverDnDpotrf(solver_, CUBLAS_FILL_MODE_UPPER, n_, a, n_, work(), length_, info()));
  }
  void transpose(const double* from, double* to) override {
    const double one = 1, zero = 0;
    if (batch_ > 1) {  // a cuBLAS handle is one of cuBLASLt
      auto* const lt = reinterpret_cast<cublasLtHandle_t>(blas_);
      return require(f_.cublasLtMatrixTransform(lt, turn_, &one, from, stack_, &zero, nullptr,
                                                nullptr, to, stack_,
                                                stream_) == CUBLAS_STATUS_SUCCESS);
    }
    require(f_.cublasDgeam(blas_, CUBLAS_OP_T, CUBLAS_OP_N, n_, n_, &one, from, n_, &zero, to, n_,
                           to, n_) == CUBLAS_STATUS_SUCCESS);
  }
  void lu(double* a) override {
    require(f_.cusolverDnDgetrf(solver_, n_, n_, a, n_, work(), pivots(), info()));
  }
  void solve(const double* lu, bool transpose, double* b) override {
    require(f_.cusolverDnDgetrs(solver_, transpose ? CUBLAS_OP_T : CUBLAS_OP_N, n_, n_, lu, n_,
                                pivots(), b, n_, info()));
  }
  void qr(double* a, double* r) override {
    const double one = 1, zero = 0;
    require(f_.cusolverDnDgeqrf(solver_, n_, n_, a, n_, tau(), work(), length_, info()));
    f_.cublasDgeam(blas_, CUBLAS_OP_N, CUBLAS_OP_N, n_, n_, &one, a, n_, &zero, r, n_, r, n_);
    require(f_.cusolverDnDorgqr(solver_, n_, n_, n_, a, n_, tau(), work(), length_, info()));
  }
  void eigh(double* a, double* w) override {
    require(f_.cusolverDnDsyevd(solver_, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n_, a,
                                n_, w, work(), length_, info()));
  }
  void svd(double* a, double* s, double* u, double* v, bool jacobi) override {
    if (jacobi) {
      return require(f_.cusolverDnDgesvdj(solver_, CUSOLVER_EIG_MODE_VECTOR, 1, n_, n_, a, n_, s, u,
                                          n_, v, n_, work(), length_, info(), jacobi_));
    }
    require(f_.cusolverDnDgesvd(solver_, 'S', 'S', n_, n_, a, n_, s, u, n_, v, n_, work(), length_,
                                nullptr, info()));
  }
  bool half_gemm(const void* a, const void* b, void* c) override {
    const float one = 1, zero = 0;
    require(f_.cublasGemmEx_64(blas_, CUBLAS_OP_N, CUBLAS_OP_N, n_, n_, n_, &one, b, CUDA_R_16BF,
                               n_, a, CUDA_R_16BF, n_, &zero, c, CUDA_R_16BF, n_,
                               CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
    return true;
  }

 private:
  static void require(bool done) {
    if (!done) throw std::runtime_error("a routine of the library called by hand failed");
  }
  void make_turn() {
    const cublasOperation_t t = CUBLAS_OP_T;
    const std::uint64_t side = static_cast<std::uint64_t>(n_);
    const std::int64_t stride = std::int64_t{n_} * n_;
    require(f_.cublasLtMatrixTransformDescCreate(&turn_, CUDA_R_64F) == CUBLAS_STATUS_SUCCESS);
    f_.cublasLtMatrixTransformDescSetAttribute(turn_, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &t,
                                               sizeof t);
    require(f_.cublasLtMatrixLayoutCreate(&stack_, CUDA_R_64F, side, side, n_) ==
            CUBLAS_STATUS_SUCCESS);
    f_.cublasLtMatrixLayoutSetAttribute(stack_, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch_,
                                        sizeof batch_);
    f_.cublasLtMatrixLayoutSetAttribute(stack_, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                        &stride, sizeof stride);
  }
  static void require(cusolverStatus_t status) { require(status == CUSOLVER_STATUS_SUCCESS); }
  double* work() const { return static_cast<double*>(work_->data()); }
  int* info() const { return static_cast<int*>(small_->data()); }
  int* pivots() const { return info() + 2; }
  double* tau() const { return static_cast<double*>(small_->data()) + 8 + n_ / 2 + 1; }

  const functions f_;
  const int n_;
  const std::int32_t batch_;
  int length_ = 1;
  cublasHandle_t blas_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cublasLtMatrixTransformDesc_t turn_ = nullptr;
  cublasLtMatrixLayout_t stack_ = nullptr;
  cusolverDnHandle_t solver_ = nullptr;
  gesvdjInfo_t jacobi_ = nullptr;
  std::shared_ptr<sinter::runtime::buffer> work_, small_, blas_room_;
};

}  // namespace

std::unique_ptr<vendor> cuda_vendor(sinter::runtime::device& d, std::int64_t n,
                                    std::int64_t batch) {
  functions f;
  if (!f.find(open("libcublas.so.13", "libcublas.so.12"),
              open("libcublasLt.so.13", "libcublasLt.so.12"),
              open("libcusolver.so.12", "libcusolver.so.11"))) {
    return nullptr;
  }
  return std::make_unique<cuda>(f, d, n, batch);
}

}  // namespace bench

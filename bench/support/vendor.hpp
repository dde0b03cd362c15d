#pragma once
// The libraries' routines as their users call them, without any sinter code in between: doubles,
// square column-major matrices, in place, with handles and workspaces made beforehand.

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/device.hpp"

namespace bench {

/// On a GPU, work is queued on the calling thread's stream of the device. Matrices are n x n, in
/// the device's memory. OpenBLAS does those of a stack one after another; on a GPU only `transpose`
/// takes stacks.
class vendor {
 public:
  virtual ~vendor() = default;
  virtual std::string name() const = 0;
  /// c = b a, or b a^T: in column-major order the row-major products a b and a^T b.
  virtual void gemm(const double* a, bool transpose, const double* b, double* c) = 0;
  /// With zeros in the other triangle, if the library has a routine that writes them.
  virtual void cholesky(double* a) = 0;
  /// to = from^T: for routines whose result differs for the transpose.
  virtual void transpose(const double* from, double* to) = 0;
  virtual void lu(double* a) = 0;
  /// After lu: replaces b by the solutions, of a^T if `transpose`.
  virtual void solve(const double* lu, bool transpose, double* b) = 0;
  /// a becomes Q; r receives the output of geqrf.
  virtual void qr(double* a, double* r) = 0;
  virtual void eigh(double* a, double* w) = 0;
  /// By Jacobi rotations, if the library has them, else by bidiagonalisation.
  virtual void svd(double* a, double* s, double* u, double* v, bool jacobi) = 0;
  /// c = a b in bfloat16, row-major n x n; false if the library lacks it.
  virtual bool half_gemm(const void* a, const void* b, void* c) = 0;
};

/// Null if the library is missing, or this was built without CUDA's headers.
std::unique_ptr<vendor> cpu_vendor(std::int64_t n, std::int64_t batch = 1);
std::unique_ptr<vendor> cuda_vendor(sinter::runtime::device&, std::int64_t n,
                                    std::int64_t batch = 1);

}  // namespace bench

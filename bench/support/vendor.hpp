#pragma once
// The libraries' routines as their users call them, without anything of ours in between: doubles,
// square and by columns, one matrix, in place, with handles and workspaces made beforehand.

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/device.hpp"

namespace bench {

/// On a GPU, work is queued on the calling thread's stream of the device. Matrices are n x n; all
/// memory is the device's.
class vendor {
 public:
  virtual ~vendor() = default;
  virtual std::string name() const = 0;
  /// c = b a, or b a^T: what a row-major a b, or a^T b, is by columns.
  virtual void gemm(const double* a, bool transpose, const double* b, double* c) = 0;
  virtual void cholesky(double* a) = 0;
  /// to = from^T: rows as columns, for what by columns would be another result.
  virtual void transpose(const double* from, double* to) = 0;
  virtual void lu(double* a) = 0;
  /// After lu: b becomes the solutions, of a^T if so.
  virtual void solve(const double* lu, bool transpose, double* b) = 0;
  /// a becomes Q, r what geqrf left.
  virtual void qr(double* a, double* r) = 0;
  virtual void eigh(double* a, double* w) = 0;
  /// By Jacobi's rotations, if the library has them, or else by the bidiagonal form.
  virtual void svd(double* a, double* s, double* u, double* v, bool jacobi) = 0;
  /// c = a b between bfloat16, row-major n x n; false: the library has none.
  virtual bool half_gemm(const void* a, const void* b, void* c) = 0;
};

/// Null where the library is not there, or this was built without CUDA's headers.
std::unique_ptr<vendor> cpu_vendor(std::int64_t n);
std::unique_ptr<vendor> cuda_vendor(sinter::runtime::device&, std::int64_t n);

}  // namespace bench

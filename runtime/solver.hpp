#pragma once
// Dense factorisations and solvers, from whichever vendor library the device has.

#include <cstdint>

#include "runtime/blas.hpp"

namespace sinter::runtime {

/// Column-major matrices, dense and consecutive: element (i, j) of matrix b is data[(b * columns +
/// j) * rows + i].
struct matrices {
  element type = element::float32;  // float32, float64, complex64 or complex128
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t batch = 1;
  void* data = nullptr;

  std::int64_t size() const { return rows * columns; }  // elements of one
};

enum class triangle : std::uint8_t { lower, upper };
enum class transposition : std::uint8_t { none, transpose, adjoint };
enum class svd_vectors : std::uint8_t { none, thin, full };

/// Up to this side a GPU's eigenvalues and singular values come from Jacobi rotations, whose
/// results are undefined, with info 0, for non-finite matrices.
constexpr std::int64_t rotated_side = 32;

/// Queues work on the calling thread's stream; all memory is the device's. Thread-safe. The library
/// is opened at the first call. Matrices are overwritten where stated. `info` receives one int32
/// per matrix, as in LAPACK: 0, or what went wrong; no call waits for it.
///
/// Throws device_error: for a missing library, naming what to install; for sizes it does not take;
/// out_of_memory for workspaces, which come from the device's pool.
class solver {
 public:
  virtual ~solver() = default;

  /// a: the triangle of a becomes that of its Cholesky factor; the other is untouched for a single
  /// matrix, and undefined in a batch. info k: the leading minor of order k is not positive.
  virtual void cholesky(const matrices& a, triangle, std::int32_t* info) = 0;

  /// a = P L U, in place. `pivots`: min(rows, columns) per matrix: row i was swapped with row
  /// pivots[i], counted from 1. info k: U(k, k), counted from 1, is exactly zero.
  virtual void lu(const matrices& a, std::int32_t* pivots, std::int32_t* info) = 0;
  /// b: the right-hand sides become the solutions of op(P L U) x = b.
  virtual void lu_solve(const matrices& lu, const std::int32_t* pivots, const matrices& b,
                        transposition) = 0;
  /// x: becomes the inverses of a, which is only read; undefined for singular matrices. info as in
  /// `lu`. REQUIRES: on a GPU at most 32 rows, and x disjoint from a; on a CPU it may be a's data.
  virtual void invert(const matrices& a, void* x, std::int32_t* info) = 0;
  /// b: the right-hand sides become the solutions of op(T) x = b, T the triangle of a. `unit`: its
  /// diagonal is taken as ones. Divides by zeros without reporting them.
  virtual void triangular_solve(const matrices& a, const matrices& b, triangle, transposition,
                                bool unit) = 0;

  /// a: R above the diagonal, the reflectors below. `tau`: min(rows, columns) elements per matrix.
  virtual void qr(const matrices& a, void* tau, std::int32_t* info) = 0;
  /// a: the first columns of Q from the reflectors stored in it, `reflectors` of them per matrix.
  /// REQUIRES: reflectors <= columns <= rows.
  virtual void form_q(const matrices& a, std::int64_t reflectors, const void* tau,
                      std::int32_t* info) = 0;

  /// a = U S V^H; a is overwritten. `s`: real, `columns` per matrix, descending. `u` and `vh` are
  /// null for no vectors; thin: rows x columns and columns x columns; full: u is rows x rows. info:
  /// not 0 if it did not converge. REQUIRES: rows >= columns >= 1.
  virtual void svd(const matrices& a, void* s, void* u, void* vh, svd_vectors,
                   std::int32_t* info) = 0;

  /// a, Hermitian, of which one triangle is read: becomes its eigenvectors if wanted, else
  /// undefined. `w`: real, ascending. info: not 0 if it did not converge.
  virtual void eigh(const matrices& a, void* w, bool vectors, triangle, std::int32_t* info) = 0;
  /// a is overwritten. `w`: complex. `v`: null, or the right eigenvectors, each of norm 1; of a
  /// real matrix as LAPACK packs them: for a conjugate pair the real part in the first, the
  /// imaginary part in the second column. info: not 0 if it did not converge.
  virtual void eig(const matrices& a, void* w, void* v, std::int32_t* info) = 0;
};

}  // namespace sinter::runtime

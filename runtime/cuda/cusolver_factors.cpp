// Cholesky, LU and QR factors, and solutions from them.
#include <algorithm>
#include <vector>

#include <cublas_v2.h>
#include <cuda.h>
#include <cusolverDn.h>

#include "runtime/cuda/cusolver_state.hpp"

namespace sinter::runtime {

void cusolver::cholesky(const matrices& a, triangle t, std::int32_t* info) {
  call c(*this, "cholesky");
  if (a.batch > 1 && a.columns <= batched_side) {
    const scratch list = pointers({a}, c.on);
    with_type(a.type, [&]<class T>() {
      c.require(f_.of<T>().potrf_batched(c.h.dense, mode(t), static_cast<int>(a.columns),
                                         static_cast<T**>(list.data()), static_cast<int>(a.columns),
                                         info, as_int(c.routine, a.batch)));
    });
    return c.on.queued();
  }
  const types x = types_of(a.type);
  c.each(
      a, static_cast<std::int64_t>(t),
      [&](std::size_t* device, std::size_t* host) {
        return f_.cusolverDnXpotrf_bufferSize(c.h.dense, c.h.params, mode(t), a.columns, x.stored,
                                              a.data, a.rows, x.stored, device, host);
      },
      [&](std::int64_t b, const room& r) {
        return f_.cusolverDnXpotrf(c.h.dense, c.h.params, mode(t), a.columns, x.stored,
                                   matrix(a, b), a.rows, x.stored, r.device, r.device_bytes, r.host,
                                   r.host_bytes, info + b);
      });
}

void cusolver::lu(const matrices& a, std::int32_t* pivots, std::int32_t* info) {
  call c(*this, "lu");
  const std::int64_t count = std::min(a.rows, a.columns);
  const std::int64_t most = a.batch > 1 ? batched_side : small_lu_side;
  if (a.rows == a.columns && a.columns <= most) {
    const scratch list = pointers({a}, c.on);
    with_type(a.type, [&]<class T>() {
      const int n = static_cast<int>(a.columns);
      c.require(f_.of<T>().getrf_batched(c.h.blas, n, static_cast<T**>(list.data()), n, pivots,
                                         info, as_int(c.routine, a.batch)));
    });
    return c.on.queued();
  }
  if (!counts_in_ints(a)) return lu_wide(c, a, pivots, info);
  const int m = static_cast<int>(a.rows), n = static_cast<int>(a.columns);
  with_type(a.type, [&]<class T>() {
    const work_sizes bytes = c.sizes(a, 0, [&](std::size_t* device, std::size_t*) {
      int length = 0;
      const auto status =
          f_.of<T>().getrf_size(c.h.dense, m, n, static_cast<T*>(a.data), m, &length);
      *device = static_cast<std::size_t>(length) * sizeof(T);
      return status;
    });
    const scratch work(pool_, bytes.device, c.on);
    for (std::int64_t b = 0; b < a.batch; ++b) {
      c.require(f_.of<T>().getrf(c.h.dense, m, n, static_cast<T*>(matrix(a, b)), m,
                                 static_cast<T*>(work.data()), pivots + b * count, info + b));
    }
  });
  c.on.queued();
}

/// With 64-bit counts and pivots, which are converted.
void cusolver::lu_wide(call& c, const matrices& a, std::int32_t* pivots, std::int32_t* info) {
  const types x = types_of(a.type);
  const std::int64_t count = std::min(a.rows, a.columns);
  const scratch wide(pool_, static_cast<std::size_t>(count * a.batch) * 8, c.on);
  auto* places = static_cast<std::int64_t*>(wide.data());
  c.each(
      a, 0,
      [&](std::size_t* device, std::size_t* host) {
        return f_.cusolverDnXgetrf_bufferSize(c.h.dense, c.h.params, a.rows, a.columns, x.stored,
                                              a.data, a.rows, x.stored, device, host);
      },
      [&](std::int64_t b, const room& r) {
        return f_.cusolverDnXgetrf(c.h.dense, c.h.params, a.rows, a.columns, x.stored, matrix(a, b),
                                   a.rows, places + b * count, x.stored, r.device, r.device_bytes,
                                   r.host, r.host_bytes, info + b);
      });
  low_words(c, pivots, 1, places, 2, count * a.batch);
}

void cusolver::lu_solve(const matrices& lu, const std::int32_t* pivots, const matrices& b,
                        transposition t) {
  call c(*this, "lu_solve");
  const std::int64_t n = lu.columns;
  if (n <= (b.batch > 1 ? batched_side : tiny_side)) {
    const scratch list = pointers({lu, b}, c.on);
    with_type(b.type, [&]<class T>() {
      const int side = static_cast<int>(n);
      T* const* from = static_cast<T* const*>(list.data());
      int argument = 0;  // on the host; only reports which argument is wrong
      c.require(f_.of<T>().getrs_batched(c.h.blas, operation(t), side, as_int(c.routine, b.columns),
                                         from, side, pivots, from + b.batch, side, &argument,
                                         as_int(c.routine, b.batch)));
    });
    return c.on.queued();
  }
  if (!counts_in_ints(lu) || !counts_in_ints(b)) return lu_solve_wide(c, lu, pivots, b, t);
  const scratch ignored(pool_, sizeof(int), c.on);
  with_type(b.type, [&]<class T>() {
    const int side = static_cast<int>(n);
    for (std::int64_t i = 0; i < b.batch; ++i) {
      c.require(f_.of<T>().getrs(c.h.dense, operation(t), side, static_cast<int>(b.columns),
                                 static_cast<const T*>(matrix(lu, i)), side, pivots + i * n,
                                 static_cast<T*>(matrix(b, i)), side,
                                 static_cast<int*>(ignored.data())));
    }
  });
  c.on.queued();
}

void cusolver::lu_solve_wide(call& c, const matrices& lu, const std::int32_t* pivots,
                             const matrices& b, transposition t) {
  const types x = types_of(b.type);
  const std::int64_t n = lu.columns;
  const scratch wide(pool_, static_cast<std::size_t>(n * b.batch) * 8, c.on);
  auto* places = static_cast<std::int64_t*>(wide.data());
  zero(places, static_cast<std::size_t>(n * b.batch) * 8, c.on);
  low_words(c, places, 2, pivots, 1, n * b.batch);
  const scratch ignored(pool_, sizeof(int), c.on);
  for (std::int64_t i = 0; i < b.batch; ++i) {
    c.require(f_.cusolverDnXgetrs(c.h.dense, c.h.params, operation(t), n, b.columns, x.stored,
                                  matrix(lu, i), n, places + i * n, x.stored, matrix(b, i), n,
                                  static_cast<int*>(ignored.data())));
  }
  c.on.queued();
}

void cusolver::invert(const matrices& a, void* x, std::int32_t* info) {
  call c(*this, "inv");
  const matrices inverses{a.type, a.rows, a.columns, a.batch, x};
  const scratch list = pointers({a, inverses}, c.on);
  with_type(a.type, [&]<class T>() {
    const int n = static_cast<int>(a.columns);
    T* const* from = static_cast<T* const*>(list.data());
    c.require(f_.of<T>().matinv_batched(c.h.blas, n, from, n, from + a.batch, n, info,
                                        as_int(c.routine, a.batch)));
  });
  c.on.queued();
}

void cusolver::triangular_solve(const matrices& a, const matrices& b, triangle t, transposition op,
                                bool unit) {
  call c(*this, "solve_triangular");
  const auto diagonal = unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  with_type(b.type, [&]<class T>() {
    const T factor = one<T>();
    if (b.batch > 1) {
      const scratch list = pointers({a, b}, c.on);
      T* const* from = static_cast<T* const*>(list.data());
      return c.require(f_.of<T>().trsm_batched(c.h.blas, CUBLAS_SIDE_LEFT, mode(t), operation(op),
                                               diagonal, b.rows, b.columns, &factor, from, a.rows,
                                               from + b.batch, b.rows, b.batch));
    }
    c.require(f_.of<T>().trsm(c.h.blas, CUBLAS_SIDE_LEFT, mode(t), operation(op), diagonal, b.rows,
                              b.columns, &factor, static_cast<const T*>(a.data), a.rows,
                              static_cast<T*>(b.data), b.rows));
  });
  c.on.queued();
}

void cusolver::qr(const matrices& a, void* tau, std::int32_t* info) {
  call c(*this, "qr");
  const std::int64_t count = std::min(a.rows, a.columns);
  if (a.batch > 1 && a.rows <= batched_side) {
    const matrices factors{a.type, count, 1, a.batch, tau};
    const scratch list = pointers({a, factors}, c.on);
    with_type(a.type, [&]<class T>() {
      T* const* from = static_cast<T* const*>(list.data());
      int argument = 0;
      c.require(f_.of<T>().geqrf_batched(
          c.h.blas, static_cast<int>(a.rows), as_int(c.routine, a.columns), from,
          static_cast<int>(a.rows), from + a.batch, &argument, as_int(c.routine, a.batch)));
    });
    return zero(info, static_cast<std::size_t>(a.batch) * 4, c.on);
  }
  const types x = types_of(a.type);
  c.each(
      a, 0,
      [&](std::size_t* device, std::size_t* host) {
        return f_.cusolverDnXgeqrf_bufferSize(c.h.dense, c.h.params, a.rows, a.columns, x.stored,
                                              a.data, a.rows, x.stored, tau, x.stored, device,
                                              host);
      },
      [&](std::int64_t b, const room& r) {
        return f_.cusolverDnXgeqrf(c.h.dense, c.h.params, a.rows, a.columns, x.stored, matrix(a, b),
                                   a.rows, x.stored, offset(tau, b * count, bytes_of(a.type)),
                                   x.stored, r.device, r.device_bytes, r.host, r.host_bytes,
                                   info + b);
      });
}

namespace {

/// The key of Q's workspaces beyond the shape. "qr" itself uses 0, which this never returns.
constexpr std::int64_t form_q_of(std::int64_t reflectors) {
  return 1 + reflectors;
}

}  // namespace

void cusolver::form_q(const matrices& a, std::int64_t reflectors, const void* tau,
                      std::int32_t* info) {
  call c(*this, "qr");
  const int m = as_int(c.routine, a.rows), n = as_int(c.routine, a.columns);
  const int k = as_int(c.routine, reflectors);
  with_type(a.type, [&]<class T>() {
    const auto* first = static_cast<const T*>(tau);
    const work_sizes bytes =
        c.sizes(a, form_q_of(reflectors), [&](std::size_t* device, std::size_t*) {
          int length = 0;
          const auto status = f_.of<T>().orgqr_size(
              c.h.dense, m, n, k, static_cast<const T*>(a.data), m, first, &length);
          *device = static_cast<std::size_t>(length) * sizeof(T);
          return status;
        });
    const scratch work(pool_, bytes.device, c.on);
    const auto length = static_cast<int>(bytes.device / sizeof(T));
    for (std::int64_t b = 0; b < a.batch; ++b) {
      c.require(f_.of<T>().orgqr(c.h.dense, m, n, k, static_cast<T*>(matrix(a, b)), m,
                                 first + b * reflectors, static_cast<T*>(work.data()), length,
                                 info + b));
    }
  });
  c.on.queued();
}

}  // namespace sinter::runtime

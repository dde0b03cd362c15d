// Singular values and eigenvalues.
#include <algorithm>
#include <vector>

#include <cublas_v2.h>
#include <cuda.h>
#include <cusolverDn.h>

#include "runtime/cuda/cusolver_state.hpp"

namespace sinter::runtime {

/// to[b] = from[b]^H, n x n: a product with the identity, which changes no bit.
template <class T>
void cusolver::adjoints(call& c, const T* from, T* to, std::int64_t n, std::int64_t batch) {
  std::vector<T> unit(static_cast<std::size_t>(n * n), T{});
  for (std::int64_t i = 0; i < n; ++i) unit[static_cast<std::size_t>(i * (n + 1))] = one<T>();
  const scratch identity = upload(unit.data(), unit.size() * sizeof(T), c.on);
  const T factor = one<T>(), nothing{};
  c.require(f_.of<T>().gemm_batched(c.h.blas, CUBLAS_OP_C, CUBLAS_OP_N, n, n, n, &factor, from, n,
                                    n * n, static_cast<const T*>(identity.data()), n, 0, &nothing,
                                    to, n, n * n, batch));
}

/// One matrix after another, by Jacobi rotations. The library returns V instead of its adjoint.
template <class T>
void cusolver::rotations(call& c, const matrices& a, void* s, void* u, void* vh,
                         svd_vectors vectors, std::int32_t* info) {
  using real = real_of<T>;
  const int m = static_cast<int>(a.rows), n = static_cast<int>(a.columns);
  const bool wanted = vectors != svd_vectors::none;
  const auto job = wanted ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  const int thin = vectors == svd_vectors::full ? 0 : 1;
  const std::int64_t u_size = a.rows * (thin ? a.columns : a.rows);
  const std::int64_t v_size = a.columns * a.columns;
  const scratch left(pool_, wanted ? 0 : static_cast<std::size_t>(u_size) * sizeof(T), c.on);
  const scratch right(pool_, static_cast<std::size_t>(v_size) * sizeof(T), c.on);
  T* all = wanted ? static_cast<T*>(u) : static_cast<T*>(left.data());
  T *v = static_cast<T*>(right.data()), *to = static_cast<T*>(vh);
  auto* values = static_cast<real*>(s);
  const work_sizes bytes =
      c.sizes(a, static_cast<std::int64_t>(vectors), [&](std::size_t* device, std::size_t*) {
        int length = 0;
        const auto status =
            f_.of<T>().gesvdj_size(c.h.dense, job, thin, m, n, static_cast<T*>(a.data), m, values,
                                   all, m, v, n, &length, c.h.jacobi);
        *device = static_cast<std::size_t>(length) * sizeof(T);
        return status;
      });
  const scratch work(pool_, bytes.device, c.on);
  const auto length = static_cast<int>(bytes.device / sizeof(T));
  const T factor = one<T>(), nothing{};
  for (std::int64_t b = 0; b < a.batch; ++b) {
    c.require(f_.of<T>().gesvdj(c.h.dense, job, thin, m, n, static_cast<T*>(matrix(a, b)), m,
                                values + b * n, wanted ? all + b * u_size : all, m, v, n,
                                static_cast<T*>(work.data()), length, info + b, c.h.jacobi));
    if (!wanted) continue;
    c.require(f_.of<T>().geam(c.h.blas, CUBLAS_OP_C, CUBLAS_OP_N, n, n, &factor, v, n, &nothing,
                              to + b * v_size, n, to + b * v_size, n));
  }
}

/// For small matrices. The library returns all of U, and V instead of its adjoint.
template <class T>
void cusolver::jacobi_svd(call& c, const matrices& a, void* s, void* u, void* vh,
                          svd_vectors vectors, std::int32_t* info) {
  const int m = static_cast<int>(a.rows), n = static_cast<int>(a.columns);
  const int batch = as_int(c.routine, a.batch);
  const bool wanted = vectors != svd_vectors::none;
  const auto job = wanted ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  const scratch right(pool_, static_cast<std::size_t>(a.batch) * n * n * sizeof(T), c.on);
  const scratch left(pool_, static_cast<std::size_t>(a.batch) * m * m * sizeof(T), c.on);
  const bool in_place = vectors == svd_vectors::full || m == n;
  T* all = wanted && in_place ? static_cast<T*>(u) : static_cast<T*>(left.data());
  T* v = static_cast<T*>(right.data());
  using real = real_of<T>;
  auto* values = static_cast<real*>(s);
  T* data = static_cast<T*>(a.data);
  const work_sizes bytes =
      c.sizes(a, static_cast<std::int64_t>(vectors), [&](std::size_t* device, std::size_t*) {
        int length = 0;
        const auto status = f_.of<T>().gesvdj_batched_size(
            c.h.dense, job, m, n, data, m, values, all, m, v, n, &length, c.h.jacobi, batch);
        *device = static_cast<std::size_t>(length) * sizeof(T);
        return status;
      });
  const scratch work(pool_, bytes.device, c.on);
  const auto length = static_cast<int>(bytes.device / sizeof(T));
  c.require(f_.of<T>().gesvdj_batched(c.h.dense, job, m, n, data, m, values, all, m, v, n,
                                      static_cast<T*>(work.data()), length, info, c.h.jacobi,
                                      batch));
  if (!wanted) return;
  if (!in_place) {
    copy_rows(u, static_cast<std::size_t>(m) * n * sizeof(T), all,
              static_cast<std::size_t>(m) * m * sizeof(T),
              static_cast<std::size_t>(m) * n * sizeof(T), a.batch, c.on);
  }
  adjoints<T>(c, v, static_cast<T*>(vh), n, a.batch);
}

void cusolver::svd(const matrices& a, void* s, void* u, void* vh, svd_vectors vectors,
                   std::int32_t* info) {
  call c(*this, "svd");
  if (a.rows <= rotated_side) {
    with_type(a.type, [&]<class T>() { jacobi_svd<T>(c, a, s, u, vh, vectors, info); });
    return c.on.queued();
  }
  if (a.columns <= jacobi_side && a.rows <= 2 * a.columns) {
    with_type(a.type, [&]<class T>() { rotations<T>(c, a, s, u, vh, vectors, info); });
    return c.on.queued();
  }
  const types x = types_of(a.type);
  const signed char left = vectors == svd_vectors::none   ? 'N'
                           : vectors == svd_vectors::thin ? 'S'
                                                          : 'A';
  const signed char right = vectors == svd_vectors::none ? 'N' : 'S';
  const std::int64_t width = vectors == svd_vectors::full ? a.rows : a.columns;
  const std::size_t size = bytes_of(a.type);
  c.each(
      a, static_cast<std::int64_t>(vectors),
      [&](std::size_t* device, std::size_t* host) {
        return f_.cusolverDnXgesvd_bufferSize(
            c.h.dense, c.h.params, left, right, a.rows, a.columns, x.stored, a.data, a.rows, x.real,
            s, x.stored, u, a.rows, x.stored, vh, a.columns, x.stored, device, host);
      },
      [&](std::int64_t b, const room& r) {
        return f_.cusolverDnXgesvd(
            c.h.dense, c.h.params, left, right, a.rows, a.columns, x.stored, matrix(a, b), a.rows,
            x.real, offset(s, b * a.columns, real_bytes(a.type)), x.stored,
            u ? offset(u, b * a.rows * width, size) : nullptr, a.rows, x.stored,
            vh ? offset(vh, b * a.columns * a.columns, size) : nullptr, a.columns, x.stored,
            r.device, r.device_bytes, r.host, r.host_bytes, info + b);
      });
}

/// For small matrices.
template <class T>
void cusolver::jacobi_eigh(call& c, const matrices& a, void* w, bool vectors, triangle t,
                           std::int32_t* info) {
  const int n = static_cast<int>(a.columns), batch = as_int(c.routine, a.batch);
  const auto job = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  T* const data = static_cast<T*>(a.data);
  auto* const values = static_cast<real_of<T>*>(w);
  const work_sizes bytes = c.sizes(a, job, [&](std::size_t* device, std::size_t*) {
    int length = 0;
    const auto status = f_.of<T>().syevj_batched_size(c.h.dense, job, mode(t), n, data, n, values,
                                                      &length, c.h.rotations, batch);
    *device = static_cast<std::size_t>(length) * sizeof(T);
    return status;
  });
  const scratch work(pool_, bytes.device, c.on);
  const auto length = static_cast<int>(bytes.device / sizeof(T));
  c.require(f_.of<T>().syevj_batched(c.h.dense, job, mode(t), n, data, n, values,
                                     static_cast<T*>(work.data()), length, info, c.h.rotations,
                                     batch));
}

void cusolver::eigh(const matrices& a, void* w, bool vectors, triangle t, std::int32_t* info) {
  call c(*this, "eigh");
  if (a.columns <= rotated_side) {
    with_type(a.type, [&]<class T>() { jacobi_eigh<T>(c, a, w, vectors, t, info); });
    return c.on.queued();
  }
  const types x = types_of(a.type);
  const auto job = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
#if CUSOLVER_VERSION >= 11702
  if (a.batch > 1 && a.columns <= batched_eigh_side && f_.cusolverDnXsyevBatched) {
    const room r = c.make_room(a, job, [&](std::size_t* device, std::size_t* host) {
      return f_.cusolverDnXsyevBatched_bufferSize(c.h.dense, c.h.params, job, mode(t), a.columns,
                                                  x.stored, a.data, a.rows, x.real, w, x.stored,
                                                  device, host, a.batch);
    });
    c.require(f_.cusolverDnXsyevBatched(c.h.dense, c.h.params, job, mode(t), a.columns, x.stored,
                                        a.data, a.rows, x.real, w, x.stored, r.device,
                                        r.device_bytes, r.host, r.host_bytes, info, a.batch));
    return c.on.queued();
  }
#endif
  c.each(
      a, job,
      [&](std::size_t* device, std::size_t* host) {
        return f_.cusolverDnXsyevd_bufferSize(c.h.dense, c.h.params, job, mode(t), a.columns,
                                              x.stored, a.data, a.rows, x.real, w, x.stored, device,
                                              host);
      },
      [&](std::int64_t b, const room& r) {
        return f_.cusolverDnXsyevd(c.h.dense, c.h.params, job, mode(t), a.columns, x.stored,
                                   matrix(a, b), a.rows, x.real,
                                   offset(w, b * a.columns, real_bytes(a.type)), x.stored, r.device,
                                   r.device_bytes, r.host, r.host_bytes, info + b);
      });
}

void cusolver::eig(const matrices& a, void* w, void* v, std::int32_t* info) {
  call c(*this, "eig");
#if CUSOLVER_VERSION >= 11702
  if (f_.cusolverDnXgeev) {
    const types x = types_of(a.type);
    const auto none = CUSOLVER_EIG_MODE_NOVECTOR;
    const auto job = v ? CUSOLVER_EIG_MODE_VECTOR : none;
    const std::int64_t n = a.columns;
    return c.each(
        a, job,
        [&](std::size_t* device, std::size_t* host) {
          return f_.cusolverDnXgeev_bufferSize(c.h.dense, c.h.params, none, job, n, x.stored,
                                               a.data, n, x.complex, w, x.stored, nullptr, n,
                                               x.stored, v, n, x.stored, device, host);
        },
        [&](std::int64_t b, const room& r) {
          return f_.cusolverDnXgeev(
              c.h.dense, c.h.params, none, job, n, x.stored, matrix(a, b), n, x.complex,
              offset(w, b * n, 2 * real_bytes(a.type)), x.stored, nullptr, n, x.stored,
              v ? offset(v, b * n * n, bytes_of(a.type)) : nullptr, n, x.stored, r.device,
              r.device_bytes, r.host, r.host_bytes, info + b);
        });
  }
#endif
  throw device_error("[eig] this needs cuSOLVER of CUDA 12.8 or later (it has no cusolverDnXgeev)");
}

}  // namespace sinter::runtime

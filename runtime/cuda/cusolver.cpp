// length: one class over one library, a paragraph a routine
#include "runtime/cuda/cusolver.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <cublas_v2.h>
#include <cuda.h>
#include <cusolverDn.h>

#include "runtime/cuda/cusolver_functions.hpp"
#include "runtime/cuda/driver_functions.hpp"
#include "runtime/cuda/scratch.hpp"

#ifndef SINTER_CUDA_LIBDIR
#define SINTER_CUDA_LIBDIR ""
#endif

namespace sinter::runtime {
namespace {

/// Throws device_error: not there, or too old.
cusolver_functions open_cusolver(const char* routine) {
  const std::vector<std::string> folders{SINTER_CUDA_LIBDIR, "/usr/local/cuda/lib64"};
  const auto cublas = dynamic_library::open({"libcublas.so.13", "libcublas.so.12"}, folders);
  const auto cusolver = dynamic_library::open({"libcusolver.so.12", "libcusolver.so.11"}, folders);
  cusolver_functions found;
  const std::string problem = found.find(cusolver, cublas);
  if (problem.empty()) return found;
  throw device_error(std::string("[") + routine + "] this needs cuSOLVER of CUDA 12 or later (" +
                     problem + "): install the CUDA toolkit's libcusolver and libcublas");
}

struct types {
  cudaDataType_t stored, real, complex;
};

types types_of(element type) {
  switch (type) {
    case element::float32:
      return {CUDA_R_32F, CUDA_R_32F, CUDA_C_32F};
    case element::float64:
      return {CUDA_R_64F, CUDA_R_64F, CUDA_C_64F};
    case element::complex64:
      return {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F};
    default:
      return {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F};
  }
}

constexpr cublasFillMode_t mode(triangle t) {
  return t == triangle::lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}
constexpr cublasOperation_t operation(transposition t) {
  return t == transposition::none        ? CUBLAS_OP_N
         : t == transposition::transpose ? CUBLAS_OP_T
                                         : CUBLAS_OP_C;
}

// Up to these sides the batched routines win over one call a matrix; the library itself refuses
// singular values of larger ones.
constexpr std::int64_t batched_side = 256;
constexpr std::int64_t batched_svd_side = 32;
constexpr std::int64_t batched_eigh_side = 512;
// Up to this side, and for matrices no taller than twice that, Jacobi rotations win over the
// bidiagonal form: 3.5 against 8.6 ms for a side of 100, 87 against 124 for one of 1000 (H200).
constexpr std::int64_t jacobi_side = 1024;

constexpr std::size_t real_bytes(element t) {
  return bytes_of(t) / (is_complex(t) ? 2 : 1);
}

void* offset(const void* data, std::int64_t elements, std::size_t size) {
  return static_cast<char*>(const_cast<void*>(data)) + elements * static_cast<std::int64_t>(size);
}

/// Matrix b of a batch.
void* matrix(const matrices& a, std::int64_t b) {
  return offset(a.data, b * a.size(), bytes_of(a.type));
}

int as_int(const char* routine, std::int64_t x) {
  if (x <= std::numeric_limits<int>::max()) return static_cast<int>(x);
  throw device_error(std::string("[") + routine +
                     "] cuSOLVER does not count beyond 2147483647: " + std::to_string(x));
}

template <class Work> void with_type(element type, Work work) {
  switch (type) {
    case element::float32:
      return work.template operator()<float>();
    case element::float64:
      return work.template operator()<double>();
    case element::complex64:
      return work.template operator()<cuComplex>();
    case element::complex128:
      return work.template operator()<cuDoubleComplex>();
    default:
      throw device_error("cuSOLVER knows no half types");
  }
}

template <class T> T one() {
  if constexpr (std::is_floating_point_v<T>) {
    return 1;
  } else {
    return {1, 0};
  }
}

/// What a thread needs for its calls: the libraries' handles for its stream.
struct handles {
  cusolverDnHandle_t dense = nullptr;
  cublasHandle_t blas = nullptr;
  cusolverDnParams_t params = nullptr;
  gesvdjInfo_t jacobi = nullptr;
};

class cusolver final : public solver {
 public:
  cusolver(const cuda_context& context, cuda_streams& streams, memory_pool& pool,
           cuda_staging& staging)
      : context_(context), streams_(streams), pool_(pool), staging_(staging) {}

  ~cusolver() override {
    context_.bind();
    for (const auto& [stream, h] : handles_) {
      if (h.jacobi) f_.cusolverDnDestroyGesvdjInfo(h.jacobi);
      if (h.params) f_.cusolverDnDestroyParams(h.params);
      if (h.dense) f_.cusolverDnDestroy(h.dense);
      if (h.blas) f_.cublasDestroy(h.blas);
    }
  }

  void cholesky(const matrices& a, triangle t, std::int32_t* info) override {
    call c(*this, "cholesky");
    if (a.batch > 1 && a.columns <= batched_side) {
      const scratch list = pointers(a, c.on);
      with_type(a.type, [&]<class T>() {
        c.require(f_.of<T>().potrf_batched(
            c.h.dense, mode(t), static_cast<int>(a.columns), static_cast<T**>(list.data()),
            static_cast<int>(a.columns), info, as_int(c.routine, a.batch)));
      });
      return c.on.queued();
    }
    const types x = types_of(a.type);
    c.each(
        a,
        [&](std::size_t* device, std::size_t* host) {
          return f_.cusolverDnXpotrf_bufferSize(c.h.dense, c.h.params, mode(t), a.columns, x.stored,
                                                a.data, a.rows, x.stored, device, host);
        },
        [&](std::int64_t b, const room& r) {
          return f_.cusolverDnXpotrf(c.h.dense, c.h.params, mode(t), a.columns, x.stored,
                                     matrix(a, b), a.rows, x.stored, r.device, r.device_bytes,
                                     r.host, r.host_bytes, info + b);
        });
  }

  void lu(const matrices& a, std::int32_t* pivots, std::int32_t* info) override {
    call c(*this, "lu");
    if (a.batch > 1 && a.rows == a.columns && a.columns <= batched_side) {
      const scratch list = pointers(a, c.on);
      with_type(a.type, [&]<class T>() {
        const int n = static_cast<int>(a.columns);
        c.require(f_.of<T>().getrf_batched(c.h.blas, n, static_cast<T**>(list.data()), n, pivots,
                                           info, as_int(c.routine, a.batch)));
      });
      return c.on.queued();
    }
    const types x = types_of(a.type);
    const std::int64_t count = std::min(a.rows, a.columns);
    const scratch wide(pool_, static_cast<std::size_t>(count * a.batch) * 8, c.on);
    auto* places = static_cast<std::int64_t*>(wide.data());
    c.each(
        a,
        [&](std::size_t* device, std::size_t* host) {
          return f_.cusolverDnXgetrf_bufferSize(c.h.dense, c.h.params, a.rows, a.columns, x.stored,
                                                a.data, a.rows, x.stored, device, host);
        },
        [&](std::int64_t b, const room& r) {
          return f_.cusolverDnXgetrf(c.h.dense, c.h.params, a.rows, a.columns, x.stored,
                                     matrix(a, b), a.rows, places + b * count, x.stored, r.device,
                                     r.device_bytes, r.host, r.host_bytes, info + b);
        });
    low_words(c, pivots, 1, places, 2, count * a.batch);
  }

  void lu_solve(const matrices& lu, const std::int32_t* pivots, const matrices& b,
                transposition t) override {
    call c(*this, "lu_solve");
    if (b.batch > 1 && lu.columns <= batched_side) {
      const scratch from = pointers(lu, c.on), to = pointers(b, c.on);
      with_type(b.type, [&]<class T>() {
        const int n = static_cast<int>(lu.columns);
        int argument = 0;  // of the host: only says which argument was wrong
        c.require(f_.of<T>().getrs_batched(c.h.blas, operation(t), n, as_int(c.routine, b.columns),
                                           static_cast<const T* const*>(from.data()), n, pivots,
                                           static_cast<T* const*>(to.data()), n, &argument,
                                           as_int(c.routine, b.batch)));
      });
      return c.on.queued();
    }
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

  void swap_rows(const matrices& b, std::int64_t count, const std::int32_t* pivots) override {
    call c(*this, "lu");
    with_type(b.type, [&]<class T>() {
      for (std::int64_t i = 0; i < b.batch; ++i) {
        c.require(f_.of<T>().laswp(c.h.dense, as_int(c.routine, b.columns),
                                   static_cast<T*>(matrix(b, i)), as_int(c.routine, b.rows), 1,
                                   as_int(c.routine, count), pivots + i * count, 1));
      }
    });
    c.on.queued();
  }

  void triangular_solve(const matrices& a, const matrices& b, triangle t, transposition op,
                        bool unit) override {
    call c(*this, "solve_triangular");
    const auto diagonal = unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
    with_type(b.type, [&]<class T>() {
      const T factor = one<T>();
      if (b.batch > 1) {
        const scratch from = pointers(a, c.on), to = pointers(b, c.on);
        return c.require(f_.of<T>().trsm_batched(
            c.h.blas, CUBLAS_SIDE_LEFT, mode(t), operation(op), diagonal, b.rows, b.columns,
            &factor, static_cast<const T* const*>(from.data()), a.rows,
            static_cast<T* const*>(to.data()), b.rows, b.batch));
      }
      c.require(f_.of<T>().trsm(c.h.blas, CUBLAS_SIDE_LEFT, mode(t), operation(op), diagonal,
                                b.rows, b.columns, &factor, static_cast<const T*>(a.data), a.rows,
                                static_cast<T*>(b.data), b.rows));
    });
    c.on.queued();
  }

  void qr(const matrices& a, void* tau, std::int32_t* info) override {
    call c(*this, "qr");
    const std::int64_t count = std::min(a.rows, a.columns);
    if (a.batch > 1 && a.rows <= batched_side) {
      const matrices factors{a.type, count, 1, a.batch, tau};
      const scratch list = pointers(a, c.on), tails = pointers(factors, c.on);
      with_type(a.type, [&]<class T>() {
        int argument = 0;
        c.require(f_.of<T>().geqrf_batched(
            c.h.blas, static_cast<int>(a.rows), as_int(c.routine, a.columns),
            static_cast<T* const*>(list.data()), static_cast<int>(a.rows),
            static_cast<T* const*>(tails.data()), &argument, as_int(c.routine, a.batch)));
      });
      return zero(info, static_cast<std::size_t>(a.batch) * 4, c.on);
    }
    const types x = types_of(a.type);
    c.each(
        a,
        [&](std::size_t* device, std::size_t* host) {
          return f_.cusolverDnXgeqrf_bufferSize(c.h.dense, c.h.params, a.rows, a.columns, x.stored,
                                                a.data, a.rows, x.stored, tau, x.stored, device,
                                                host);
        },
        [&](std::int64_t b, const room& r) {
          return f_.cusolverDnXgeqrf(c.h.dense, c.h.params, a.rows, a.columns, x.stored,
                                     matrix(a, b), a.rows, x.stored,
                                     offset(tau, b * count, bytes_of(a.type)), x.stored, r.device,
                                     r.device_bytes, r.host, r.host_bytes, info + b);
        });
  }

  void form_q(const matrices& a, std::int64_t reflectors, const void* tau,
              std::int32_t* info) override {
    call c(*this, "qr");
    const int m = as_int(c.routine, a.rows), n = as_int(c.routine, a.columns);
    const int k = as_int(c.routine, reflectors);
    with_type(a.type, [&]<class T>() {
      const auto* first = static_cast<const T*>(tau);
      int length = 0;
      c.require(f_.of<T>().orgqr_size(c.h.dense, m, n, k, static_cast<const T*>(a.data), m, first,
                                      &length));
      const scratch work(pool_, static_cast<std::size_t>(length) * sizeof(T), c.on);
      for (std::int64_t b = 0; b < a.batch; ++b) {
        c.require(f_.of<T>().orgqr(c.h.dense, m, n, k, static_cast<T*>(matrix(a, b)), m,
                                   first + b * reflectors, static_cast<T*>(work.data()), length,
                                   info + b));
      }
    });
    c.on.queued();
  }

  void svd(const matrices& a, void* s, void* u, void* vh, svd_vectors vectors,
           std::int32_t* info) override {
    call c(*this, "svd");
    if (a.batch > 1 && a.rows <= batched_svd_side) {
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
        a,
        [&](std::size_t* device, std::size_t* host) {
          return f_.cusolverDnXgesvd_bufferSize(
              c.h.dense, c.h.params, left, right, a.rows, a.columns, x.stored, a.data, a.rows,
              x.real, s, x.stored, u, a.rows, x.stored, vh, a.columns, x.stored, device, host);
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

  void eigh(const matrices& a, void* w, bool vectors, triangle t, std::int32_t* info) override {
    call c(*this, "eigh");
    const types x = types_of(a.type);
    const auto job = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
#if CUSOLVER_VERSION >= 11702
    if (a.batch > 1 && a.columns <= batched_eigh_side && f_.cusolverDnXsyevBatched) {
      const room r = c.make_room([&](std::size_t* device, std::size_t* host) {
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
        a,
        [&](std::size_t* device, std::size_t* host) {
          return f_.cusolverDnXsyevd_bufferSize(c.h.dense, c.h.params, job, mode(t), a.columns,
                                                x.stored, a.data, a.rows, x.real, w, x.stored,
                                                device, host);
        },
        [&](std::int64_t b, const room& r) {
          return f_.cusolverDnXsyevd(c.h.dense, c.h.params, job, mode(t), a.columns, x.stored,
                                     matrix(a, b), a.rows, x.real,
                                     offset(w, b * a.columns, real_bytes(a.type)), x.stored,
                                     r.device, r.device_bytes, r.host, r.host_bytes, info + b);
        });
  }

  void eig(const matrices& a, void* w, void* v, std::int32_t* info) override {
    call c(*this, "eig");
#if CUSOLVER_VERSION >= 11702
    if (f_.cusolverDnXgeev) {
      const types x = types_of(a.type);
      const auto none = CUSOLVER_EIG_MODE_NOVECTOR;
      const auto job = v ? CUSOLVER_EIG_MODE_VECTOR : none;
      const std::int64_t n = a.columns;
      return c.each(
          a,
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
    throw device_error(
        "[eig] this needs cuSOLVER of CUDA 12.8 or later (it has no cusolverDnXgeev)");
  }

 private:
  /// Workspaces of a call.
  struct room {
    void* device = nullptr;
    std::size_t device_bytes = 0;
    void* host = nullptr;
    std::size_t host_bytes = 0;
  };

  /// One call of a routine on the calling thread's stream.
  struct call {
    call(cusolver& s, const char* name)
        : self(s), routine(name), on(s.streams_.current()), h(s.handles_of(on, name)) {}

    template <class Ask> room make_room(Ask ask) {
      room r;
      require(ask(&r.device_bytes, &r.host_bytes));
      device.emplace_back(self.pool_, r.device_bytes, on);
      r.device = device.back().data();
      host.resize(r.host_bytes + 1);
      r.host = host.data();
      return r;
    }

    /// Every matrix of a batch in the same workspace, one after another.
    template <class Ask, class Run> void each(const matrices& a, Ask ask, Run run) {
      const room r = make_room(ask);
      for (std::int64_t b = 0; b < a.batch; ++b) require(run(b, r));
      on.queued();
    }

    void require(cusolverStatus_t status) const {
      if (status == CUSOLVER_STATUS_SUCCESS) return;
      fail("cuSOLVER failed with status " + std::to_string(status),
           status == CUSOLVER_STATUS_ALLOC_FAILED);
    }
    void require(cublasStatus_t status) const {
      if (status == CUBLAS_STATUS_SUCCESS) return;
      fail(std::string("cuBLAS failed: ") + self.f_.cublasGetStatusString(status),
           status == CUBLAS_STATUS_ALLOC_FAILED);
    }
    [[noreturn]] void fail(const std::string& what, bool memory) const {
      const std::string text = std::string("[") + routine + "] " + what;
      if (memory) throw out_of_memory(text, 0);
      throw device_error(text + on.recent());
    }

    cusolver& self;
    const char* routine;
    cuda_stream& on;
    const handles& h;
    std::vector<scratch> device;
    std::vector<char> host;
  };

  /// The addresses of a batch's matrices, on the device.
  scratch pointers(const matrices& a, cuda_stream& on) {
    std::vector<void*> list;
    list.reserve(static_cast<std::size_t>(a.batch));
    for (std::int64_t b = 0; b < a.batch; ++b) list.push_back(matrix(a, b));
    return upload(list.data(), list.size() * sizeof(void*), on);
  }

  scratch upload(const void* data, std::size_t bytes, cuda_stream& on) {
    scratch made(pool_, bytes, on);
    staging_.to_device(on, made.data(), data, bytes);
    return made;
  }

  void zero(void* to, std::size_t bytes, cuda_stream& on) {
    const auto at = reinterpret_cast<CUdeviceptr>(to);
    check(the_driver().cuMemsetD8Async(at, 0, bytes, on.handle()), "filling with zeros");
    on.queued();
  }

  /// Between 32-bit and 64-bit counts: their low words, every first or second. The library copies
  /// bits, whatever they mean; the driver's copies of rows take 0.2 us a row.
  void low_words(call& c, void* to, std::int64_t to_step, const void* from,
                 std::int64_t from_step, std::int64_t count) {
    c.require(f_.cublasScopy_64(c.h.blas, count, static_cast<const float*>(from), from_step,
                                static_cast<float*>(to), to_step));
  }

  void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                 std::size_t width, std::int64_t count, cuda_stream& on) {
    if (count == 0 || width == 0) return;
    CUDA_MEMCPY2D what{};
    what.srcMemoryType = what.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    what.srcDevice = reinterpret_cast<CUdeviceptr>(from);
    what.dstDevice = reinterpret_cast<CUdeviceptr>(to);
    what.srcPitch = from_pitch;
    what.dstPitch = to_pitch;
    what.WidthInBytes = width;
    what.Height = static_cast<std::size_t>(count);
    check(the_driver().cuMemcpy2DAsync(&what, on.handle()), "copying rows");
    on.queued();
  }

  /// One after another, by Jacobi rotations. The library gives V instead of its adjoint.
  template <class T>
  void rotations(call& c, const matrices& a, void* s, void* u, void* vh, svd_vectors vectors,
                 std::int32_t* info) {
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
    int length = 0;
    c.require(f_.of<T>().gesvdj_size(c.h.dense, job, thin, m, n, static_cast<T*>(a.data), m, values,
                                     all, m, v, n, &length, c.h.jacobi));
    const scratch work(pool_, static_cast<std::size_t>(length) * sizeof(T), c.on);
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

  /// Many small ones. The library gives all of U, and V instead of its adjoint.
  template <class T>
  void jacobi_svd(call& c, const matrices& a, void* s, void* u, void* vh, svd_vectors vectors,
                  std::int32_t* info) {
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
    int length = 0;
    c.require(f_.of<T>().gesvdj_batched_size(c.h.dense, job, m, n, data, m, values, all, m, v, n,
                                             &length, c.h.jacobi, batch));
    const scratch work(pool_, static_cast<std::size_t>(length) * sizeof(T), c.on);
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

  /// to[b] = from[b]^H, n x n: a product with the identity, which changes no bit.
  template <class T>
  void adjoints(call& c, const T* from, T* to, std::int64_t n, std::int64_t batch) {
    std::vector<T> unit(static_cast<std::size_t>(n * n), T{});
    for (std::int64_t i = 0; i < n; ++i) unit[static_cast<std::size_t>(i * (n + 1))] = one<T>();
    const scratch identity = upload(unit.data(), unit.size() * sizeof(T), c.on);
    const T factor = one<T>(), nothing{};
    c.require(f_.of<T>().gemm_batched(c.h.blas, CUBLAS_OP_C, CUBLAS_OP_N, n, n, n, &factor, from, n,
                                      n * n, static_cast<const T*>(identity.data()), n, 0, &nothing,
                                      to, n, n * n, batch));
  }

  template <class T>
  using real_of =
      std::conditional_t<std::is_same_v<T, float> || std::is_same_v<T, cuComplex>, float, double>;

  const handles& handles_of(const cuda_stream& on, const char* routine) {
    const std::lock_guard one_at_a_time(mutex_);
    if (!f_.cusolverDnCreate) f_ = open_cusolver(routine);
    auto [it, is_new] = handles_.try_emplace(on.id());
    handles& h = it->second;
    if (!is_new) return h;
    const bool made = f_.cusolverDnCreate(&h.dense) == CUSOLVER_STATUS_SUCCESS &&
                      f_.cusolverDnSetStream(h.dense, on.handle()) == CUSOLVER_STATUS_SUCCESS &&
                      f_.cusolverDnCreateParams(&h.params) == CUSOLVER_STATUS_SUCCESS &&
                      f_.cusolverDnCreateGesvdjInfo(&h.jacobi) == CUSOLVER_STATUS_SUCCESS &&
                      f_.cublasCreate(&h.blas) == CUBLAS_STATUS_SUCCESS &&
                      f_.cublasSetStream(h.blas, on.handle()) == CUBLAS_STATUS_SUCCESS;
    if (made) return h;
    if (h.jacobi) f_.cusolverDnDestroyGesvdjInfo(h.jacobi);
    if (h.params) f_.cusolverDnDestroyParams(h.params);
    if (h.dense) f_.cusolverDnDestroy(h.dense);
    if (h.blas) f_.cublasDestroy(h.blas);
    handles_.erase(it);
    throw device_error(std::string("[") + routine + "] cuSOLVER cannot be set up" + on.recent());
  }

  const cuda_context& context_;
  cuda_streams& streams_;
  memory_pool& pool_;
  cuda_staging& staging_;
  std::mutex mutex_;
  cusolver_functions f_;
  std::map<stream_id, handles> handles_;
};

}  // namespace

std::unique_ptr<solver> make_cusolver(const cuda_context& context, cuda_streams& streams,
                                      memory_pool& pool, cuda_staging& staging) {
  return std::make_unique<cusolver>(context, streams, pool, staging);
}

}  // namespace sinter::runtime

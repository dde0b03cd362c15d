#pragma once
// The solver over cuSOLVER, and what its routines share: a call on a stream, its workspaces, its
// address lists. For the .cpp files of this folder, which include <cublas_v2.h> and <cusolverDn.h>
// first. Factors are in cusolver_factors.cpp, singular values and eigenvalues in
// cusolver_spectral.cpp.

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/cuda/address_lists.hpp"
#include "runtime/cuda/cusolver_functions.hpp"
#include "runtime/cuda/scratch.hpp"
#include "runtime/cuda/staging.hpp"
#include "runtime/solver.hpp"

namespace sinter::runtime {

struct types {
  cudaDataType_t stored, real, complex;
};

inline types types_of(element type) {
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

// Up to these sides the batched routines beat one call per matrix. The first two apply to a batch
// of one: LU of 64 doubles 94 against 114 us, of 80 125 and 142, of 100 193 and 174 (H100).
constexpr std::int64_t tiny_side = 32;
constexpr std::int64_t small_lu_side = 80;
constexpr std::int64_t batched_side = 256;
constexpr std::int64_t batched_eigh_side = 512;
// Up to rotated_side Jacobi rotations have batched routines, which are the fastest for a single
// matrix too: doubles of side 4, 16, 32, us, singular values 81, 215, 316 where the routine for one
// takes 349, 576, 679; eigenvalues 30, 73, 160 for 62, 141, 220, of 1,000 of 16 x 16 139 for 339
// (H100).

// Up to this side, and for matrices no taller than twice that, Jacobi rotations beat the bidiagonal
// form: 3.5 against 8.6 ms for a side of 100, 87 against 124 for one of 1000 (H200).
constexpr std::int64_t jacobi_side = 1024;

constexpr std::size_t real_bytes(element t) {
  return bytes_of(t) / (is_complex(t) ? 2 : 1);
}

inline void* offset(const void* data, std::int64_t elements, std::size_t size) {
  return static_cast<char*>(const_cast<void*>(data)) + elements * static_cast<std::int64_t>(size);
}

/// Do its sizes fit the 32-bit interface?
inline bool counts_in_ints(const matrices& a) {
  return a.size() <= std::numeric_limits<int>::max();
}

/// Matrix b of a batch.
inline void* matrix(const matrices& a, std::int64_t b) {
  return offset(a.data, b * a.size(), bytes_of(a.type));
}

inline int as_int(const char* routine, std::int64_t x) {
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

template <class T>
using real_of =
    std::conditional_t<std::is_same_v<T, float> || std::is_same_v<T, cuComplex>, float, double>;

/// Bytes of workspaces, on the device and on the host.
struct work_sizes {
  std::size_t device = 0, host = 0;
};
/// Their key: routine, elements, rows, columns, batch, and which results are wanted.
using work_key =
    std::tuple<const char*, element, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

/// A thread's state for its calls: the libraries' handles for its stream, and cached workspace
/// sizes, which some routines take longer to compute than to queue the work.
struct handles {
  cusolverDnHandle_t dense = nullptr;
  cublasHandle_t blas = nullptr;
  cusolverDnParams_t params = nullptr;
  gesvdjInfo_t jacobi = nullptr;
  syevjInfo_t rotations = nullptr;
  std::map<work_key, work_sizes> sizes;
};

class cusolver final : public solver {
 public:
  cusolver(const cuda_context& context, cuda_streams& streams, memory_pool& pool,
           cuda_staging& staging)
      : context_(context), streams_(streams), pool_(pool), staging_(staging), lists_(context) {}
  ~cusolver() override;

  void cholesky(const matrices& a, triangle t, std::int32_t* info) override;
  void lu(const matrices& a, std::int32_t* pivots, std::int32_t* info) override;
  void lu_solve(const matrices& lu, const std::int32_t* pivots, const matrices& b,
                transposition t) override;
  void invert(const matrices& a, void* x, std::int32_t* info) override;
  void triangular_solve(const matrices& a, const matrices& b, triangle t, transposition op,
                        bool unit) override;
  void qr(const matrices& a, void* tau, std::int32_t* info) override;
  void form_q(const matrices& a, std::int64_t reflectors, const void* tau,
              std::int32_t* info) override;
  void svd(const matrices& a, void* s, void* u, void* vh, svd_vectors vectors,
           std::int32_t* info) override;
  void eigh(const matrices& a, void* w, bool vectors, triangle t, std::int32_t* info) override;
  void eig(const matrices& a, void* w, void* v, std::int32_t* info) override;

 private:
  static constexpr std::size_t most_sizes = 256;

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

    /// The library's cached answer to this query.
    template <class Ask> work_sizes sizes(const matrices& a, std::int64_t wanted, Ask ask) {
      const work_key key{routine, a.type, a.rows, a.columns, a.batch, wanted};
      if (const auto found = h.sizes.find(key); found != h.sizes.end()) return found->second;
      work_sizes answer;
      require(ask(&answer.device, &answer.host));
      if (h.sizes.size() >= most_sizes) h.sizes.clear();
      return h.sizes[key] = answer;
    }

    /// `wanted`: what the sizes depend on besides the matrices' shape.
    template <class Ask> room make_room(const matrices& a, std::int64_t wanted, Ask ask) {
      const work_sizes bytes = sizes(a, wanted, ask);
      device.emplace_back(self.pool_, bytes.device, on);
      host.resize(bytes.host + 1);
      return {device.back().data(), bytes.device, host.data(), bytes.host};
    }

    /// Processes every matrix of a batch in the same workspace, one after another.
    template <class Ask, class Run>
    void each(const matrices& a, std::int64_t wanted, Ask ask, Run run) {
      const room r = make_room(a, wanted, ask);
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
    handles& h;
    std::vector<scratch> device;
    std::vector<char> host;
  };

  scratch pointers(std::initializer_list<matrices> batches, cuda_stream& on);
  scratch upload(const void* data, std::size_t bytes, cuda_stream& on);
  void zero(void* to, std::size_t bytes, cuda_stream& on);
  void lu_wide(call& c, const matrices& a, std::int32_t* pivots, std::int32_t* info);
  void lu_solve_wide(call& c, const matrices& lu, const std::int32_t* pivots, const matrices& b,
                     transposition t);
  void low_words(call& c, void* to, std::int64_t to_step, const void* from, std::int64_t from_step,
                 std::int64_t count);
  void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                 std::size_t width, std::int64_t count, cuda_stream& on);
  template <class T>
  void rotations(call& c, const matrices& a, void* s, void* u, void* vh, svd_vectors vectors,
                 std::int32_t* info);
  template <class T>
  void jacobi_svd(call& c, const matrices& a, void* s, void* u, void* vh, svd_vectors vectors,
                  std::int32_t* info);
  template <class T>
  void jacobi_eigh(call& c, const matrices& a, void* w, bool vectors, triangle t,
                   std::int32_t* info);
  template <class T>
  void adjoints(call& c, const T* from, T* to, std::int64_t n, std::int64_t batch);
  handles& handles_of(const cuda_stream& on, const char* routine);
  void destroy(const handles& h) const;

  const cuda_context& context_;
  cuda_streams& streams_;
  memory_pool& pool_;
  cuda_staging& staging_;
  address_lists lists_;
  std::mutex mutex_;
  cusolver_functions f_;
  std::map<stream_id, handles> handles_;
};

}  // namespace sinter::runtime

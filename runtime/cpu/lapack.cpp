#include "runtime/cpu/lapack.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/cpu/lapack_functions.hpp"
#include "runtime/cpu/openblas_library.hpp"
#include "runtime/cpu/workspace.hpp"

namespace sinter::runtime {
namespace {

// Matrices of less work than this are not worth the library's threads: solutions from factors, and
// factors, whose panels are computed one after the other. Two threads of a Xeon and one, us, 100^2
// doubles: cholesky 124, 44, lu 161, 84, qr 471, 275, eigh 1,050, 764, svd 1,630, 1,242; of 200^2
// 338, 202 and so on; equal at 400^2; 128 right-hand sides of 128^2 408, 679.
constexpr double small_solution = 1e6, small_inverse = 3e6, small_factors = 2.7e7;

struct lapack_library {
  explicit lapack_library(const dynamic_library& from) : library(from) {
    complete =
        real32.find(from) && real64.find(from) && complex32.find(from) && complex64.find(from);
    set_threads = from.function<void(int)>("openblas_set_num_threads");
  }

  template <class T> const lapack_functions<T>& of() const {
    if constexpr (std::is_same_v<T, float>) return real32;
    if constexpr (std::is_same_v<T, double>) return real64;
    if constexpr (std::is_same_v<T, std::complex<float>>) return complex32;
    if constexpr (std::is_same_v<T, std::complex<double>>) return complex64;
  }

  dynamic_library library;
  lapack_functions<float> real32{};
  lapack_functions<double> real64{};
  lapack_functions<std::complex<float>> complex32{};
  lapack_functions<std::complex<double>> complex64{};
  void (*set_threads)(int) = nullptr;
  bool complete = false;
};

/// A workspace size from the library's answer: a float may have been rounded down.
template <class T> int length_of(const char* routine, T answer) {
  using real = typename real_part<T>::type;
  const double whole = std::ceil(static_cast<double>(std::real(answer)) *
                                 (1 + static_cast<double>(std::numeric_limits<real>::epsilon())));
  if (whole <= std::numeric_limits<int>::max()) return std::max(1, static_cast<int>(whole));
  throw device_error(std::string("[") + routine + "] LAPACK cannot count this much workspace");
}

template <class T> bool all_finite(const T* data, std::int64_t count) {
  return std::all_of(data, data + count, [](const T& x) {
    return std::isfinite(std::real(x)) && std::isfinite(std::imag(x));
  });
}

template <class T> void fill_nan(void* data, std::int64_t count) {
  if (!data) return;
  using real = typename real_part<T>::type;
  std::fill_n(static_cast<T*>(data), count, T(std::numeric_limits<real>::quiet_NaN()));
}

constexpr char letter(triangle t) {
  return t == triangle::lower ? 'L' : 'U';
}
constexpr char letter(transposition t) {
  return t == transposition::none ? 'N' : t == transposition::transpose ? 'T' : 'C';
}

/// One matrix of a batch.
template <class T> struct single {
  T* data;
  int rows, columns, leading;
  std::int64_t number;
};

template <class T> single<T> matrix(const matrices& a, std::int64_t b) {
  const int rows = static_cast<int>(a.rows), columns = static_cast<int>(a.columns);
  return {static_cast<T*>(a.data) + b * a.size(), rows, columns, std::max(rows, 1), b};
}

class lapack final : public solver {
 public:
  lapack(thread_pool& threads, memory_pool& pool, std::shared_ptr<openblas_turn> turn)
      : threads_(threads), pool_(pool), turn_(std::move(turn)) {}

  void cholesky(const matrices& a, triangle t, std::int32_t* info) override {
    each("cholesky", a, [&]<class T>(const lapack_functions<T>& f, single<T> m) {
      const char uplo = letter(t);
      f.potrf(&uplo, &m.columns, m.data, &m.leading, info + m.number, 1);
    });
  }

  void lu(const matrices& a, std::int32_t* pivots, std::int32_t* info) override {
    const std::int64_t count = std::min(a.rows, a.columns);
    each("lu", a, [&]<class T>(const lapack_functions<T>& f, single<T> m) {
      f.getrf(&m.rows, &m.columns, m.data, &m.leading, pivots + m.number * count, info + m.number);
    });
  }

  void invert(const matrices& a, void* x, std::int32_t* info) override {
    each("inv", a, [&]<class T>(const lapack_functions<T>& f, single<T> m) {
      T* const to = static_cast<T*>(x) + m.number * a.size();
      if (to != m.data) std::copy_n(m.data, a.size(), to);
      const workspace<int> pivots(pool_, m.rows);
      int* const status = info + m.number;
      f.getrf(&m.rows, &m.columns, to, &m.leading, pivots.data(), status);
      if (*status != 0) return;
      with_workspace<T>("inv", status, [&](T* work, const int* length, int* result) {
        f.getri(&m.rows, to, &m.leading, pivots.data(), work, length, result);
      });
    }, small_inverse);
  }
  void lu_solve(const matrices& lu, const std::int32_t* pivots, const matrices& b,
                transposition t) override {
    fits("lu_solve", lu);
    each("lu_solve", b, [&]<class T>(const lapack_functions<T>& f, single<T> m) {
      const single<T> a = matrix<T>(lu, m.number);
      const char trans = letter(t);
      int ignored = 0;
      f.getrs(&trans, &a.rows, &m.columns, a.data, &a.leading, pivots + m.number * lu.rows, m.data,
              &m.leading, &ignored, 1);
    }, small_solution);
  }

  void triangular_solve(const matrices& a, const matrices& b, triangle t, transposition op,
                        bool unit) override {
    fits("solve_triangular", a);
    each("solve_triangular", b, [&]<class T>(const lapack_functions<T>& f, single<T> m) {
      const single<T> from = matrix<T>(a, m.number);
      const char side = 'L', uplo = letter(t), trans = letter(op), diagonal = unit ? 'U' : 'N';
      const T one(1);
      f.trsm(&side, &uplo, &trans, &diagonal, &m.rows, &m.columns, &one, from.data, &from.leading,
             m.data, &m.leading, 1, 1, 1, 1);
    }, small_solution);
  }

  void qr(const matrices& a, void* tau, std::int32_t* info) override {
    const std::int64_t count = std::min(a.rows, a.columns);
    each("qr", a, [&]<class T>(const lapack_functions<T>& f, single<T> m) {
      T* reflectors = static_cast<T*>(tau) + m.number * count;
      with_workspace<T>("qr", info + m.number, [&](T* work, const int* length, int* result) {
        f.geqrf(&m.rows, &m.columns, m.data, &m.leading, reflectors, work, length, result);
      });
    });
  }

  void form_q(const matrices& a, std::int64_t reflectors, const void* tau,
              std::int32_t* info) override {
    each("qr", a, [&]<class T>(const lapack_functions<T>& f, single<T> m) {
      const int count = static_cast<int>(reflectors);
      const T* from = static_cast<const T*>(tau) + m.number * reflectors;
      with_workspace<T>("qr", info + m.number, [&](T* work, const int* length, int* result) {
        f.orgqr(&m.rows, &m.columns, &count, m.data, &m.leading, from, work, length, result);
      });
    });
  }

  void svd(const matrices& a, void* s, void* u, void* vh, svd_vectors vectors,
           std::int32_t* info) override {
    each("svd", a, [&]<class T>(const lapack_functions<T>& f, single<T> m) {
      using real = typename lapack_functions<T>::real;
      const std::int64_t rows = m.rows, n = m.columns;
      const std::int64_t width = vectors == svd_vectors::full ? rows : n;
      real* values = static_cast<real*>(s) + m.number * n;
      T* left = u ? static_cast<T*>(u) + m.number * rows * width : nullptr;
      T* right = vh ? static_cast<T*>(vh) + m.number * n * n : nullptr;
      if (!all_finite(m.data, rows * n)) {
        fill_nan<real>(values, n);
        fill_nan<T>(left, rows * width);
        fill_nan<T>(right, n * n);
        info[m.number] = -1;
        return;
      }
      const char job = vectors == svd_vectors::none   ? 'N'
                       : vectors == svd_vectors::thin ? 'S'
                                                      : 'A';
      const workspace<int> integers(pool_, 8 * n);
      const std::int64_t reals = vectors == svd_vectors::none
                                     ? 7 * n
                                     : std::max(5 * n * n + 5 * n, 2 * rows * n + 2 * n * n + n);
      const workspace<real> second(pool_, lapack_functions<T>::complex ? reals : 1);
      T none{};
      with_workspace<T>("svd", info + m.number, [&](T* work, const int* length, int* result) {
        T *p = left ? left : &none, *q = right ? right : &none;
        if constexpr (lapack_functions<T>::complex) {
          f.gesdd(&job, &m.rows, &m.columns, m.data, &m.leading, values, p, &m.rows, q, &m.columns,
                  work, length, second.data(), integers.data(), result, 1);
        } else {
          f.gesdd(&job, &m.rows, &m.columns, m.data, &m.leading, values, p, &m.rows, q, &m.columns,
                  work, length, integers.data(), result, 1);
        }
      });
    });
  }

  void eigh(const matrices& a, void* w, bool vectors, triangle t, std::int32_t* info) override {
    each("eigh", a, [&]<class T>(const lapack_functions<T>& f, single<T> m) {
      using real = typename lapack_functions<T>::real;
      const std::int64_t n = m.columns;
      real* values = static_cast<real*>(w) + m.number * n;
      if (!triangle_finite(m, t)) {
        fill_nan<real>(values, n);
        fill_nan<T>(m.data, n * n);
        info[m.number] = -1;
        return;
      }
      const char job = vectors ? 'V' : 'N', uplo = letter(t);
      const std::int64_t integers = vectors ? 3 + 5 * n : 1,
                         reals = vectors ? 1 + 5 * n + 2 * n * n : std::max<std::int64_t>(n, 1);
      const workspace<int> third(pool_, integers);
      const workspace<real> second(pool_, lapack_functions<T>::complex ? reals : 1);
      const int third_length = static_cast<int>(integers), second_length = static_cast<int>(reals);
      with_workspace<T>("eigh", info + m.number, [&](T* work, const int* length, int* result) {
        if constexpr (lapack_functions<T>::complex) {
          f.syevd(&job, &uplo, &m.columns, m.data, &m.leading, values, work, length, second.data(),
                  &second_length, third.data(), &third_length, result, 1, 1);
        } else {
          f.syevd(&job, &uplo, &m.columns, m.data, &m.leading, values, work, length, third.data(),
                  &third_length, result, 1, 1);
        }
      });
    });
  }

  void eig(const matrices& a, void* w, void* v, std::int32_t* info) override {
    each("eig", a, [&]<class T>(const lapack_functions<T>& f, single<T> m) {
      using real = typename lapack_functions<T>::real;
      const std::int64_t n = m.columns;
      auto* values = static_cast<std::complex<real>*>(w) + m.number * n;
      T* right = v ? static_cast<T*>(v) + m.number * n * n : nullptr;
      if (!all_finite(m.data, n * n)) {
        fill_nan<std::complex<real>>(values, n);
        fill_nan<T>(right, n * n);
        info[m.number] = -1;
        return;
      }
      const char left_job = 'N', job = v ? 'V' : 'N';
      const workspace<real> second(pool_, 2 * n);
      T none{};
      T* to = right ? right : &none;
      with_workspace<T>("eig", info + m.number, [&](T* work, const int* length, int* result) {
        if constexpr (lapack_functions<T>::complex) {
          f.geev(&left_job, &job, &m.columns, m.data, &m.leading, values, &none, &m.columns, to,
                 &m.columns, work, length, second.data(), result, 1, 1);
        } else {
          f.geev(&left_job, &job, &m.columns, m.data, &m.leading, second.data(), second.data() + n,
                 &none, &m.columns, to, &m.columns, work, length, result, 1, 1);
        }
      });
      if constexpr (!lapack_functions<T>::complex) {
        for (std::int64_t i = 0; i < n; ++i) values[i] = {second.data()[i], second.data()[n + i]};
      }
    });
  }

 private:
  template <class T> static bool triangle_finite(const single<T>& m, triangle t) {
    bool finite = true;
    for (std::int64_t j = 0; j < m.columns && finite; ++j) {
      const std::int64_t first = t == triangle::lower ? j : 0;
      const std::int64_t last = t == triangle::lower ? m.rows : j + 1;
      finite = all_finite(m.data + j * m.leading + first, last - first);
    }
    return finite;
  }

  /// Queries the workspace size, then runs the routine.
  template <class T, class Run> void with_workspace(const char* routine, int* info, Run run) {
    T answer{};
    const int ask = -1;
    run(&answer, &ask, info);
    const int length = length_of(routine, answer);
    const workspace<T> work(pool_, length);
    run(work.data(), &length, info);
  }

  static void fits(const char* routine, const matrices& a) {
    constexpr std::int64_t limit = std::numeric_limits<int>::max();
    if (a.rows <= limit && a.columns <= limit) return;
    throw device_error(std::string("[") + routine + "] LAPACK takes no side beyond 2147483647: (" +
                       std::to_string(a.rows) + ", " + std::to_string(a.columns) + ")");
  }

  template <class Work>
  void each(const char* routine, const matrices& a, Work work, double small = small_factors) {
    if (a.batch <= 0) return;
    fits(routine, a);
    const std::lock_guard one(turn_->mutex);
    const lapack_library& library = opened(routine);
    switch (a.type) {
      case element::float32:
        return share(library, library.of<float>(), a, work, small);
      case element::float64:
        return share(library, library.of<double>(), a, work, small);
      case element::complex64:
        return share(library, library.of<std::complex<float>>(), a, work, small);
      case element::complex128:
        return share(library, library.of<std::complex<double>>(), a, work, small);
      case element::float16:
      case element::bfloat16:
      case element::int8:
        break;
    }
    throw device_error(std::string("[") + routine + "] LAPACK knows no half types and no bytes");
  }

  template <class T, class Work>
  void share(const lapack_library& library, const lapack_functions<T>& f, const matrices& a,
             Work& work, double small) {
    const double side = static_cast<double>(std::min(a.rows, a.columns));
    const double cost = side * static_cast<double>(a.rows) * static_cast<double>(a.columns);
    const auto part = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = begin; b < end; ++b) work(f, matrix<T>(a, b));
    };
    if (a.batch >= threads_.size() || cost < small) {
      turn_->use(1, library.set_threads);
      const double grain = small_solution / 16 / std::max(cost, 1.0);
      return threads_.parallel_for(a.batch, part,
                                   std::max<std::int64_t>(1, static_cast<std::int64_t>(grain)));
    }
    turn_->use(threads_.size(), library.set_threads);
    part(0, a.batch);
  }

  const lapack_library& opened(const char* routine) {
    if (!library_) {
      library_ = std::make_unique<lapack_library>(open_openblas());
    }
    if (library_->library && library_->complete) return *library_;
    const std::string why =
        library_->library ? "it was built without LAPACK" : library_->library.problem();
    library_.reset();  // finds a library that is installed later
    throw device_error(std::string("[") + routine + "] this needs OpenBLAS (" + why +
                       "): install libopenblas0 or openblas");
  }

  thread_pool& threads_;
  memory_pool& pool_;
  std::shared_ptr<openblas_turn> turn_;
  std::unique_ptr<lapack_library> library_;
};

}  // namespace

std::unique_ptr<solver> make_lapack(thread_pool& threads, memory_pool& pool,
                                    std::shared_ptr<openblas_turn> turn) {
  return std::make_unique<lapack>(threads, pool, std::move(turn));
}

}  // namespace sinter::runtime

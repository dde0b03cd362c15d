#pragma once
// The functions of FFTW 3, in one of its two precisions.

#include <array>
#include <compare>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "runtime/fft.hpp"

namespace sinter::runtime {

/// fftw_iodim64.
struct fftw_loop {
  std::ptrdiff_t count;
  std::ptrdiff_t in;
  std::ptrdiff_t out;
  auto operator<=>(const fftw_loop&) const = default;
};

/// Up to five loops and axes.
struct fftw_loops {
  std::array<fftw_loop, 5> items = {};
  int size = 0;
  void add(fftw_loop one) { items[static_cast<std::size_t>(size++)] = one; }
  fftw_loop& operator[](int i) { return items[static_cast<std::size_t>(i)]; }
  const fftw_loop& operator[](int i) const { return items[static_cast<std::size_t>(i)]; }
  auto operator<=>(const fftw_loops&) const = default;
};

/// The key of a plan. Strides are in elements of their side.
struct fftw_problem {
  fft_kind kind = fft_kind::complex;
  bool inverse = false;
  bool in_place = false;
  int in_alignment = 0;
  int out_alignment = 0;
  fftw_loops axes = {};
  fftw_loops loops = {};
  auto operator<=>(const fftw_problem&) const = default;
};

class fftw_plan;

/// Thread-safe. Planning uses heuristics, never timing: the same transform gets the same plan, and
/// the same bits, in every run.
class fftw_library {
 public:
  /// Throws device_error, naming what to install. `wide`: double, else float.
  explicit fftw_library(bool wide);

  int alignment_of(const void* data) const { return alignment_of_(const_cast<void*>(data)); }
  /// Throws device_error for problems the library does not take.
  std::shared_ptr<fftw_plan> plan(const fftw_problem&, void* in, void* out) const;

 private:
  friend class fftw_plan;
  using complex_planner = void*(int, const fftw_loop*, int, const fftw_loop*, void* in, void* out,
                                int sign, unsigned flags);
  using real_planner = void*(int, const fftw_loop*, int, const fftw_loop*, void* in, void* out,
                             unsigned flags);
  using executor = void(void* plan, void* in, void* out);

  int (*alignment_of_)(void*) = nullptr;
  complex_planner* plan_complex_ = nullptr;
  real_planner* plan_to_complex_ = nullptr;
  real_planner* plan_to_real_ = nullptr;
  executor* run_complex_ = nullptr;
  executor* run_to_complex_ = nullptr;
  executor* run_to_real_ = nullptr;
  void (*destroy_)(void*) = nullptr;
};

/// Immutable; several threads may run it at once.
class fftw_plan {
 public:
  fftw_plan(const fftw_library& library, void* handle, fft_kind kind);
  ~fftw_plan();
  fftw_plan(const fftw_plan&) = delete;
  fftw_plan& operator=(const fftw_plan&) = delete;

  /// REQUIRES: in and out are aligned, and equal or not, as the problem said.
  void run(void* in, void* out) const { run_(handle_, in, out); }

 private:
  void* handle_;
  fftw_library::executor* run_;
  void (*destroy_)(void*);
};

}  // namespace sinter::runtime

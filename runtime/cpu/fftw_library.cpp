#include "runtime/cpu/fftw_library.hpp"

#include "runtime/library_table.hpp"

namespace sinter::runtime {

namespace {

// The values of fftw3.h, so that the build does not need it.
constexpr unsigned destroy_input = 1u << 0;
constexpr unsigned preserve_input = 1u << 4;
constexpr unsigned estimate = 1u << 6;
constexpr int forward = -1;
constexpr int backward = 1;

// The planner's state is global to the library, of which a process has one.
std::mutex& planner_lock() {
  static std::mutex one;
  return one;
}

}  // namespace

fftw_library::fftw_library(bool wide) {
  const std::string prefix = wide ? "fftw_" : "fftwf_";
  const std::string file = wide ? "libfftw3" : "libfftw3f";
  const auto library = dynamic_library::open({file + ".so.3", file + ".so"});
  std::string problem = library.problem();
  const auto find = [&](auto& function, const char* name) {
    require_function(library, function, (prefix + name).c_str(), problem);
  };
  find(alignment_of_, "alignment_of");
  find(plan_complex_, "plan_guru64_dft");
  find(plan_to_complex_, "plan_guru64_dft_r2c");
  find(plan_to_real_, "plan_guru64_dft_c2r");
  find(run_complex_, "execute_dft");
  find(run_to_complex_, "execute_dft_r2c");
  find(run_to_real_, "execute_dft_c2r");
  find(destroy_, "destroy_plan");
  if (!problem.empty()) {
    throw device_error("[fft] Fourier transforms on the CPU need FFTW 3 (" + problem +
                       "): install " + (wide ? "libfftw3-double3" : "libfftw3-single3") +
                       " or fftw");
  }
  const auto threads = dynamic_library::open({file + "_threads.so.3"});
  if (auto* make = threads.function<void()>((prefix + "make_planner_thread_safe").c_str())) {
    make();  // other code in this process may plan too
  }
}

std::shared_ptr<fftw_plan> fftw_library::plan(const fftw_problem& p, void* in, void* out) const {
  const unsigned flags = estimate | (p.in_place ? destroy_input : preserve_input);
  const fftw_loop* axes = p.axes.items.data();
  const fftw_loop* loops = p.loops.items.data();
  void* handle = nullptr;
  {
    std::lock_guard one(planner_lock());
    switch (p.kind) {
      case fft_kind::complex:
        handle = plan_complex_(p.axes.size, axes, p.loops.size, loops, in, out,
                               p.inverse ? backward : forward, flags);
        break;
      case fft_kind::real_to_complex:
        handle = plan_to_complex_(p.axes.size, axes, p.loops.size, loops, in, out, flags);
        break;
      case fft_kind::complex_to_real:
        handle = plan_to_real_(p.axes.size, axes, p.loops.size, loops, in, out, flags);
        break;
    }
  }
  if (!handle) throw device_error("[fft] FFTW has no plan for a transform of this layout");
  return std::make_shared<fftw_plan>(*this, handle, p.kind);
}

fftw_plan::fftw_plan(const fftw_library& library, void* handle, fft_kind kind)
    : handle_(handle),
      run_(kind == fft_kind::complex           ? library.run_complex_
           : kind == fft_kind::real_to_complex ? library.run_to_complex_
                                               : library.run_to_real_),
      destroy_(library.destroy_) {}

fftw_plan::~fftw_plan() {
  std::lock_guard one(planner_lock());
  destroy_(handle_);
}

}  // namespace sinter::runtime

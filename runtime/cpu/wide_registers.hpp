#pragma once
// Loops worth 32-byte registers where the processor has them; the library as a whole is compiled
// for a baseline processor.

#include <utility>

namespace sinter::runtime {

#if defined(__x86_64__)

namespace detail {

template <class Work, class... Args>
[[gnu::target("avx2"), gnu::noinline]] auto call_wide(Work work, Args... args) {
  return work(args...);
}

}  // namespace detail

/// work(args...). `work` is compiled twice, so it should be inlined.
template <class Work, class... Args> auto with_wide_registers(Work work, Args... args) {
  static const bool wide = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") != 0;
  }();
  return wide ? detail::call_wide(work, args...) : work(args...);
}

#else

template <class Work, class... Args> auto with_wide_registers(Work work, Args... args) {
  return work(args...);
}

#endif

}  // namespace sinter::runtime

#pragma once
// Products on the host through OpenBLAS, opened at the first product.

#include <memory>
#include <mutex>

#include "runtime/blas.hpp"
#include "runtime/thread_pool.hpp"

namespace sinter::runtime {

/// Serialises OpenBLAS: its number of threads is a setting of the whole library, so it has one
/// caller at a time.
struct openblas_turn {
  std::mutex mutex;
  int threads = 0;  // as last set; 0: never

  /// REQUIRES: the mutex is held. `set` is openblas_set_num_threads, or null.
  void use(int wanted, void (*set)(int)) {
    if (set && wanted != threads) set(wanted);
    threads = wanted;
  }
};

/// Takes float32, float64, complex64 and complex128. REQUIRES: `threads` outlives it.
std::unique_ptr<blas> make_openblas(
    thread_pool& threads, std::shared_ptr<openblas_turn> turn = std::make_shared<openblas_turn>());

}  // namespace sinter::runtime

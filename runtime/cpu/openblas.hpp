#pragma once
// Products on the host through OpenBLAS, opened at the first product.

#include <memory>

#include "runtime/blas.hpp"
#include "runtime/thread_pool.hpp"

namespace sinter::runtime {

/// Takes float32, float64, complex64 and complex128. REQUIRES: `threads` outlives it.
std::unique_ptr<blas> make_openblas(thread_pool& threads);

}  // namespace sinter::runtime

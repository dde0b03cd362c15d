#pragma once
// Factorisations on the host through the LAPACK inside OpenBLAS, opened at the first call.

#include <memory>

#include "runtime/cpu/openblas.hpp"
#include "runtime/pool.hpp"
#include "runtime/solver.hpp"
#include "runtime/thread_pool.hpp"

namespace sinter::runtime {

/// A batch of at least as many matrices as threads is distributed, one matrix per thread; else the
/// library uses its own threads on each. Eigenvalues and singular values of non-finite matrices are
/// NaN, with info -1. REQUIRES: `threads` and `pool` outlive it.
std::unique_ptr<solver> make_lapack(thread_pool& threads, memory_pool& pool,
                                    std::shared_ptr<openblas_turn> turn);

}  // namespace sinter::runtime

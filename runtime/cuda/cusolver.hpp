#pragma once
// Factorisations on the GPU through cuSOLVER, and through cuBLAS for many small matrices. Both are
// opened at the first call.

#include <memory>

#include "runtime/cuda/context.hpp"
#include "runtime/cuda/staging.hpp"
#include "runtime/cuda/streams.hpp"
#include "runtime/pool.hpp"
#include "runtime/solver.hpp"

namespace sinter::runtime {

/// REQUIRES: all four outlive it.
std::unique_ptr<solver> make_cusolver(const cuda_context& context, cuda_streams& streams,
                                      memory_pool& pool, cuda_staging& staging);

}  // namespace sinter::runtime

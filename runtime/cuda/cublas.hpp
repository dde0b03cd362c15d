#pragma once
// Products on the GPU through cuBLAS, opened at the first product.

#include <memory>

#include "runtime/blas.hpp"
#include "runtime/cuda/context.hpp"
#include "runtime/cuda/streams.hpp"
#include "runtime/pool.hpp"

namespace sinter::runtime {

/// Takes every element. REQUIRES: all three outlive it.
std::unique_ptr<blas> make_cublas(const cuda_context& context, cuda_streams& streams,
                                  memory_pool& pool);

}  // namespace sinter::runtime

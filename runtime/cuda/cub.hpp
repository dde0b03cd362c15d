#pragma once
// Sorting on the GPU through libsinter_cub.so, opened at the first sort.

#include <memory>

#include "runtime/cuda/streams.hpp"
#include "runtime/pool.hpp"
#include "runtime/sorter.hpp"

namespace sinter::runtime {

/// Was nvcc available to build the library?
bool cub_is_built();

/// REQUIRES: both outlive it.
std::unique_ptr<sorter> make_cub(cuda_streams& streams, memory_pool& pool);

}  // namespace sinter::runtime

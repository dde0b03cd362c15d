#pragma once
// Sorting on the GPU through libsinter_cub.so, opened at the first sort.

#include <memory>

#include "runtime/cuda/streams.hpp"
#include "runtime/pool.hpp"
#include "runtime/sorter.hpp"

namespace sinter::runtime {

/// REQUIRES: both outlive it.
std::unique_ptr<sorter> make_cub(cuda_streams& streams, memory_pool& pool);

}  // namespace sinter::runtime

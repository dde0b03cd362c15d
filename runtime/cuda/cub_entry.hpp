#pragma once
// The interface of libsinter_cub.so: C functions, one per key width, compiled by nvcc from sort.cu.

#include <cstddef>

#include "runtime/sorter.hpp"

namespace sinter::runtime {

/// Without `work`, `*bytes` becomes the size of the device workspace; with it the work is queued on
/// `stream`, a CUstream of the current context. Returns a cudaError_t; `sinter_cub_words` gives its
/// message.
using cub_sort = int(const sort_call& call, void* work, std::size_t* bytes, void* stream);
using cub_select = int(const select_call& call, void* work, std::size_t* bytes, void* stream);
using cub_words = const char*(int error);

}  // namespace sinter::runtime

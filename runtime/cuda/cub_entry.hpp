#pragma once
// What libsinter_cub.so offers: C functions, one a key width, made by nvcc from sort.cu.

#include <cstddef>

#include "runtime/sorter.hpp"

namespace sinter::runtime {

/// Without `work`, `*bytes` becomes the number of bytes of device memory that the call works in;
/// with it the work is queued on `stream`, a CUstream of the current context. What it gives is a
/// cudaError_t, whose words `sinter_cub_words` has.
using cub_sort = int(const sort_call& call, void* work, std::size_t* bytes, void* stream);
using cub_select = int(const select_call& call, void* work, std::size_t* bytes, void* stream);
using cub_words = const char*(int error);

}  // namespace sinter::runtime

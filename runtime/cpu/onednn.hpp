#pragma once
// Products of narrow elements on the host through oneDNN, opened at the first query about one.
//
// Why: OpenBLAS has no products of bfloat16 or of bytes. Widened ones take twice the time of the
// processor's own instructions, three times if a matrix is read once (8 x 4096 x 4096).

#include <memory>

#include "runtime/blas.hpp"
#include "runtime/thread_pool.hpp"

namespace sinter::runtime {

/// Takes bfloat16, stored as float32, and int8, if the processor multiplies them and the library is
/// available; passes everything else to `rest`. REQUIRES: `threads` outlives it.
std::unique_ptr<blas> make_onednn(thread_pool& threads, std::unique_ptr<blas> rest);

}  // namespace sinter::runtime

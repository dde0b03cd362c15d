#pragma once
// Kernel IR to CUDA C++ that needs no header and is meant to be read.

#include <string>

#include "ir/kernel.hpp"

namespace sinter::codegen {

/// The kernel as CUDA C++. The entry is `extern "C" kernel`; its parameters are
/// ir::slots_of(kernel), in that order. Every decision is the schedule's; a request that no emitter
/// supports (a vector of three lanes, say) throws ir::verify_error.
///
/// What the text relies on, beyond what ir::verify checks:
/// - `rows` of a reduction are what its threads cover, and its threads are whole warps;
/// - an axis that vectors run along is a multiple of `vector`, except for the only axis of a map
///   and the only reduced one of a reduction along rows, whose ends are guarded; so is a chunk;
/// - the memory one vector access touches is aligned to its size, up to 16 bytes;
/// - there are fewer than 2^31 points of the kept axes, and of several reduced axes.
std::string emit_cuda(const ir::kernel&);

}  // namespace sinter::codegen

#pragma once
// Rolls, pads and joins read an array where a condition holds, and the condition changes at a place
// or two of a row (ir/kernel_pieces.hpp). A thread whose vector has no such place among its lanes
// asks once, and reads what it chooses as a vector; one lane after the other took a roll of bytes
// sixteen loads and as many comparisons, and a warp's loads each went over as many lines.

#include "codegen/cuda_text/operands.hpp"

namespace sinter::codegen::cuda_text {

/// Writes, ahead of the loop over lanes, vectors of what gathers among `list` read under conditions
/// that are the same for all lanes of most vectors, and of choices among such.
void write_guarded_vectors(body_writer&, const access_writer&, const frame&, const inst_list& list,
                           writer&);

}  // namespace sinter::codegen::cuda_text

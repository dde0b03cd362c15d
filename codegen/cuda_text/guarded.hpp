#pragma once
// Guarded reads as vectors. Rolls, pads and joins read an array under a condition that changes once
// or twice per row (ir/kernel_pieces.hpp). A thread in whose vector it does not change tests it
// once and reads the chosen operand as a vector; lane by lane a roll of bytes took sixteen loads
// and as many comparisons, and each load of a warp touched as many lines.

#include "codegen/cuda_text/operands.hpp"

namespace sinter::codegen::cuda_text {

/// Writes, before the loop over lanes, vectors of the gathers in `list` whose conditions agree in
/// all lanes of most vectors, and of choices among such.
void write_guarded_vectors(body_writer&, const access_writer&, const frame&, const inst_list& list,
                           writer&);

}  // namespace sinter::codegen::cuda_text

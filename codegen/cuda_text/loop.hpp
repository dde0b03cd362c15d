#pragma once
// Loops at a point: a `for` or a `while` over variables, one a carry, in each lane by itself.

#include <string>

#include "codegen/cuda_text/body.hpp"

namespace sinter::codegen::cuda_text {

/// The variable that holds carry `k` of the loop that instruction `loop` is.
std::string loop_carry(int loop, int k);

/// Writes the variables and the loop. Lanes that stand for no element do not run.
void write_loop(const ir::kernel&, const body_writer& around, int loop, writer&);

}  // namespace sinter::codegen::cuda_text

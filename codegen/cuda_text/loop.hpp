#pragma once
// Loops at a point: a `for` or a `while` over variables, one per carry, separately in each lane.

#include <string>

#include "codegen/cuda_text/body.hpp"

namespace sinter::codegen::cuda_text {

/// The variable with carry `k` of the loop at instruction `loop`.
std::string loop_carry(int loop, int k);

/// Writes the variables and the loop. Lanes out of range do not run it.
void write_loop(const ir::kernel&, const body_writer& around, int loop, writer&);

}  // namespace sinter::codegen::cuda_text

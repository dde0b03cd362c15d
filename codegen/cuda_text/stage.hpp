#pragma once
// Short rows by way of shared memory (schedule.staged): a block's rows lie one behind the other, so
// its threads bring them as one run, and each finds its own there. Rows of 10 floats by a thread
// each, straight from memory, touch ten lines an instruction, and write each sector four times.

#include "codegen/cuda_text/access.hpp"

namespace sinter::codegen::cuda_text {

/// Brings the block's rows of all inputs that are staged, and makes these and the staged outputs
/// elements of shared memory. `live`: the condition that the thread has a row.
void write_staged_inputs(const ir::kernel&, const std::string& live, access_writer&, writer&);

/// Takes what the block stored to memory, if there is any.
void write_staged_outputs(const ir::kernel&, writer&);

}  // namespace sinter::codegen::cuda_text

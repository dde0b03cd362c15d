#pragma once
// Short rows through shared memory (schedule.staged): a block's rows are contiguous, so its threads
// load them as one run, and each finds its own there. Rows of 10 floats, read by one thread each
// straight from memory, touch ten lines per instruction, and write each sector four times.

#include "codegen/cuda_text/access.hpp"

namespace sinter::codegen::cuda_text {

/// Brings the block's rows of all staged inputs to shared memory, and makes them and the staged
/// outputs elements of it. `live`: the condition that the thread has a row.
void write_staged_inputs(const ir::kernel&, const std::string& live, access_writer&, writer&);

/// Stores the block's staged outputs to memory, if there are any.
void write_staged_outputs(const ir::kernel&, writer&);

}  // namespace sinter::codegen::cuda_text

#pragma once
// Scans of rows that are split into chunks, one per block (decoupled look-back).

#include <string>

#include "codegen/cuda_text/writer.hpp"
#include "ir/kernel.hpp"

namespace sinter::codegen::cuda_text {

void write_chain(const ir::kernel&, writer&);

/// Functions of the text: one publishes the total of a chunk; one looks back at the chunks before
/// it.
std::string tell_name(ir::op code, dtype type);
std::string look_name(ir::op code, dtype type);

}  // namespace sinter::codegen::cuda_text

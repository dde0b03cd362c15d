#pragma once
// Scans of rows that blocks have chunks of.

#include <string>

#include "codegen/cuda_text/writer.hpp"
#include "ir/kernel.hpp"

namespace sinter::codegen::cuda_text {

void write_chain(const ir::kernel&, writer&);

/// Functions of the text: a chunk tells what it comes to; it looks at what stands before it.
std::string tell_name(ir::op code, dtype type);
std::string look_name(ir::op code, dtype type);

}  // namespace sinter::codegen::cuda_text

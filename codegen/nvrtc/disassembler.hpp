#pragma once
// The machine code of a cubin as text, by the CUDA toolkit's own tool.

#include <cstddef>
#include <span>
#include <string>

namespace sinter::codegen {

/// Empty when there is no nvdisasm on the PATH or in a CUDA toolkit, or when it fails.
std::string disassemble(std::span<const std::byte> cubin);

}  // namespace sinter::codegen

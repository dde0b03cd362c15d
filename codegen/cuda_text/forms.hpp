#pragma once
// The kinds of kernels. Each writes the body of the entry, but where it says so.

#include "codegen/cuda_text/writer.hpp"
#include "ir/kernel.hpp"

namespace sinter::codegen::cuda_text {

/// One block, one tile: every thread loads its vectors, computes, stores. `block`: its number;
/// `thread`: that of a thread in it.
void write_map(const ir::kernel&, const char* block, const char* thread, writer&);

/// One block, one rectangle: see tile.cpp.
void write_tiles(const ir::kernel&, const char* block, const char* thread, writer&);

/// Maps one upon the other, each around the box of a block: all of the text. See stack.cpp.
void write_stack(const ir::kernel&, writer&);

/// One block, some rows or a chunk of them: see reduce.cpp. `meet`: how its threads wait for each
/// other.
void write_reduction(const ir::kernel&, const char* block, const std::string& meet, writer&);

/// Functions of the text that reductions call.
void write_combiners(const ir::kernel&, writer&);

/// Functions of the text by which the blocks of a chained scan tell each other.
void write_chain_functions(const ir::kernel&, writer&);

}  // namespace sinter::codegen::cuda_text

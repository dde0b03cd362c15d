#pragma once
// The kinds of kernels. Each function writes the body of the entry, unless it says otherwise.

#include "codegen/cuda_text/writer.hpp"
#include "ir/kernel.hpp"

namespace sinter::codegen::cuda_text {

/// One block, one tile: every thread loads its vectors, computes, stores. `block`: its number;
/// `thread`: the thread's number in it.
void write_map(const ir::kernel&, const char* block, const char* thread, writer&);

/// One block, one rectangle: see tile.cpp.
void write_tiles(const ir::kernel&, const char* block, const char* thread, writer&);

/// Stacked maps, each computed around the box of a block: all of the text. See stack.cpp.
void write_stack(const ir::kernel&, writer&);

/// One block, some rows or a chunk of them: see reduce.cpp. `meet`: the barrier of its threads.
void write_reduction(const ir::kernel&, const char* block, const std::string& meet, writer&);

/// Functions of the text that reductions call.
void write_combiners(const ir::kernel&, writer&);

/// Functions of the text by which the blocks of a chained scan communicate.
void write_chain_functions(const ir::kernel&, writer&);

}  // namespace sinter::codegen::cuda_text

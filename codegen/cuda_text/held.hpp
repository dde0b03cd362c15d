#pragma once
// Maps whose blocks keep places in shared memory (schedule.held): what comes to a place meets
// there, and once a block in memory. Threads that meet in memory wait for each other's round trip.

#include <string>

#include "codegen/cuda_text/writer.hpp"
#include "ir/kernel.hpp"

namespace sinter::codegen::cuda_text {

/// A store that adds to what its block has.
inline bool is_held(const ir::kernel& k, const ir::inst& i) {
  return k.schedule.held > 0 && ir::combines(i);
}

/// Where the block has what comes to place `place` of an operand: each place has several words, so
/// that the lanes of a warp rarely meet at one.
std::string held_element(const ir::kernel&, int operand, const std::string& place);

/// The function that adds there.
std::string held_function(const ir::inst&);

/// What the function of a tile takes beside the kernel's arguments, and what it is given.
std::string held_parameters(const ir::kernel&);
std::string held_arguments(const ir::kernel&);

/// Functions that bring words together.
void write_held_functions(const ir::kernel&, writer&);

/// The body of the entry, around calls of a function `walk(tile, words, arguments)`.
void write_held(const ir::kernel&, const std::string& arguments, writer&);

}  // namespace sinter::codegen::cuda_text

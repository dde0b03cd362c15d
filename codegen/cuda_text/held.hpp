#pragma once
// Maps whose blocks accumulate scattered values in shared memory (schedule.held), and in memory
// once per block. Atomics in memory wait for each other's round trip.

#include <string>

#include "codegen/cuda_text/writer.hpp"
#include "ir/kernel.hpp"

namespace sinter::codegen::cuda_text {

/// A store that adds to the block's copy.
inline bool is_held(const ir::kernel& k, const ir::inst& i) {
  return k.schedule.held > 0 && ir::combines(i);
}

/// The block's word for element `place` of an operand: each has several, so that the lanes of a
/// warp rarely conflict.
std::string held_element(const ir::kernel&, int operand, const std::string& place);

/// The function that adds there.
std::string held_function(const ir::inst&);

/// Parameters of a tile's function besides the kernel's, and the arguments for them.
std::string held_parameters(const ir::kernel&);
std::string held_arguments(const ir::kernel&);

/// Functions that combine the words of an element.
void write_held_functions(const ir::kernel&, writer&);

/// The body of the entry, around calls of a function `walk(tile, words, arguments)`.
void write_held(const ir::kernel&, const std::string& arguments, writer&);

}  // namespace sinter::codegen::cuda_text

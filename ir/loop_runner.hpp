#pragma once
// Runs a loop of a graph in the interpreter.

#include <cstddef>
#include <vector>

#include "ir/graph.hpp"
#include "ir/interpreter.hpp"

namespace sinter::ir::detail {

/// Computes value `at` of a program at n elements, dense; its operands are present and its storage
/// is allocated.
void run_instruction(const instruction&, std::vector<std::vector<std::byte>>& values,
                     std::size_t at, std::size_t n);

/// A loop node: round by round for all elements; elements that have stopped stay unchanged. An
/// output that is not needed is null. Throws std::invalid_argument for a round beyond the extent of
/// an output.
void run_loop(const node&, const std::vector<const tensor*>& inputs,
              const std::vector<tensor*>& outputs);

}  // namespace sinter::ir::detail

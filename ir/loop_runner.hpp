#pragma once
// What the interpreter of graphs does for a loop.

#include <cstddef>
#include <vector>

#include "ir/graph.hpp"
#include "ir/interpreter.hpp"

namespace sinter::ir::detail {

/// Computes value `at` of a program at n elements, dense; those it needs are there, and so is room
/// for it.
void run_instruction(const instruction&, std::vector<std::vector<std::byte>>& values,
                     std::size_t at, std::size_t n);

/// A loop node: round by round for all elements, those that have stopped left as they are. An
/// output nobody wants is null. Throws std::invalid_argument for a round that has no place in an
/// output.
void run_loop(const node&, const std::vector<const tensor*>& inputs,
              const std::vector<tensor*>& outputs);

}  // namespace sinter::ir::detail

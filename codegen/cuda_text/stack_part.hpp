#pragma once
// A part of a stack: the function that a block's threads run over its box and around it.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/cuda_text/writer.hpp"
#include "ir/kernel.hpp"

namespace sinter::codegen::cuda_text {

/// What a part is passed beside its place and the tiles.
std::vector<ir::slot> slots_of_part(const ir::kernel& part);

/// Does a part that is around another move elements from one tile to another alone? Then the part
/// within does that itself, at points that are not its own, and it has no function: four strips one
/// after the other, each with a quotient a point, took as long as the part.
bool is_told_within(const ir::kernel& part);

/// The part's function, `run`.
void write_stack_part(const ir::kernel& stack, std::size_t number, writer&);

/// `one(axis)` for every axis, with `by` between them.
std::string over_axes(int axes, std::string_view by, const std::function<std::string(int)>& one);

}  // namespace sinter::codegen::cuda_text

#pragma once
// A part of a stack: the function a block's threads run over its box and margins.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/cuda_text/writer.hpp"
#include "ir/kernel.hpp"

namespace sinter::codegen::cuda_text {

/// The slots passed to a part besides its position and the tiles.
std::vector<ir::slot> slots_of_part(const ir::kernel& part);

/// Does a part that is `around` another only copy elements between tiles? Then the part within
/// copies them itself, at points that are not its own, and this one has no function: four strips in
/// sequence, each with a division per point, took as long as the part.
bool is_told_within(const ir::kernel& part);

/// The part's function, `run`.
void write_stack_part(const ir::kernel& stack, std::size_t number, writer&);

/// `one(axis)` for every axis, with `by` between them.
std::string over_axes(int axes, std::string_view by, const std::function<std::string(int)>& one);

}  // namespace sinter::codegen::cuda_text

#pragma once
// Stacks: maps that a block runs one after the other, around its own box.
//
// Why: a sweep of a stencil reads what the sweep before it wrote, a little further around; done one
// by one each goes to memory and back. A block of a stack computes of every part its box and, of
// all but the last, as much around it as the parts behind will read; what is passed on stays in
// tiles of its own. Near its borders it computes what its neighbours compute too, so that nobody
// waits for anybody.
//
// All parts share the coordinates of the stack: point y of a part's domain is origin + y there.
// Block b has the points from corner + c * box on, c being its coordinates among `across` boxes,
// row-major. It computes a part at its box widened by `beyond`, as far as that is in the part's
// domain. A tile holds the box widened by its margins; its element for a point stands at the
// point's place, moved by the operand's shift; a part that writes a tile again leaves what it does
// not compute as it was. What a part stores in memory it stores in the box
// alone, so that each element is stored once. A GPU's thread has schedule.unroll points of a part
// at a time, neighbours along the axis before the last: they share most of what they read. A CPU's
// takes part by part of a box as plain maps (ir/stack_parts.hpp).

#include <cstdint>
#include <string>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir {

inline bool is_stack(const kernel& k) { return !k.box.empty(); }

/// The most bytes of tiles that a block may have at once: of a GPU shared memory that nobody has to
/// ask for, of a CPU what fits in a core's second cache beside what is read.
constexpr std::int64_t most_room(target t) { return t == target::gpu ? 48 << 10 : 384 << 10; }

/// The sides of a box widened by margins.
std::vector<int> widened(const std::vector<int>& box, const margins&);

/// Strides of a tile, in elements, and behind them how many it has.
std::vector<int> tile_strides(const kernel& stack, std::size_t tile);

/// Where each tile begins in a block's memory, and how much there is in all, in bytes. Tiles that
/// are not needed at the same time may share a place.
struct tile_room {
  std::vector<std::int64_t> begin;
  std::int64_t bytes = 0;
};
tile_room room_of(const kernel& stack);

/// The part whose domain part `p`, which is around, leaves out: others around it may stand between.
std::size_t part_within(const kernel& stack, std::size_t p);

/// Is the operand a tile's?
inline bool in_tile(const kernel& part, std::int32_t operand) {
  return part.operands[static_cast<std::size_t>(operand)].role == operand_role::tile;
}

/// Throws ir::verify_error.
void verify_stack(const kernel&);

/// Blocks [block_begin, block_end), as run_kernel. REQUIRES: is_stack(k).
void run_stack(const kernel& k, const std::uint64_t* slots, std::int64_t block_begin,
               std::int64_t block_end);
std::int64_t blocks_of_stack(const kernel& k, const std::uint64_t* slots);

}  // namespace sinter::ir

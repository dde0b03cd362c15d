#pragma once
// Stacks: maps that a block runs one after the other, around its own box (temporal tiling).
//
// Why: a stencil sweep reads what the sweep before it wrote, at neighbouring points; run one by
// one, each makes a round trip to memory. A block of a stack computes of every part its box and,
// except for the last, the halo that later parts read; intermediate values stay in private tiles.
// Near its borders it recomputes what its neighbours compute too, so that blocks need no
// synchronisation.
//
// All parts share the coordinates of the stack: point y of a part's domain is origin + y there.
// Block b has the points from corner + c * box on, c being its coordinates among `across` boxes,
// row-major. It computes a part at its box widened by `beyond`, clipped to the part's domain. A
// tile holds the box widened by its margins; the element for a point is at the point, offset by the
// operand's shift; a part that rewrites a tile leaves what it does not compute unchanged. A part
// stores to memory only inside the box, so that each element is stored once. A GPU thread computes
// schedule.unroll points of a part at a time, adjacent along the axis before the last, since they
// share most of their reads. A CPU thread runs a box part by part as plain maps
// (ir/stack_parts.hpp).

#include <cstdint>
#include <string>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir {

inline bool is_stack(const kernel& k) { return !k.box.empty(); }

/// The most bytes of tiles per block: on a GPU the static limit of shared memory, on a CPU what
/// fits in a core's L2 besides the inputs.
constexpr std::int64_t most_room(target t) { return t == target::gpu ? 48 << 10 : 384 << 10; }

/// The sides of a box widened by margins.
std::vector<int> widened(const std::vector<int>& box, const margins&);

/// Strides of a tile, in elements, followed by its number of elements.
std::vector<int> tile_strides(const kernel& stack, std::size_t tile);

/// Where each tile begins in a block's memory, and the total size, in bytes. Tiles with disjoint
/// lifetimes may share memory.
struct tile_room {
  std::vector<std::int64_t> begin;
  std::int64_t bytes = 0;
};
tile_room room_of(const kernel& stack);

/// The part whose points part `p`, which is `around`, leaves out; other such parts may lie between.
std::size_t part_within(const kernel& stack, std::size_t p);

/// Is the operand in a tile?
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

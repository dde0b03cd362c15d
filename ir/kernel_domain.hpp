#pragma once
// Sizes and addresses of one launch, read from its slots, for the kernel interpreter; also the
// parts of a shared launch.

#include <cstdint>
#include <utility>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir::detail {

/// An operand with this launch's numbers; one stride per axis.
struct bound_operand {
  std::byte* data = nullptr;
  std::int64_t start = 0;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> unravel_extents, unravel_strides;
};

struct launch {
  std::vector<std::int64_t> extents;
  std::int64_t splits = 1, chunk = 0;
  std::vector<bound_operand> operands;
  std::vector<std::uint64_t> scalars;
  std::int64_t rows = 1, length = 1;  // points of the kept and of the reduced axes

  launch(const kernel&, const std::uint64_t* slots);
};

/// A run of adjacent points along some axes of the domain, in row-major order.
struct strip {
  std::vector<std::int64_t> start;  // coordinates of the first point, over all axes
  int first_axis = 0, last_axis = 0;  // the axes that move: [first, last)
  std::int64_t count = 1;
};

/// Sets the coordinates of axes [first, last) from a row-major position among them.
void place(std::vector<std::int64_t>& coordinates, const std::vector<std::int64_t>& extents,
           int first, int last, std::int64_t position);

/// The element numbers of an operand at the points of a strip.
void offsets_of(const bound_operand&, const std::vector<std::int64_t>& extents, const strip&,
                std::int64_t* out);

/// The points of a block of tiles as runs, each with its first position and one past its last. A
/// lead is ignored here: the first block of a row begins with the row.
std::vector<std::pair<std::int64_t, std::int64_t>> rows_of_tile(const kernel&, const launch&,
                                                                std::int64_t blocks,
                                                                std::int64_t block);

/// Blocks [block_begin, block_end) of a shared launch, a stack or rounds, whichever parts they
/// belong to.
void run_parts(const kernel&, const std::uint64_t* slots, std::int64_t block_begin,
               std::int64_t block_end);
std::int64_t blocks_of_parts(const kernel&, const std::uint64_t* slots);

}  // namespace sinter::ir::detail

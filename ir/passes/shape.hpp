#pragma once
// shape_kernel: merges axes, chooses lanes, vectors and blocks for one body.
//
// Why: the ranks, classes and schedule of a kernel are baked into its code, so two programs share a
// compiled kernel exactly when this pass gives them the same ones. It decides by classes of sizes
// and never writes a size into the kernel.

#include <cstdint>

#include "ir/machine.hpp"
#include "ir/passes/body.hpp"

namespace sinter::ir {

/// A kernel and the sizes it runs at.
struct shaped {
  ir::kernel kernel;
  shape_t extents;                   // kept axes, then reduced, as merged
  std::vector<index_expr> operands;  // over those axes
  extent blocks = 0;
  extent splits = 1, chunk = 0;
  std::vector<std::size_t> order;  // the domain's kept axes of more than one place, as walked
  std::vector<std::size_t> short_axes;  // of the domain: see `unroll_axes`; ascending
};

/// Where a CPU's lanes go if rows are shorter than they are.
enum class row_lanes : std::uint8_t { across, along };

/// `domain` and `reduced` are the group's (of the combining kernel: kept axes and the splits).
/// `split` asks for the partial kernel of a split reduction.
shaped shape_kernel(const body&, const shape_t& domain, const std::vector<bool>& reduced,
                    const machine&, bool split, row_lanes lanes = row_lanes::across);

/// Blocks that are worth a thread of a CPU (`cpu_device::launch`): one, unless they are short rows.
extent grain_of(const shaped&);

/// What the operations of one element come to, in additions of floats.
double work_of(const kernel&, const machine&);

/// How long one block or thread computes on so many elements of a row, in seconds: a guess, 10 us
/// for 10,000 roots and quotients of doubles on an H200, without which a round takes 11.7 us less.
double row_seconds(const kernel&, const machine&, double length);

}  // namespace sinter::ir
